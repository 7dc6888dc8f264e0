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
compile narrow -O2 -mavx <<<'float narrow(float x) { return x * 3 + 1; }'
compile moves -O2 -mbmi2 <<<'long moves(long x, int by) { return x << by; }'
compile table -O2 -mavx2 <<<'namespace headwise::kernels { extern const int avx2_table; const int avx2_table = 1; }'

"$check" --baseline plain.o --isa table.o
refused --baseline plain.o wide.o
refused --baseline plain.o narrow.o
refused --baseline plain.o moves.o
refused --isa shared.o
refused --isa starter.o

# What the linker makes of them: the copy of an inline function that it keeps is the first it meets.
link_library() { # name, objects…
  local name=$1
  shift
  "$compiler" -shared -o "$name" "$@"
}
compile other -O0 -fPIC -mavx2 <<<'inline float f(float x) { return x * 2; } float g(float x) { return f(x); }'
compile user -O0 -fPIC <<<'inline float f(float x) { return x * 2; } float h(float x) { return f(x); }'
compile kernel -O2 -fPIC -mavx2 <<'END'
namespace headwise::kernels {
static void wide(float* x) { for (int i = 0; i < 64; ++i) x[i] *= 3; }
extern void (*const avx2_table)(float*);
void (*const avx2_table)(float*) = wide;
}
END
link_library good.so kernel.o plain.o
link_library bad.so kernel.o other.o user.o
nm kernel.o | grep -q ' t .*wide'
"$check" --isa kernel.o --library good.so
refused --isa kernel.o --library bad.so
refused --library good.so
echo "1 passed, 0 failed"
