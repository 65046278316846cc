# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What each architecture is called, and where: the one table of them.  lib.sh
# sources it.

# Ours; Debian's; that of compilers, binutils and uname -m; kbuild's; where the
# kernel's makefiles leave what boots.
SF_ARCHES='
x86_64	amd64	x86_64	x86	arch/x86/boot/bzImage
arm64	arm64	aarch64	arm64	arch/arm64/boot/Image
s390x	s390x	s390x	s390	arch/s390/boot/bzImage
'

# our_arch NAME: our name for the architecture that somebody asked for.
our_arch()
{
	local ours

	ours=$(awk -v name="$1" 'NF && (name == $1 || name == $2 || name == $3) {
		print $1 }' <<<"$SF_ARCHES")
	[ -n "$ours" ] ||
		die "unknown architecture '$1': take x86_64, arm64 or s390x"
	echo "$ours"
}

# arch_field ARCH COLUMN
arch_field()
{
	local ours

	ours=$(our_arch "$1") || exit
	awk -v name="$ours" -v column="$2" '$1 == name { print $column }' \
		<<<"$SF_ARCHES"
}

# deb_arch ARCH: Debian's name for one of our architectures.
deb_arch()
{
	arch_field "$1" 2
}

# machine_of ARCH: its name among compilers and binutils.
machine_of()
{
	arch_field "$1" 3
}

# cross_of ARCH: what its compilers' names begin with.
cross_of()
{
	echo "$(machine_of "$1")-linux-gnu-"
}

# kbuild_arch ARCH: its name in the kernel's makefiles.
kbuild_arch()
{
	arch_field "$1" 4
}

# image_of ARCH: what boots, in a tree where a kernel was built.
image_of()
{
	arch_field "$1" 5
}
