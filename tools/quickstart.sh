#!/usr/bin/env bash
# From a fresh checkout to attention output: installs, builds, fetches a real model and runs its first layer.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
sentence="The bank was full of money."
page="build/quickstart/heads.html"

usage() {
  cat <<END
Usage: tools/quickstart.sh [--help]

1. installs the Debian packages that are missing (as root, or through sudo)
2. builds build/release/headwise
3. fetches the weights of all-MiniLM-L6-v2 into build/models (91 MB)
4. runs the model's first attention layer on the sentence "$sentence"
5. writes a page that shows all heads of the model on that sentence, and asks which heads tie bank to money
END
}

step() { printf '\n== %s\n' "$*"; }

build() {
  cmake --preset release -Wno-dev --log-level=WARNING
  cmake --build --preset release --target headwise_tool
}

# The model's folder as the user would type it.
short_path() { realpath --relative-to="$root" "$1"; }

next_steps() {
  cat <<END

The output and the attention weights are in build/quickstart/*.npy. What to try next:
  build/release/headwise inspect $1
  build/release/headwise verify $1 --layer 1
  build/release/headwise explain $1 --length 512
  build/release/headwise inspect build/quickstart/attention.npy
  build/release/headwise run --help
END
  printf '\nAll heads on "%s": open %s in a browser.\n' "$sentence" "$root/$page"
  if [[ "$1" == tests/* ]]; then
    printf 'The weights of the small model are random: its heads show how the page works, not what models learn.\n'
  fi
}

see_heads() {
  rm -f "$page"
  step "build/release/headwise view $1 --text \"$sentence\" -o $page"
  build/release/headwise view "$1" --text "$sentence" -o "$page"
  step "build/release/headwise ask-heads $1 --text \"$sentence\" --from bank --to money --top 5"
  build/release/headwise ask-heads "$1" --text "$sentence" --from bank --to money --top 5
}

main() {
  case "${1-}" in
    "") ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  cd "$root"
  step "Packages"
  tools/install_packages.sh
  step "Build"
  build
  step "Model"
  local model weights
  model="$(short_path "$(tools/fetch_model.sh)")"
  weights="$model/model.safetensors"
  step "Hidden states of \"$sentence\""
  mkdir -p build/quickstart
  python3 tools/make_hidden_states.py "$model" "$sentence" -o build/quickstart/bank.npy

  local command=(build/release/headwise run "$weights" --layer 0 --query build/quickstart/bank.npy
    --output build/quickstart/output.npy --attention build/quickstart/attention.npy)
  step "${command[*]}"
  "${command[@]}"
  see_heads "$model"
  next_steps "$weights"
}

main "$@"
