# SPDX-License-Identifier: GPL-2.0
# What can be made here; kbuild's own part is in Kbuild.  "make help" lists it.

ARCH ?= x86_64
KERNEL ?= 7
PREFIX ?= /usr/local
KVER ?= $(shell uname -r)
MODDIR = $(DESTDIR)/lib/modules/$(KVER)/updates
WRAPPER = $(DESTDIR)$(PREFIX)/bin/perf
# There is no perf, or the wrapper: not one that somebody built.
IS_OURS = { [ ! -e '$(WRAPPER)' ] || head -n 4 '$(WRAPPER)' | grep -q '^. perf - runs the real'; }
# What was asked for, not what is the default.
ARCH_NAME := $(patsubst amd64,x86_64,$(patsubst aarch64,arm64,$(ARCH)))
ARCH_ARGS := $(if $(filter command environment,$(origin ARCH)),--arch '$(ARCH_NAME)')
GUEST_ARGS := $(strip $(ARCH_ARGS) \
	$(if $(filter command environment,$(origin KERNEL)),--kernel '$(KERNEL)'))
KBUILD_ARGS = $(if $(V),V=$(V)) $(if $(W),W=$(W)) $(if $(C),C=$(C)) \
	$(if $(SFRAME_EH_FRAME),SFRAME_EH_FRAME=$(SFRAME_EH_FRAME))

ifneq ($(words $(CURDIR)),1)
$(error make takes no path with a space: move $(CURDIR))
endif
ifeq ($(origin ARCH)$(filter x86_64 arm64 s390x,$(ARCH_NAME)),command line)
$(error unknown architecture '$(ARCH)': take x86_64, arm64 or s390x)
endif

all:
	@scripts/build-module --release '$(KVER)' -- $(KBUILD_ARGS)

help:
	@echo 'On this machine, for the running kernel or KVER (now $(KVER)):'
	@echo '  make                  build sframe.ko (needs its headers, gcc and make)'
	@echo '  make install          build and install it, and the perf wrapper into'
	@echo '                        PREFIX/bin'
	@echo '  make uninstall        take both away again'
	@echo
	@echo 'In a guest with a stock Debian kernel; all that is needed is fetched:'
	@echo '  make demo             record an unmodified program, show its hottest stacks'
	@echo '  make check            all tests, or with ARCH= or KERNEL= those of its'
	@echo '                        guests (or STAGES="a b": only these; LIST=1: list)'
	@echo '  make bench            what lookups and steps cost; with ARCH= or KERNEL= what'
	@echo '                        the idle module costs exec and mmap there'
	@echo '  make kunit            KUnit suites in kernels built to check themselves, of'
	@echo '                        all architectures or that of ARCH='
	@echo '                        (CONFIG=debug|kcsan|plain FILTER=SUITE.CASE)'
	@echo '  make stress           the module under everything at once, in such a'
	@echo '                        kernel (MINUTES=30)'
	@echo '  make fuzz             fuzz the core (SECONDS=60 RUNS=n JOBS=1), or with'
	@echo '                        TARGET=core|cfi|go|code parts of it, or with TARGET=diff'
	@echo '                        compare it with libsframe'
	@echo '  make vm               a test of the guest alone: boot, insert, remove'
	@echo '  make module           build/$$ARCH-$$KERNEL/sframe.ko'
	@echo
	@echo '  make SFRAME_EH_FRAME=n   (all, module) without tables from .eh_frame'
	@echo
	@echo '  make clean            remove build/'
	@echo '  make distclean        and what was fetched, in ~/.cache/sframe'
	@echo
	@echo 'ARCH is x86_64, arm64 or s390x (now $(ARCH_NAME)); KERNEL is 7, 6.12 or the'
	@echo 'start of a release (now $(KERNEL)).  W=1, C=2 and V=1 are handed to kbuild.'
	@echo 'scripts/vm --help says how to run any command in a guest.'

module:
	@scripts/build-module --arch '$(ARCH_NAME)' --kernel '$(KERNEL)' -- $(KBUILD_ARGS)

install:
	@$(IS_OURS) || { echo 'error: $(WRAPPER) is another perf, and would be lost:' \
		'move it, or say PREFIX=' >&2; exit 1; }
	@scripts/build-module --release '$(KVER)' -- $(KBUILD_ARGS)
	install -D -m 644 'build/host-$(KVER)/sframe.ko' '$(MODDIR)/sframe.ko'
	strip --strip-debug '$(MODDIR)/sframe.ko'
	$(if $(DESTDIR),,PATH="$$PATH:/usr/sbin:/sbin" depmod '$(KVER)')
	install -D -m 755 tools/perf/perf '$(WRAPPER)'
	@echo 'Now: modprobe sframe; perf record --call-graph sframe PROGRAM'
	@test -n '$(DESTDIR)' -o ! -d /sys/module/sframe || \
		echo 'The sframe that is loaded stays until you say: rmmod sframe'

uninstall:
	rm -f '$(MODDIR)/sframe.ko'
	@[ ! -d '$(MODDIR)' ] || rmdir --ignore-fail-on-non-empty '$(MODDIR)'
	$(if $(DESTDIR),,PATH="$$PATH:/usr/sbin:/sbin" depmod '$(KVER)')
	@if $(IS_OURS); then rm -f '$(WRAPPER)'; else \
		echo '$(WRAPPER) is another perf, and stays'; fi
	@for file in '$(DESTDIR)'/lib/modules/*/updates/sframe.ko; do \
		[ ! -e "$$file" ] || echo "There is still $$file: make uninstall" \
			"KVER=$$(basename "$${file%/updates/*}")"; done
	@test -n '$(DESTDIR)' -o ! -d /sys/module/sframe || \
		echo 'The module is still loaded. To stop it: rmmod sframe'

vm:
	@scripts/vm --arch '$(ARCH_NAME)' --kernel '$(KERNEL)' -- uname -a

demo:
	@scripts/demo --arch '$(ARCH_NAME)' --kernel '$(KERNEL)'

check:
	@scripts/check $(if $(LIST),--list) $(GUEST_ARGS) $(STAGES)

bench:
	@$(if $(GUEST_ARGS),scripts/bench-overhead $(GUEST_ARGS),tools/bench/run)

kunit:
	@scripts/kunit $(ARCH_ARGS) $(if $(CONFIG),--config $(CONFIG)) \
		$(if $(FILTER),--filter '$(FILTER)')

stress:
	@scripts/check-debug --arch '$(ARCH_NAME)' \
		$(if $(MINUTES),--minutes $(MINUTES)) stress

fuzz:
	@tools/fuzz/run $(if $(TARGET),--target $(TARGET)) $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(RUNS),--runs $(RUNS)) $(if $(JOBS),--jobs $(JOBS))

clean:
	rm -rf build

distclean: clean
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/sframe"

.PHONY: all help module install uninstall vm demo check bench kunit stress fuzz \
	clean distclean
