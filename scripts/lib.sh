# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers shared by the scripts of this folder.  Source it, do not run it:
#
#	. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"
#
# Everything the scripts download or build is kept under the cache directory
# and published there with one rename, so a run that was interrupted leaves
# nothing half made behind.

# shellcheck disable=SC2034 # for the scripts that source this
SF_REPO=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
SF_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/sframe
SF_MIRROR=${SFRAME_MIRROR:-http://deb.debian.org/debian}
SF_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
SF_PROG=${0##*/}
SF_OWNER=$BASHPID
SF_TMPDIRS=()
SF_TICKER=

export LC_ALL=C.UTF-8
shopt -s inherit_errexit

# say TEXT...: one line of progress, on stderr so that stdout stays clean.
say()
{
	printf '%s: %s\n' "$SF_PROG" "$*" >&2
}

die()
{
	say "error: $*"
	exit 1
}

# usage_of FILE: print the comment block at the top of FILE as its help.
usage_of()
{
	sed -n '3,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$1"
}

sf_cleanup()
{
	local dir

	# A subshell that dies must not clean up for its parent.
	[ "$BASHPID" = "$SF_OWNER" ] || return 0
	stop_ticker
	for dir in "${SF_TMPDIRS[@]}"; do
		rm -rf "$dir"
	done
}

trap sf_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# tmp_dir VAR [PARENT]: make a directory that is removed when the script ends
# and put its name in VAR.
tmp_dir()
{
	local parent=${2:-${TMPDIR:-/tmp}} made

	mkdir -p "$parent"
	made=$(mktemp -d "$parent/.sframe-XXXXXX")
	if [ "$BASHPID" != "$SF_OWNER" ]; then
		SF_OWNER=$BASHPID
		SF_TMPDIRS=()
		trap sf_cleanup EXIT
	fi
	SF_TMPDIRS+=("$made")
	printf -v "$1" '%s' "$made"
}

# with_lock NAME COMMAND...: run COMMAND while no other run holds NAME.
# The kernel drops the lock when the script ends, however it ends.
with_lock()
{
	local name=$1 fd

	shift
	mkdir -p "$SF_CACHE/locks"
	exec {fd}>"$SF_CACHE/locks/$name"
	if ! flock -n "$fd"; then
		say "waiting for another run ($name)"
		flock "$fd"
	fi
	"$@"
	exec {fd}>&-
}

# publish DIR DEST: move the finished DIR to DEST, replacing what is there.
publish()
{
	local old=$2.old.$$

	mkdir -p "$(dirname "$2")"
	if [ -e "$2" ]; then
		mv -T "$2" "$old"
	fi
	mv -T "$1" "$2"
	rm -rf "$old"
}

# progress TEXT PROGRAM...: run PROGRAM with its output in a log, telling every
# ten seconds that it is still at work; show the log's end when it fails.
progress()
{
	local text=$1 log status=0 begin=$SECONDS owner=$BASHPID

	shift
	log=$(mktemp "${TMPDIR:-/tmp}/sframe-log-XXXXXX")
	say "$text"
	(
		trap - EXIT INT TERM
		close_locks
		while sleep 10 >/dev/null 2>&1 && [ -d "/proc/$owner" ]; do
			say "  ... $((SECONDS - begin)) s  $(tail -n 1 "$log" |
				tr -d '\r' | cut -c 1-60)"
		done
	) &
	SF_TICKER=$!
	"$@" >"$log" 2>&1 </dev/null || status=$?
	stop_ticker
	if [ "$status" -ne 0 ]; then
		tail -n 40 "$log" >&2
		say "failed (status $status): $text"
	elif [ $((SECONDS - begin)) -ge 10 ]; then
		say "  done in $((SECONDS - begin)) s"
	fi
	rm -f "$log"
	return "$status"
}

# close_locks: for what may outlive the script, and must not hold its locks.
close_locks()
{
	local fd

	for fd in /proc/self/fd/*; do
		fd=${fd##*/}
		if [ "$fd" -ge 10 ] && [ "$fd" -lt 255 ]; then
			eval "exec $fd>&-"
		fi
	done
}

stop_ticker()
{
	if [ -n "$SF_TICKER" ]; then
		# It may not have got as far as dropping our traps.
		kill -KILL "$SF_TICKER" 2>/dev/null || :
		wait "$SF_TICKER" 2>/dev/null || :
		SF_TICKER=
	fi
}

as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# need_packages PKG...: install Debian packages on this machine when missing.
need_packages()
{
	local pkg missing=()

	for pkg in "$@"; do
		if ! dpkg-query -W -f '${Status}' "$pkg" 2>/dev/null |
		     grep -q ' installed$'; then
			missing+=("$pkg")
		fi
	done
	if [ ${#missing[@]} -ne 0 ]; then
		with_lock host-packages install_packages "${missing[@]}"
	fi
}

install_packages()
{
	progress "updating the package lists of this machine" \
		as_root apt-get update || say "apt-get update failed; going on"
	progress "installing $*" \
		as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends \
		-o DPkg::Lock::Timeout=300 "$@"
}

# deb_arch ARCH: Debian's name for one of our architectures.
deb_arch()
{
	case $1 in
	x86_64)	echo amd64 ;;
	arm64)	echo arm64 ;;
	s390x)	echo s390x ;;
	*)	die "unknown architecture '$1' (x86_64, arm64, s390x)" ;;
	esac
}

# host_arch: our name for the architecture of this machine.
host_arch()
{
	case $(uname -m) in
	x86_64)	echo x86_64 ;;
	aarch64) echo arm64 ;;
	s390x)	echo s390x ;;
	*)	die "unsupported machine: $(uname -m)" ;;
	esac
}

