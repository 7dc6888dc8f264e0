#!/usr/bin/env bash
# Installs the Debian packages that building and testing headwise needs, those that are missing and no others.
set -euo pipefail

packages=(
  g++ cmake ninja-build binutils git
  libdnnl-dev libxsimd-dev libcli11-dev nlohmann-json3-dev libzip-dev libutf8proc-dev
  doctest-dev libbenchmark-dev pkg-config dpkg-dev
  qemu-user g++-aarch64-linux-gnu
  clang-format-14 python3 python3-pip python3-venv
  clang-14 libclang-rt-14-dev libomp-14-dev gcovr
  locales zsh fish groff-base
  chromium
)

usage() {
  cat <<END
Usage: tools/install_packages.sh [--help]

Installs what is missing of: ${packages[*]}
Works on Debian 12 as root or through sudo. On other systems it only says what is needed.
END
}

say() { echo "install_packages: $*" >&2; }

# What cannot be installed may be there all the same, from another source.
check_tools() {
  local tool missing=()
  for tool in g++ cmake ninja python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if ((${#missing[@]} > 0)); then
    say "these programs are missing: ${missing[*]}"
    exit 1
  fi
  say "going on with what is there; CMake will name a library that is missing"
}

is_installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

main() {
  case "${1-}" in
    "") ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no apt-get here; headwise needs the equivalents of: ${packages[*]}"
    check_tools
    exit 0
  fi

  local package missing=()
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    say "all packages are there"
    exit 0
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    say "missing: ${missing[*]}; run as root, or install sudo"
    check_tools
    exit 0
  fi
  say "installing ${missing[*]}"
  # Standard output belongs to the caller's results.
  as_root apt-get update --quiet=2 >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}" >&2
}

main "$@"
