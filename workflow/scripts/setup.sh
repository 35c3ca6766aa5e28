# Functions that ./reproduce and unpack-tex share: messages, and installing or unpacking Debian packages. Both scripts
# set `cache`, the folder of logs and downloads.
# shellcheck shell=bash disable=SC2154

say() { printf 'reproduce: %s\n' "$@" >&2; }
die() { say "$@"; exit 1; }    # an operation has failed
refuse() { say "$@"; exit 2; } # a condition is not met, and nothing was started
have() { type -P "$1" >/dev/null; }

# Runs a command, and prints its output only if it fails.
quietly() { # COMMAND...
  local words
  words=$("$@" 2>&1) && return
  printf '%s\n' "$words" >&2
  return 1
}

# Prints the command that runs another one as root: `sudo -n`, or nothing if the user is root. Fails if sudo is missing
# or needs a password.
rights() {
  if [[ $(id -u) == 0 ]]; then return; fi
  have sudo && sudo -n true 2>/dev/null && echo sudo -n
}

install_packages() { # PACKAGE...
  local sudo
  sudo=$(rights) || return 1
  touch "$cache/installing"
  : >"$cache/apt.log"
  # Ignore the status of `update`, which only warns if there is no network; `install` then fails. If an earlier apt was
  # interrupted, `install` requires `dpkg --configure -a` first.
  # shellcheck disable=SC2086  # $sudo is two words or none
  logged $sudo apt-get -q update || true
  apt_install "$@" ||
    { grep -q 'dpkg --configure -a' "$cache/apt.log" && complete_dpkg && apt_install "$@"; } ||
    { apt_failed; return 1; }
  rm "$cache/installing"
}

# Installs packages. Waits for at most 300 s if another apt or dpkg holds the lock.
apt_install() { # PACKAGE...
  # shellcheck disable=SC2086  # $sudo is two words or none
  logged $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends --fix-broken install "$@"
}

complete_dpkg() {
  # shellcheck disable=SC2086  # $sudo is two words or none
  logged $sudo env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || true # it fails if apt must still download packages
}

logged() { # COMMAND...
  "$@" </dev/null >>"$cache/apt.log" 2>&1
}

# Whether an installation was interrupted. Its packages may look complete, but lack the last steps of their set-up.
install_was_cut_off() { [[ -e $cache/installing ]]; }

# Unpacks packages into a folder, without root. apt downloads them with its own lists and archives in `cache`, and
# dpkg-deb unpacks them. Packages that the system has are not downloaded.
unpack_packages() { # FOLDER PACKAGE...
  local folder=$1 apt=$cache/apt deb
  local options=(-q -y --no-install-recommends -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=true -o APT::Sandbox::User=root)
  rm -rf "$apt/archives"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$folder"
  : >"$cache/apt.log"
  logged apt-get "${options[@]}" -o Acquire::Languages=none update || true
  logged apt-get "${options[@]}" --download-only install "${@:2}" || { apt_failed; return 1; }
  for deb in "$apt"/archives/*.deb; do
    [[ ! -e $deb ]] || dpkg-deb -x "$deb" "$folder" || return 1
  done
  rm -rf "$apt"
}

# Prints the first file that apt could not download, and the first error.
apt_failed() {
  say "apt-get did not succeed (its whole output is in .cache/apt.log):" \
    "$(awk '(/^W: Failed to fetch/ && !w++) || (/^E:/ && !e++) || /not found$/ { print "   ", $0 }' "$cache/apt.log")"
  return 1
}
