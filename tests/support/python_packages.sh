# shellcheck shell=bash
# Sourced by the scripts whose tests need packages of Python, with their name in $suite.

say() { echo "${suite:?}: $*" >&2; }

fail() {
  say "$@"
  exit 1
}

# prepare_packages REQUIREMENTS VENV: a virtual environment with exactly these packages. A copy of the list is its stamp,
# written last, so that a broken installation is done again.
prepare_packages() {
  local requirements="$1" venv="$2"
  if cmp --silent "$requirements" "$venv/requirements.txt"; then
    say "the packages are there"
    return
  fi
  say "installing the packages of requirements.txt, once"
  mkdir -p "$(dirname "$venv")"
  python3 -m venv --clear "$venv" || fail "no virtual environment: is the package python3-venv installed?"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" >&2 ||
    fail "the packages cannot be installed: is the Python package index reachable?"
  cp "$requirements" "$venv/requirements.txt"
}
