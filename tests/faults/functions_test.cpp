// The public functions beside loading and calls: memory that runs out is Error(out_of_memory) from each of them.
#include "each_failure.hpp"
#include "headwise/headwise.hpp"
#include "headwise/limits.hpp"

using namespace headwise;

namespace {

template <class Function>
void check(const Function& function, std::optional<ErrorCode> refusal = {}) {
  CHECK(fail_each_allocation([&](Fault& fault) { fault(function, refusal); }) >= 0);
}

// Errors with messages too long for the string itself.
template <class Function>
void check_refusal(const Function& function) {
  check(function, ErrorCode::invalid_argument);
}

LimitOptions briefly() {
  LimitOptions options;
  options.seconds = 1e-4;
  return options;
}

const AttentionConfig config{.model_dim = 8, .num_heads = 2};

}  // namespace

TEST_CASE("out of memory: tensors") {
  const Tensor tensor(DType::f32, {3, 4});
  check([] { Tensor made(DType::f32, {3, 4}); });
  check([&] { Tensor copy = tensor; });
  check([&] { convert(tensor, DType::f16); });
  check([] { to_string(Dims{100000, 100000, 100000, 100000}); });
}

TEST_CASE("out of memory: refusals of tensors and shapes") {
  const std::int64_t sizes[9] = {};
  check_refusal([&] { Dims(sizes, 9); });
  check_refusal([] { element_count({-1}); });
  check_refusal([] { contiguous_strides({-1}); });
  check_refusal([] { Tensor(DType::f32, {1LL << 62}); });
  check_refusal([] { Tensor().data(); });
  check_refusal([] { Tensor(DType::f32, {2}).data<double>(); });
  check_refusal([] { TensorView(nullptr, DType::f32, {-1}); });
  check_refusal([] { convert({}, DType::f32); });
}

TEST_CASE("out of memory: weights") {
  const AttentionWeights weights = random_weights(config, 1);
  check([&] { random_weights(config, 1); });
  const std::vector<std::int64_t> heads{1}, missing{7};
  check([&] { keep_heads(weights, heads); });
  check_refusal([&] { keep_heads(weights, missing); });
  check_refusal([] { resolve({.model_dim = -1}); });
  const std::string file = std::string(HEADWISE_TEST_DATA) + "/tiny_bert/model.safetensors";
  check([&] { heads_from_config(file); });
}

TEST_CASE("out of memory: positions") {
  const RotaryConfig rotary{.dim = 4, .scaling = RotaryScaling::yarn, .factor = 2, .original_positions = 8};
  check([&] { rotary_frequencies(rotary); });
  check_refusal([] { rotary_magnitude({.dim = 3}); });
  check([] { alibi_slopes(8); });
  check_refusal([] { alibi_slopes(-1); });
  check_refusal([] { t5_bucket(1, -1, {}); });
  const Tensor x({1, 1, 2, 4}), angles({2, 2});
  Tensor y({1, 1, 2, 4}), ids(DType::i64, {1, 2});
  check_refusal([&] { apply_rotary({.input = x, .cos = angles}, y); });
}

TEST_CASE("out of memory: caches") {
  check([] { KvCache cache(config, {.batch = 2, .capacity = 8}); });
  KvCache cache(config, {.batch = 2, .capacity = 8});
  check([&] { cache.fork(); });
  check_refusal([&] { cache.length(9); });
  check_refusal([&] { cache.oldest(9); });
  check_refusal([&] { cache.truncate(0, 9); });
  check_refusal([&] { cache.roll_back(0, 9); });
  check_refusal([&] { cache.copy_row(0, 9); });
  check_refusal([&] { cache.append({}, {}); });
  check_refusal([&] { scatter_rows({}, {}, {}); });
}

TEST_CASE("out of memory: partial attention") {
  const Tensor context({1, 2, 3, 4}), sums({1, 2, 3});
  Tensor result({1, 2, 3, 4});
  std::vector<PartialAttention> slices(20, {context, sums});
  check([&] { merge_partials(slices, result); });
  check_refusal([&] { merge_partials({}, result); });
}

TEST_CASE("out of memory: what says something about the build and the machine") {
  check([] { list_isas(); });
  check([] { resolve_isa("auto"); });
  const std::string unknown = "no such instruction set";
  check_refusal([&] { resolve_isa(unknown); });
  check([] { memory_levels(); });
  check([] { measure_fma_peak(briefly()); });
  check([] { measure_read_bandwidth(1 << 14, briefly()); });
}
