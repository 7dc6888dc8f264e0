#!/usr/bin/env bash
# Fails when code for a special instruction set could run, or be picked by the linker, outside its own kernel file.
set -euo pipefail

usage() {
  cat <<'END'
Usage: check_isa.sh [--baseline OBJECT...] [--isa OBJECT...] [--library LIBRARY...]

  --baseline  objects built for the plain baseline: none may hold AVX instructions, on registers of any width
  --isa       kernel objects: besides its kernel table, none may define a symbol that other objects can see (the linker
              may keep such a copy for everybody), and none may run code before main
  --library   linked libraries: AVX instructions stand only in functions that are local to the kernel objects before
              it, whichever copy of an inline function the linker has kept and whatever else it has linked. Since kernel
              objects run nothing before main, no initialiser of the library does
END
}

# Instructions on wide registers, and all that are encoded as AVX's are: v…, masks, BMI. tzcnt is not among them, since
# older CPUs run it as bsf.
avx=$'%[yz]mm[0-9]|\t(v[a-z]|k(mov|and|or|xor|xnor|not|shift|unpck|add|test)|(andn|bextr|blsi|blsr|mulx|pdep|pext|rorx|sarx|shlx|shrx) )'
kernels=()

fail() {
  echo "check_isa: $*" >&2
  exit 1
}

check_baseline() {
  local line
  line=$(objdump -d --no-show-raw-insn "$1" | grep -m1 -E "$avx" || true)
  [ -z "$line" ] || fail "$1 is a baseline object but holds AVX code: $line"
}

check_kernel() {
  local symbols
  symbols=$(nm -C --defined-only --extern-only "$1" | grep -vE ' headwise::kernels::[a-z0-9]+_table$' || true)
  [ -z "$symbols" ] || fail "$1 shares symbols with other objects: $symbols"
  ! objdump -h "$1" | grep -qE '\.(init_array|ctors)' || fail "$1 runs code before main"
  kernels+=("$1")
}

# Names of the functions with AVX code.
avx_functions() {
  objdump -d --no-show-raw-insn "$@" | awk -v avx="$avx" '/^[0-9a-f]+ <.*>:$/ { name = $2 } $0 ~ avx { print name }' |
    sed 's/^<\(.*\)>:$/\1/' | sort -u
}

local_functions() {
  nm "$@" | awk '$2 == "t" { print $3 }' | sort -u
}

check_library() {
  local stray
  [ ${#kernels[@]} -gt 0 ] || fail "give the kernel objects before a library"
  stray=$(comm -23 <(avx_functions "$1") <(local_functions "${kernels[@]}") | c++filt | head -n 3)
  [ -z "$stray" ] || fail "$1 holds AVX code outside the kernels: $stray"
}

[ $# -gt 0 ] || { usage >&2; exit 2; }
check=
count=0
for argument in "$@"; do
  case "$argument" in
    --help) usage; exit 0 ;;
    --baseline) check=check_baseline ;;
    --isa) check=check_kernel ;;
    --library) check=check_library ;;
    *)
      [ -n "$check" ] || { usage >&2; exit 2; }
      "$check" "$argument"
      count=$((count + 1))
      ;;
  esac
done
[ "$count" -gt 0 ] || fail "no object given"
