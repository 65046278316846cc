# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests need of this machine beside the trees of scripts/roots: the one table
# of it, so that scripts/check can ask for all of it at once.  lib.sh sources it.

# By what the names of their stages begin with; "check" is for all.
SF_PACKAGES='
check	make python3
bench	gcc libc6-dev libunwind-dev make python3 valgrind
front	bzip2 make procps xz-utils
fuzz	clang gcc libc6-dev libclang-rt-dev llvm make
oracle	bzip2 xz-utils
stacks	binutils python3
'

# need_packages_of NAME...: those of these tests, as far as they need some.
need_packages_of()
{
	local packages

	mapfile -t packages < <(awk -v names=" $* " '
		NF && index(names, " " $1 " ") {
			for (i = 2; i <= NF; i++)
				if (!seen[$i]++)
					print $i
		}' <<<"$SF_PACKAGES")
	need_packages "${packages[@]}"
}
