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
SF_KEYRING=/usr/share/keyrings/debian-archive-keyring
SF_PROG=${0##*/}
SF_OWNER=$BASHPID
SF_TEMPORARY=()
SF_TICKER=

# shellcheck source=scripts/lib/arch.sh
. "$SF_REPO/scripts/lib/arch.sh"
# shellcheck source=scripts/lib/packages.sh
. "$SF_REPO/scripts/lib/packages.sh"

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
	# A subshell that dies must not clean up for its parent.
	[ "$BASHPID" = "$SF_OWNER" ] || return 0
	stop_ticker
	[ ${#SF_TEMPORARY[@]} -eq 0 ] || rm -rf "${SF_TEMPORARY[@]}"
}

trap sf_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# own_cleanup: from here on this subshell removes what it makes itself.
own_cleanup()
{
	if [ "$BASHPID" != "$SF_OWNER" ]; then
		SF_OWNER=$BASHPID
		SF_TEMPORARY=()
		SF_TICKER=
		trap sf_cleanup EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM
	fi
}

# tmp_dir VAR [PARENT]: make a directory that is removed when the script ends
# and put its name in VAR.
tmp_dir()
{
	local parent=${2:-${TMPDIR:-/tmp}} made

	mkdir -p "$parent" || return
	own_cleanup
	made=$(mktemp -d "$parent/.sframe-XXXXXX") || return
	SF_TEMPORARY+=("$made")
	printf -v "$1" '%s' "$made"
}

# tmp_log VAR: likewise a file for the output of a program.
tmp_log()
{
	local created

	own_cleanup
	created=$(mktemp "${TMPDIR:-/tmp}/sframe-log-XXXXXX") || return
	SF_TEMPORARY+=("$created")
	printf -v "$1" '%s' "$created"
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

# forget_unused FOLDER PATTERN: remove what nobody has used for a week. Who uses such a
# thing touches it; another checkout may be using what is younger.
forget_unused()
{
	find "$1" -maxdepth 1 -name "$2" -mtime +6 -exec rm -rf {} +
}

# last_line LOG: what is written there last, at most some 60 characters of it,
# cut between two words, or long paths to where they end.
last_line()
{
	tail -n 1 "$1" | tr -d '\r' | awk '
		length > 60 {
			for (i = 1; i <= NF; i++)
				if (length($i) > 30 && match($i, "/[^/]*/[^/]*$"))
					$i = "..." substr($i, RSTART)
		}
		length > 60 {
			$0 = substr($0, 1, 57)
			if (/ /)
				sub(/ [^ ]*$/, "")
			$0 = $0 " ..."
		}
		{ print }'
}

# progress TEXT PROGRAM...: run PROGRAM with its output in a log, telling every
# ten seconds that it is still at work; show the log's end when it fails.
# A PROGRAM that is a function here runs without "set -e", whoever calls: in
# those, each command that may fail says "|| return".
progress()
{
	local text=$1 log status=0 begin=$SECONDS owner=$BASHPID

	shift
	tmp_log log || return
	say "$text"
	(
		trap - EXIT INT TERM
		close_locks
		while sleep 10 >/dev/null 2>&1 && [ -d "/proc/$owner" ]; do
			say "  ... $((SECONDS - begin)) s  $(last_line "$log")"
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

# check_place: paths that kbuild, make and mount cannot take.
check_place()
{
	case $SF_REPO:$SF_CACHE in
	*[[:space:]]* | *:*:*)
		die "make and kbuild take no path with a space or a colon:" \
			"move $SF_REPO (the cache is $SF_CACHE)" ;;
	esac
}

check_place

# can_unshare: may we have a mount namespace of our own, as scripts/roots does?
can_unshare()
{
	local flags=(--mount --propagation private)

	[ "$(id -u)" -eq 0 ] || flags+=(--user --map-root-user)
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare "${flags[@]}" -- sh -c 'mount --bind "$0" "$0"' "$SF_CACHE" \
		>/dev/null 2>&1
}

# check_space MIB: that much must be free for the cache and build/, or be theirs.
check_space()
{
	local free used

	free=$(df --output=avail -BM "$SF_CACHE" | tr -dc '0-9')
	[ "$free" -lt "$1" ] || return 0
	used=$(du -smx "$SF_CACHE" 2>/dev/null | cut -f 1) || :
	[ $((free + ${used:-0})) -ge "$1" ] ||
		die "$free MiB are free in $SF_CACHE, and $(($1 - ${used:-0}))" \
			"are needed: make room, or set XDG_CACHE_HOME"
}

# preflight MIB: stop before any work, and say what to do, where trees and guests
# cannot be made; MIB is what all that is fetched and built takes on the disk.
preflight()
{
	[ "$(uname -m)" = x86_64 ] ||
		die "guests are run on amd64 machines, and this is $(uname -m)"
	command -v apt-get >/dev/null ||
		die "there is no apt-get: this needs Debian 12 or later"
	{ mkdir -p "$SF_REPO/build" && [ -w "$SF_REPO/build" ]; } 2>/dev/null ||
		die "cannot write to $SF_REPO/build: clone to where you can"
	{ mkdir -p "$SF_CACHE" && [ -w "$SF_CACHE" ]; } 2>/dev/null ||
		die "cannot write to $SF_CACHE: set XDG_CACHE_HOME"
	can_unshare ||
		die "this machine does not let unshare(1) mount: in a container, start" \
			"that with --privileged; else work as root"
	check_space "$1"
}

# alone NAME: stop where the same already runs in this checkout, until we end.
alone()
{
	local fd

	exec {fd}>"$SF_REPO/build/.$1.lock"
	flock -n "$fd" ||
		die "another $1 runs in this checkout: wait for it, or clone again"
}

as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# can_be_root: by sudo, too, which asks for a password where there is a terminal.
can_be_root()
{
	[ "$(id -u)" -eq 0 ] || {
		command -v sudo && { sudo -n true || : >/dev/tty; }
	} >/dev/null 2>&1
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
	can_be_root || die "this machine lacks $*; as root: apt install $*"
	progress "updating the package lists of this machine" \
		as_root apt-get update || say "apt-get update failed; going on"
	progress "installing $*" \
		as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends \
		-o DPkg::Lock::Timeout=300 "$@" ||
		die "this machine lacks $*; as root: apt install $*"
}

# check_kernel NAME [ADVICE]: stop where Debian cannot have such a kernel for the module.
check_kernel()
{
	local which=${2:-take 7, 6.12, the start of a release like 7.2, or a directory}

	[ ! -d "$1" ] || return 0
	[[ $1 =~ ^([0-9]+)(\.([0-9]+)([.+~-].*)?)?$ ]] ||
		die "no kernel '$1': $which"
	if [ "${BASH_REMATCH[1]}" -lt 6 ] || [ "${BASH_REMATCH[1]}" -eq 6 ] &&
	   [ "${BASH_REMATCH[3]:-0}" -lt 12 ]; then
		die "Linux $1 is older than 6.12, the first with a module: $which"
	fi
}

# apt_mirror: print where this machine has Debian from, unless told otherwise:
# of what its apt would fetch, the archive of a Debian release's "main", and one
# called "debian" first.
apt_mirror()
{
	local found=${SFRAME_MIRROR:-}

	[ -n "$found" ] || found=$(apt-get update --print-uris | awk -F "'" '
		match($2, "/dists/" suites "/main/binary-") {
			mirror = substr($2, 1, RSTART - 1)
			print mirror ~ "/debian$" ? 1 : 2, mirror
		}' suites='(bookworm|trixie|forky|sid|(old)?stable|testing|unstable)' |
		sort -s -k 1,1 | head -n 1 | cut -d ' ' -f 2)
	[ -n "$found" ] ||
		die "this machine's apt has no Debian mirror: set SFRAME_MIRROR=URL"
	echo "${found%/}"
}

# apt_write_conf DIR SUITE DEBARCH MIRROR NAME: an apt world of its own in DIR, for
# SUITE, which the mirror also has as NAME; the apt configuration and the package
# database of this machine are not touched.
apt_write_conf()
{
	local dir=$1 suite=$2 arch=$3 mirror=$4 keyring=$SF_KEYRING.gpg dist
	local dists=("$5")

	if [[ $5 = *-backports ]]; then
		dists=("${5%-backports}" "$5")
	fi
	[ -e "$keyring" ] || keyring=$SF_KEYRING.pgp
	mkdir -p "$dir"/etc/{apt.conf.d,preferences.d,trusted.gpg.d} \
		"$dir"/state/lists/partial "$dir"/cache/archives/partial
	: >"$dir/status"
	for dist in "${dists[@]}"; do
		printf '%s [signed-by=%s] %s %s main\n' \
			deb "$keyring" "$mirror" "$dist" \
			deb-src "$keyring" "$mirror" "$dist"
	done >"$dir/etc/sources.list"
	{
		apt-config dump | grep -E '^Acquire::(http|https)::' || :
		cat <<-EOF
		Dir::Etc "$dir/etc";
		Dir::Etc::parts "$dir/etc/apt.conf.d";
		Dir::Etc::netrc "/etc/apt/auth.conf";
		Dir::Etc::netrcparts "/etc/apt/auth.conf.d";
		Dir::State "$dir/state";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Default-Release "$suite";
		APT::Get::Assume-Yes "true";
		APT::Install-Recommends "false";
		APT::Sandbox::User "";
		APT::Update::Error-Mode "any";
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

# names_of SUITE: what a mirror has it as.  Behind a cache, the lists and their
# signed index can be of two days under one name, and whole under the other.
names_of()
{
	case $1 in
	bookworm*) echo "$1" "old${1/bookworm/stable}" ;;
	trixie*) echo "$1" "${1/trixie/stable}" ;;
	forky*)	echo "$1" "${1/forky/testing}" ;;
	*)	echo "$1" ;;
	esac
}

# apt_update DIR SUITE DEBARCH MIRROR: read the lists, by the first of the suite's
# names under which they are whole and the suite's.
apt_update()
{
	local dir=$1 suite=$2 arch=$3 mirror=$4 name

	for name in $(names_of "$suite"); do
		apt_write_conf "$dir" "$suite" "$arch" "$mirror" "$name" ||
			die "cannot write to $dir"
		if APT_CONFIG=$dir/apt.conf \
		   progress "reading package lists ($name, $arch)" apt-get update &&
		   grep -qx "Codename: $suite" \
			"$dir"/state/lists/*"_dists_${name}_InRelease"; then
			echo "$mirror $name" >"$dir/fresh"
			return 0
		fi
	done
	return 1
}

# apt_refresh DIR SUITE DEBARCH: the file "fresh" has the mirror whose lists are
# there and their name, and is as old as they are.
apt_refresh()
{
	local dir=$1 mirror have='' name=''

	mirror=$(apt_mirror) || exit
	[ ! -e "$dir/fresh" ] || read -r have name <"$dir/fresh"
	if [ "$have" = "$mirror" ] && [ -n "$name" ] &&
	   [ -n "$(find "$dir/fresh" -mmin -1440)" ]; then
		return 0
	fi
	if apt_update "$@" "$mirror"; then
		return 0
	fi
	if [ "$have" != "$mirror" ]; then
		die "cannot read the package lists of $2 ($3) from $mirror"
	fi
	say "going on with the lists of $(date -r "$dir/fresh" +%F)"
	apt_write_conf "$@" "$mirror" "${name:-$2}" || die "cannot write to $dir"
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
#
# Why not mmdebstrap --variant=extract, which makes the same tree?  It could stand
# for this function alone, and takes as many lines: it has no deb_only() (a kernel's
# headers bring 50 to 80 packages with them, 60 MB more), and does not answer what
# scripts/kernels asks.  Users would miss that nothing needs to be installed here:
# apt-get, dpkg-deb and tar are on every Debian, mmdebstrap and python3 are not, and
# who is not root would have to ask for them, and for uidmap or --mode=chrootless.
# It passes over Acquire::http::Proxy of this machine's apt, and reads package lists
# anew for each tree unless it is told of ours (Dir::State::lists, --skip=update).
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

# deb_only TREE SUITE DEBARCH PKG...: the same for just these packages. Where it may fail
# (errexit is off then), nothing goes on behind what failed.
deb_only()
{
	local tree=$1 suite=$2 arch=$3 conf archives

	shift 3
	conf=$(apt_world "$suite" "$arch") || return
	tmp_dir archives "$SF_CACHE/tmp"
	(
		cd "$archives" || exit
		APT_CONFIG=$conf progress "downloading from $suite ($arch): $*" \
			apt-get -o Debug::NoLocking=1 download "$@"
	) && progress "unpacking" deb_unpack "$tree" "$archives"/*.deb || return
	rm -rf "$archives"
}

# cpio_of DIR: print DIR as a cpio archive, the form of an initial ramdisk.
cpio_of()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$SF_REPO/scripts/roots" run trixie --bind "$1" -- sh -c \
		'cd "$0" && find . -mindepth 1 | cpio -o -H newc -R 0:0 --quiet' "$1"
}

# objdump_command ARCH: one that knows its machine, to be run from here.
objdump_command()
{
	echo "$SF_REPO/scripts/roots run trixie --" \
		"/opt/binutils-2.44/$(machine_of "$1")/bin/objdump"
}

# guest_programs ARCH DIR [ARGUMENT...]: compile those of tools/tests/guest into
# DIR; the arguments are for make, whose BINUTILS are the newest if not said.
guest_programs()
{
	local machine

	machine=$(machine_of "$1")
	"$SF_REPO/scripts/roots" run trixie --bind "$2" -- \
		make -s -C "$SF_REPO/tools/tests/guest" OUT="$2" ARCH="$1" \
		CROSS="$(cross_of "$1")" GCC=gcc-14 \
		BINUTILS="-B/opt/binutils-sid/$machine/bin" "${@:3}"
}
