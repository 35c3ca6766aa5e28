# What ./reproduce and unpack-tex share: messages, and Debian packages installed or merely unpacked. They set `cache`.
# shellcheck shell=bash disable=SC2154

say() { printf 'reproduce: %s\n' "$@" >&2; }
die() { say "$@"; exit 1; }    # what was begun has failed
refuse() { say "$@"; exit 2; } # nothing was begun
have() { type -P "$1" >/dev/null; }

# Runs what has something to say only where it fails: neither warnings nor the last words of what Ctrl-C ends.
quietly() { # COMMAND...
  local words
  words=$("$@" 2>&1) && return
  printf '%s\n' "$words" >&2
  return 1
}

# Prints the command that gives root's rights, nothing for root; fails where there is none without a password.
rights() {
  if [[ $(id -u) == 0 ]]; then return; fi
  have sudo && sudo -n true 2>/dev/null && echo sudo -n
}

install_packages() { # PACKAGE...
  local sudo
  sudo=$(rights) || return 1
  touch "$cache/installing"
  : >"$cache/apt.log"
  # `update` only warns without a network, so the status that counts is that of `install`. An apt that was cut off
  # has left dpkg something to do, and the next one says so and does not begin.
  # shellcheck disable=SC2086  # $sudo is two words or none
  logged $sudo apt-get -q update || true
  apt_install "$@" ||
    { grep -q 'dpkg --configure -a' "$cache/apt.log" && complete_dpkg && apt_install "$@"; } ||
    { apt_failed; return 1; }
  rm "$cache/installing"
}

# Another apt may hold the lock, or a dpkg that has outlived its apt: it is waited for.
apt_install() { # PACKAGE...
  # shellcheck disable=SC2086  # $sudo is two words or none
  logged $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends --fix-broken install "$@"
}

complete_dpkg() {
  # shellcheck disable=SC2086  # $sudo is two words or none
  logged $sudo env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || true # not without what apt still has to fetch
}

logged() { # COMMAND...
  "$@" </dev/null >>"$cache/apt.log" 2>&1
}

# What is installed may look whole and lack its last steps.
install_was_cut_off() { [[ -e $cache/installing ]]; }

# Needs no rights: apt downloads with lists and archives of its own, dpkg-deb unpacks. What the system has
# already is not downloaded.
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

# Shows the first file that could not be fetched (no network?) and the first error.
apt_failed() {
  say "apt-get did not succeed (all it said is in .cache/apt.log):" \
    "$(awk '(/^W: Failed to fetch/ && !w++) || (/^E:/ && !e++) || /not found$/ { print "   ", $0 }' "$cache/apt.log")"
  return 1
}
