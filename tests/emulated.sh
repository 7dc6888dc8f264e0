#!/usr/bin/env bash
# Runs the library as older CPUs and another architecture would, under the emulator of QEMU.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build/release"
cross="$root/build/aarch64"
headers="$cross/include"
logs="$root/build/emulated"

# A CPU, and the kernels that it must choose. QEMU 7.2 has no AVX-512: those CPUs stand for machines whose features are
# only in part what the AVX-512 kernels need.
cpus=(
  "Nehalem sse2"
  "SandyBridge sse2"
  "Haswell avx2"
  "Skylake-Server avx2"
)

usage() {
  cat <<END
Usage: tests/emulated.sh [quick|full] [--help]

quick (default): as each of some older CPUs, the command says which kernels it chose and runs a layer; as the two that
  differ most (Nehalem and Haswell) some tests of the kernels run too; then all tests of the kernels for aarch64,
  cross-compiled
full: all tests of kernels, products, runtime, encoders and tokenizers as those two

Needs the release preset built, qemu-user and g++-aarch64-linux-gnu.
END
}

say() { echo "emulated: $*" >&2; }
fail() {
  say "$@"
  exit 1
}

# Threads that spin for each other are as good as stopped under the emulator. QEMU 7.2 ends code that oneDNN makes for
# AVX with a segmentation fault (as every CPU with AVX, in products that real CPUs get right), so tests of the library on
# such CPUs keep oneDNN to what Nehalem has.
as_cpu() {
  local cpu="$1"
  shift
  OMP_WAIT_POLICY=passive qemu-x86_64 -cpu "$cpu" "$@" 2> >(grep -v "TCG doesn't support requested feature" >&2)
}

check_choice() {
  local cpu="$1" isa="$2" chosen
  chosen="$(as_cpu "$cpu" "$build/headwise" info | sed -n 's/^kernels *\(.*\): in use$/\1/p')"
  [[ "$chosen" == "$isa" ]] || fail "as $cpu the kernels are '$chosen', expected $isa"
}

check_layer() {
  local cpu="$1"
  as_cpu "$cpu" "$build/headwise" verify "$root/tests/data/tiny_bert/model.safetensors" >/dev/null ||
    fail "as $cpu a layer differs from float64"
  say "$cpu: a layer is right"
}

# Asking for kernels that the CPU lacks is an error that says so, never an illegal instruction.
check_refusal() {
  local isa status=0 text
  for isa in avx2 avx512; do
    text="$(HEADWISE_ISA="$isa" as_cpu Nehalem "$build/headwise" verify \
      "$root/tests/data/tiny_bert/model.safetensors" 2>&1)" && fail "as Nehalem $isa was not refused"
    status=$?
    [[ "$text" == *"$isa"*"CPU"* ]] || fail "as Nehalem $isa ended with $status: $text"
  done
  say "Nehalem: kernels beyond the CPU are refused"
}

run_test() {
  local cpu="$1" room="$2" log="$logs/$1.log"
  shift 2
  ONEDNN_MAX_CPU_ISA=SSE41 as_cpu "$cpu" "$build/tests/$room/test_$room" "$@" >"$log" 2>&1 ||
    fail "as $cpu the tests of $room failed: $(tail -20 "$log")"
}

quick_tests() {
  local cpu="$1"
  run_test "$cpu" kernels --test-case='dispatch*,kernels: every length*,slices*'
  say "$cpu: quick tests passed"
}

# Allocations are those of the emulator too, and numbers of threads are no matter of the CPU: half of the time. QEMU 7.2
# ends with a failed assertion of its own when a forked child starts a thread.
full_tests() {
  local cpu="$1" room
  for room in kernels projection runtime encoder tokenizer; do
    run_test "$cpu" "$room" --test-case-exclude='*allocation*,*number of threads*,*in a child*'
    say "$cpu: all tests of $room passed"
  done
}

# On each CPU at once, since emulated threads leave much of two real ones unused.
tests_of_all() {
  local choice="$1" cpu process processes=() failed=0
  for cpu in Nehalem Haswell; do
    "${choice}_tests" "$cpu" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do wait "$process" || failed=1; done
  return "$failed"
}

# The compiler's own headers must come first, so the two libraries are shown through links.
cross_tests() {
  local log="$logs/aarch64.log"
  mkdir -p "$headers"
  ln -sfn /usr/include/xsimd "$headers/xsimd"
  ln -sfn /usr/include/doctest "$headers/doctest"
  cmake -S "$root/tests/emulated" -B "$cross" -G Ninja -DCMAKE_BUILD_TYPE=Release --log-level=WARNING \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DHEADWISE_XSIMD_INCLUDE_DIR="$headers"
  cmake --build "$cross"
  qemu-aarch64 -L /usr/aarch64-linux-gnu "$cross/test_kernels" >"$log" 2>&1 || fail "on aarch64: $(tail -20 "$log")"
  say "aarch64: all kernel tests passed"
}

main() {
  local choice="${1-quick}" pair cpu isa
  case "$choice" in
    quick | full) ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  mkdir -p "$logs"
  command -v qemu-x86_64 >/dev/null || fail "there is no qemu-x86_64; install the package qemu-user"
  for pair in "${cpus[@]}"; do
    read -r cpu isa <<<"$pair"
    check_choice "$cpu" "$isa"
    check_layer "$cpu"
  done
  # oneDNN 2.6.3 takes FMA for granted where there is AVX2, so that it must be told.
  check_choice Haswell,-fma sse2
  ONEDNN_MAX_CPU_ISA=AVX check_layer Haswell,-fma
  check_refusal
  tests_of_all "$choice"
  cross_tests
}

main "$@"
