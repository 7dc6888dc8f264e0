#!/usr/bin/env bash
# Fails when code for a special instruction set could run, or be picked by the linker, outside its own kernel file.
set -euo pipefail

usage() {
  cat <<'END'
Usage: check_isa.sh --baseline OBJECT... --isa OBJECT...

  --baseline  objects built for the plain baseline: none may hold ymm or zmm registers
  --isa       kernel objects: besides its kernel table, none may define a symbol that other objects can see (the linker
              may keep such a copy for everybody), and none may run code before main
END
}

fail() {
  echo "check_isa: $*" >&2
  exit 1
}

check_baseline() {
  local line
  line=$(objdump -d --no-show-raw-insn "$1" | grep -m1 -E '%[yz]mm[0-9]' || true)
  [ -z "$line" ] || fail "$1 is a baseline object but uses wide registers: $line"
}

check_kernel() {
  local symbols
  symbols=$(nm -C --defined-only --extern-only "$1" | grep -vE ' headwise::kernels::[a-z0-9]+_table$' || true)
  [ -z "$symbols" ] || fail "$1 shares symbols with other objects: $symbols"
  ! objdump -h "$1" | grep -qE '\.(init_array|ctors)' || fail "$1 runs code before main"
}

[ $# -gt 0 ] || { usage >&2; exit 2; }
check=
count=0
for argument in "$@"; do
  case "$argument" in
    --help) usage; exit 0 ;;
    --baseline) check=check_baseline ;;
    --isa) check=check_kernel ;;
    *)
      [ -n "$check" ] || { usage >&2; exit 2; }
      "$check" "$argument"
      count=$((count + 1))
      ;;
  esac
done
[ "$count" -gt 0 ] || fail "no object given"
