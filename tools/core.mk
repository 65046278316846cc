# SPDX-License-Identifier: GPL-2.0
# How the portable core is compiled in user space. TOP is the top of the tree;
# a program defines sframe_alloc() and sframe_free().

# The rules of the machines, and what of the core they need.
CORE_ARCH_SRCS := $(wildcard $(TOP)/kernel/arch/*.c) $(TOP)/kernel/core/leave.c
CORE_SRCS := $(sort $(wildcard $(TOP)/kernel/core/*.c) $(CORE_ARCH_SRCS))
CORE_HEADERS := $(wildcard $(TOP)/include/sframe/*.h $(TOP)/kernel/core/*.h \
	$(TOP)/kernel/arch/*.h)
# Headers of kernel/core are for those that test it.
CORE_CPPFLAGS := -I$(TOP)/include -I$(TOP)/kernel/core

# As for the module, SFRAME_EH_FRAME=n leaves the readers of .eh_frame and .gopclntab out.
ifneq ($(SFRAME_EH_FRAME),n)
CORE_CPPFLAGS += -DSFRAME_HAS_EH_FRAME=1
else
CORE_CPPFLAGS += -DSFRAME_HAS_EH_FRAME=0
CORE_SRCS := $(filter-out $(addprefix $(TOP)/kernel/core/,cfi% gopclntab%), \
	$(CORE_SRCS))
endif
