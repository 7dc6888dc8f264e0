#!/usr/bin/env bash
# The check of instruction sets must refuse what it is there for. Usage: check_isa_test.sh COMPILER CHECK_SCRIPT
set -euo pipefail
compiler=$1
check=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

compile() { # name flags…, source on standard input
  local name=$1
  shift
  "$compiler" -std=c++20 -x c++ "$@" -c -o "$name.o" -
}
refused() {
  if "$check" "$@" 2>message; then
    echo "not refused: $*" >&2
    exit 1
  fi
  cat message
}

compile plain -O2 <<<'int plain(int x) { return x + 1; }'
compile wide -O2 -mavx2 <<<'typedef float v __attribute__((vector_size(32))); void wide(v* x) { *x += *x; }'
compile shared -O0 <<<'inline int helper(int x) { return x; } int use(int x) { return helper(x); }'
compile starter -O0 <<<'extern int f(); namespace { int at_start = f(); int g() { return at_start; } int (*h)() = g; }'
compile table -O2 -mavx2 <<<'namespace headwise::kernels { extern const int avx2_table; const int avx2_table = 1; }'

"$check" --baseline plain.o --isa table.o
refused --baseline plain.o wide.o
refused --isa shared.o
refused --isa starter.o
echo "1 passed, 0 failed"