# apt_write_conf DIR SUITE DEBARCH: an apt world of its own in DIR; the apt
# configuration and the package database of this machine are not touched.
apt_write_conf()
{
	local dir=$1 suite=$2 arch=$3 dist dists=("$2")

	if [ "$suite" = trixie-backports ]; then
		dists=(trixie trixie-backports)
	fi
	mkdir -p "$dir"/etc/{apt.conf.d,preferences.d,trusted.gpg.d} \
		"$dir"/state/lists/partial "$dir"/cache/archives/partial
	: >"$dir/status"
	for dist in "${dists[@]}"; do
		printf '%s [signed-by=%s] %s %s main\n' \
			deb "$SF_KEYRING" "$SF_MIRROR" "$dist" \
			deb-src "$SF_KEYRING" "$SF_MIRROR" "$dist"
	done >"$dir/etc/sources.list"
	{
		apt-config dump | grep -E '^Acquire::(http|https)::' || :
		cat <<-EOF
		Dir::Etc "$dir/etc";
		Dir::Etc::parts "$dir/etc/apt.conf.d";
		Dir::State "$dir/state";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Default-Release "$suite";
		APT::Get::Assume-Yes "true";
		APT::Install-Recommends "false";
		APT::Sandbox::User "";
		Acquire::Check-Valid-Until "false";
		Acquire::GzipIndexes "true";
		Acquire::Languages "none";
		Acquire::Retries "3";
		EOF
	} >"$dir/apt.conf"
}

# apt_world SUITE DEBARCH: print the apt configuration file to use for SUITE,
# with package lists that are at most a day old.
apt_world()
{
	local dir=$SF_CACHE/apt/$1-$2

	with_lock "apt-$1-$2" apt_refresh "$dir" "$1" "$2"
	echo "$dir/apt.conf"
}

# suites_with KERNEL: the Debian releases to look for it in.  The index of one
# architecture can be broken for days while the rest is whole.
suites_with()
{
	case $1 in
	6.12 | 6.12.*) echo trixie ;;
	*)	echo trixie-backports forky sid ;;
	esac
}

# first_suite DEBARCH SUITE...: print the first whose lists can be read.
first_suite()
{
	local arch=$1 suite

	shift
	for suite in "$@"; do
		if (apt_world "$suite" "$arch") >/dev/null; then
			echo "$suite"
			return
		fi
		say "without $suite ($arch)"
	done
	return 1
}

apt_refresh()
{
	local dir=$1

	if [ -n "$(find "$dir/fresh" -mmin -1440 2>/dev/null)" ]; then
		return 0
	fi
	apt_write_conf "$@"
	APT_CONFIG=$dir/apt.conf progress "reading package lists ($2, $3)" \
		apt-get update || die "cannot read the package lists of $2"
	touch "$dir/fresh"
}

# deb_unpack TREE DEB...: unpack packages into TREE, without their scripts.
deb_unpack()
{
	local tree=$1 dir

	shift
	for dir in bin sbin lib lib64; do
		if [ ! -e "$tree/$dir" ]; then
			mkdir -p "$tree/usr/$dir" &&
				ln -s "usr/$dir" "$tree/$dir" || return
		fi
	done
	# shellcheck disable=SC2016 # expanded by the inner shell
	printf '%s\0' "$@" | xargs -0 -P 2 -n 1 bash -c 'set -o pipefail
		dpkg-deb --fsys-tarfile "$1" | tar -x --no-same-owner \
			--keep-directory-symlink --warning=no-timestamp -C "$0"' \
		"$tree"
}

# deb_tree TREE SUITE DEBARCH PKG...: unpack the packages and all they depend
# on into TREE.
deb_tree()
{
	local tree=$1 suite=$2 arch=$3 conf archives

	shift 3
	conf=$(apt_world "$suite" "$arch")
	tmp_dir archives "$SF_CACHE/tmp"
	mkdir "$archives/partial"
	APT_CONFIG=$conf progress "downloading from $suite ($arch): ${*:1:6} ..." \
		apt-get -o Dir::Cache::archives="$archives" \
		-o Debug::NoLocking=1 install --download-only "$@"
	progress "unpacking $(find "$archives" -name '*.deb' | wc -l) packages" \
		deb_unpack "$tree" "$archives"/*.deb
	rm -rf "$archives"
}

# deb_only TREE SUITE DEBARCH PKG...: the same for just these packages.
deb_only()
{
	local tree=$1 suite=$2 arch=$3 conf archives

	shift 3
	conf=$(apt_world "$suite" "$arch")
	tmp_dir archives "$SF_CACHE/tmp"
	(
		cd "$archives" || exit
		APT_CONFIG=$conf progress "downloading from $suite ($arch): $*" \
			apt-get -o Debug::NoLocking=1 download "$@"
	)
	progress "unpacking" deb_unpack "$tree" "$archives"/*.deb
	rm -rf "$archives"
}

# cpio_of DIR: print DIR as a cpio archive, the form of an initial ramdisk.
cpio_of()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$SF_REPO/scripts/roots" run trixie --bind "$1" -- sh -c \
		'cd "$0" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet' "$1"
}

# guest_programs ARCH DIR [ARGUMENT...]: compile those of tools/tests/guest into
# DIR; the arguments are for make, whose BINUTILS are the newest if not said.
guest_programs()
{
	local machine=${1/arm64/aarch64} cross=

	[ "$1" = x86_64 ] || cross=$machine-linux-gnu-
	"$SF_REPO/scripts/roots" run trixie --bind "$2" -- \
		make -s -C "$SF_REPO/tools/tests/guest" OUT="$2" ARCH="$1" \
		CROSS="$cross" GCC=gcc-14 \
		BINUTILS="-B/opt/binutils-sid/$machine/bin" "${@:3}"
}
