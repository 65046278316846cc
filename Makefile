# SPDX-License-Identifier: GPL-2.0
# What can be made here; kbuild's own part is in Kbuild.  "make help" lists it.

ARCH ?= x86_64
KERNEL ?= 7
PREFIX ?= /usr/local
RELEASE := $(shell uname -r)
MODDIR = $(DESTDIR)/lib/modules/$(RELEASE)/updates
# What was asked for, not what is the default.
ARCH_ARGS := $(if $(filter command environment,$(origin ARCH)),--arch $(ARCH))
GUEST_ARGS := $(strip $(ARCH_ARGS) \
	$(if $(filter command environment,$(origin KERNEL)),--kernel $(KERNEL)))
KBUILD_ARGS = $(if $(V),V=$(V)) $(if $(W),W=$(W)) $(if $(C),C=$(C))

all:
	@scripts/build-module --running -- $(KBUILD_ARGS)

help:
	@echo 'On this machine, for the running kernel ($(RELEASE)):'
	@echo '  make                  build sframe.ko (needs its headers, gcc and make)'
	@echo '  make install          install it, and the perf wrapper into PREFIX/bin'
	@echo '  make uninstall        take both away again'
	@echo
	@echo 'In a guest with a stock Debian kernel; all that is needed is fetched:'
	@echo '  make demo             record a real program, show its hottest stacks'
	@echo '  make check            all tests, or with ARCH= or KERNEL= those of its'
	@echo '                        guests (STAGES="a b": only these; LIST=1: list)'
	@echo '  make bench            what lookups and steps cost; with ARCH= or KERNEL= what'
	@echo '                        the idle module costs exec and mmap there'
	@echo '  make kunit            KUnit suites in kernels built to check themselves, of'
	@echo '                        all architectures or that of ARCH='
	@echo '                        (CONFIG=debug|kcsan|plain FILTER=SUITE.CASE)'
	@echo '  make stress           the module under everything at once, in such a'
	@echo '                        kernel (MINUTES=30)'
	@echo '  make fuzz             fuzz the core (SECONDS=60 RUNS=n JOBS=1), or with'
	@echo '                        TARGET=core|code parts of it, or with TARGET=diff'
	@echo '                        compare it with libsframe'
	@echo '  make vm               a test of the guest alone: boot, insert, remove'
	@echo '  make module           build/$$ARCH-$$KERNEL/sframe.ko'
	@echo
	@echo '  make clean            remove build/'
	@echo '  make distclean        and what was fetched, in ~/.cache/sframe'
	@echo
	@echo 'ARCH is x86_64, arm64 or s390x (now $(ARCH)); KERNEL is 7, 6.12 or the'
	@echo 'start of a release (now $(KERNEL)).  W=1, C=2 and V=1 are handed to kbuild.'
	@echo 'scripts/vm --help says how to run any command in a guest.'

module:
	@scripts/build-module --arch $(ARCH) --kernel $(KERNEL) -- $(KBUILD_ARGS)

install:
	@test -e build/running/sframe.ko || $(MAKE) all
	install -D -m 644 build/running/sframe.ko $(MODDIR)/sframe.ko
	$(if $(DESTDIR),,depmod $(RELEASE))
	install -D -m 755 tools/perf/perf $(DESTDIR)$(PREFIX)/bin/perf
	@echo 'Now: modprobe sframe; perf record --call-graph sframe PROGRAM'

uninstall:
	rm -f $(MODDIR)/sframe.ko
	$(if $(DESTDIR),,depmod $(RELEASE))
	rm -f $(DESTDIR)$(PREFIX)/bin/perf

vm:
	scripts/vm --arch $(ARCH) --kernel $(KERNEL) -- uname -a

demo:
	@scripts/demo --arch $(ARCH) --kernel $(KERNEL)

check:
	@scripts/check $(if $(LIST),--list) $(GUEST_ARGS) $(STAGES)

bench:
	@$(if $(GUEST_ARGS),scripts/bench-overhead $(GUEST_ARGS),tools/bench/run)

kunit:
	@scripts/kunit $(ARCH_ARGS) $(if $(CONFIG),--config $(CONFIG)) \
		$(if $(FILTER),--filter '$(FILTER)')

stress:
	@scripts/check-debug --arch $(ARCH) \
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
