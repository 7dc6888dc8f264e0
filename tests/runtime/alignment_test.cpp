// C22: memory at every multiple of 4 bytes works; an address inside a float is refused. Also A31: places further apart
// than 32 bits count.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include "attend.hpp"
#include "calls.hpp"
#include "expect_error.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

MultiHeadAttention layer_model(const std::string& isa, std::int64_t width) {
  AttentionConfig config;
  config.model_dim = width;
  config.num_heads = 2;
  return MultiHeadAttention(random_weights(config, 22), {isa, false});
}

// A copy of a tensor `bytes` behind a 64-byte boundary.
struct Shifted {
  Tensor memory;
  MutableTensorView view;
  Shifted(const Tensor& tensor, std::int64_t bytes) : memory(DType::u8, {tensor.size() * 4 + 64}) {
    view = {memory.data<std::uint8_t>() + bytes, DType::f32, tensor.shape()};
    std::memcpy(view.data, tensor.data(), static_cast<std::size_t>(tensor.size()) * 4);
  }
};

void check_offset(const MultiHeadAttention& model, std::int64_t length, std::int64_t bytes) {
  CAPTURE(length);
  CAPTURE(bytes);
  Random random(22);
  const Tensor x = random_tensor(random, {2, length, 12}), mask = random_tensor(random, {length, length});
  AttentionInputs inputs = inputs_of(x, x, x);
  inputs.attention_mask = mask.view();
  const Results expected = run(model, inputs, {true, true});
  const Shifted shifted_x(x, bytes), shifted_mask(mask, bytes);
  inputs = inputs_of(shifted_x.view, shifted_x.view, shifted_x.view);
  inputs.attention_mask = shifted_mask.view;
  const Shifted output(expected.output, bytes), attention(expected.attention, bytes), average(expected.average, bytes);
  for (const Shifted* shifted : {&output, &attention, &average}) {
    std::memset(shifted->view.data, 0, static_cast<std::size_t>(element_count(shifted->view.shape)) * 4);
  }
  Session(model, {1, Schedule::automatic}).run(inputs, {output.view, attention.view, average.view});
  CHECK(same_bits(copy_of(output.view), expected.output));
  CHECK(same_bits(copy_of(attention.view), expected.attention));
  CHECK(same_bits(copy_of(average.view), expected.average));
}

// Address space without memory behind it, until it is touched.
struct Reservation {
  static constexpr std::size_t bytes = std::size_t{18} << 30;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  Reservation() = default;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    if (given()) ::munmap(data, bytes);
  }
  bool given() const { return data != MAP_FAILED; }
  // [2, rows, columns] with this many elements between the two sequences, starting `first` elements behind the start.
  MutableTensorView view(std::int64_t first, std::int64_t stride, std::int64_t rows, std::int64_t columns) const {
    return {static_cast<float*>(data) + first, DType::f32, {2, rows, columns}, {stride, columns, 1}};
  }
};

void check_far_apart(const Reservation& memory, std::int64_t stride, const std::string& isa) {
  CAPTURE(stride);
  Random random(31);
  const Tensor x = random_tensor(random, {2, 2, 4});
  const MutableTensorView far = memory.view(0, stride, 2, 4), output = memory.view(64, stride, 2, 4),
                          average = memory.view(128, stride, 2, 2);
  for (std::int64_t b = 0; b < 2; ++b) std::memcpy(static_cast<float*>(far.data) + b * stride, x.data() + b * 8, 32);
  const MultiHeadAttention model = layer_model(isa, 4);
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    Session(model, {1, schedule}).run(inputs_of(far, far, far), {output, {}, average});
    const Results expected = run(model, inputs_of(x, x, x), {true, true});
    CHECK(same_bits(copy_of(output), expected.output));
    CHECK(same_bits(copy_of(average), expected.average));
  }
}

void check_heads_far_apart(const Reservation& memory, std::int64_t stride, const std::string& isa) {
  CAPTURE(stride);
  Random random(32);
  const Tensor x = random_tensor(random, {2, 1, 2, 4});
  for (std::int64_t b = 0; b < 2; ++b) std::memcpy(static_cast<float*>(memory.data) + b * stride, x.data() + b * 8, 32);
  const TensorView far(memory.data, DType::f32, {2, 1, 2, 4}, {stride, 8, 4, 1});
  float* behind = static_cast<float*>(memory.data) + 64;
  const MutableTensorView output(behind, DType::f32, {2, 1, 2, 4}, {stride, 8, 4, 1});
  const MultiHeadAttention model = heads_model(inputs_of(x, x, x), isa);
  Session(model, {1, Schedule::automatic}).run(inputs_of(far, far, far), {output, {}, {}});
  CHECK(same_bits(copy_of(output), run(model, inputs_of(x, x, x)).output));
}

}  // namespace

TEST_CASE("C22: every multiple of four bytes from a cache line") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model = layer_model(isa, 12);
    for (std::int64_t bytes = 0; bytes < 64; bytes += 4) {
      for (const std::int64_t length : {1, 2, 19}) check_offset(model, length, bytes);
    }
  }
}

TEST_CASE("C22: an address inside a float is refused, for every tensor") {
  const MultiHeadAttention model = layer_model("", 12);
  Session session(model, {1, Schedule::automatic});
  const auto x = [](std::int64_t bytes) { return Shifted(filled({1, 2, 12}, 1), bytes); };
  const Shifted good = x(0), bad = x(1), output = x(0), square(Tensor({2, 2}), 1), weights(Tensor({1, 2, 2, 2}), 1);
  const auto refuse = [&](const char* name, const AttentionInputs& inputs, const AttentionOutputs& outputs) {
    expect_error(ErrorCode::invalid_argument, {name, "multiple of the size of"}, [&] { session.run(inputs, outputs); });
  };
  const AttentionInputs inputs = inputs_of(good.view, good.view, good.view);
  const AttentionOutputs outputs{output.view, {}, {}};
  refuse("query", inputs_of(bad.view, good.view, good.view), outputs);
  refuse("key", inputs_of(good.view, bad.view, good.view), outputs);
  refuse("value", inputs_of(good.view, good.view, bad.view), outputs);
  refuse("output", inputs, {bad.view, {}, {}});
  refuse("attention", inputs, {output.view, weights.view, {}});
  refuse("average_attention", inputs,
         {output.view,
          {},
          TensorView(square.view).given ? MutableTensorView(square.view.data, DType::f32, {1, 2, 2}) : square.view});
  AttentionInputs masked = inputs;
  masked.attention_mask = square.view;
  refuse("attention_mask", masked, outputs);
  masked.attention_mask = {};
  masked.key_padding_mask = slice(square.view, 0, 0, 1);
  refuse("key_padding_mask", masked, outputs);
  masked.key_padding_mask = {};
  masked.key_lengths = TensorView(good.memory.data<std::uint8_t>() + 4, DType::i64, {1});
  refuse("key_lengths", masked, outputs);
}

TEST_CASE("A31: sequences more than 2^31 and 2^32 elements apart") {
  const Reservation memory;
  if (!memory.given()) {
    MESSAGE("skipped: this machine does not reserve 18 GiB of address space");
    return;
  }
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    for (const std::int64_t stride : {(std::int64_t{1} << 31) + 64, (std::int64_t{1} << 32) + 64}) {
      check_far_apart(memory, stride, isa);
      check_heads_far_apart(memory, stride, isa);
    }
  }
}

TEST_CASE("A31: planned sizes of 65536 queries and keys are exact") {
  constexpr std::int64_t length = 65536, threads = 3;
  // Nothing is read or written, so addresses that are nobody's will do.
  const auto address = [](int bit) { return reinterpret_cast<void*>(std::uintptr_t{1} << bit); };
  const TensorView heads(address(42), DType::f32, {1, 2, length, 16});
  const MutableTensorView output(address(43), DType::f32, {1, 2, length, 16}, {1 << 30, 1 << 28, 32, 1});
  const MutableTensorView average(address(44), DType::f32, {1, length, length}, {1, length * 2, 1});
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model = heads_model(inputs_of(heads, heads, heads), isa);
    const Session session(model, {threads, Schedule::wide});
    const kernels::KernelTable& table = *kernels::find_kernels(isa.c_str());
    const std::size_t kernel = (table.scratch_bytes({length, 16, 16}) + 63) / 64 * 64;
    const std::size_t block = static_cast<std::size_t>(table.query_block) * length * sizeof(float);
    const Explanation plain = session.explain(inputs_of(heads, heads, heads), {output, {}, {}});
    CHECK(plain.scratch_bytes == threads * kernel);
    const Explanation mean = session.explain(inputs_of(heads, heads, heads), {output, {}, average});
    CHECK(mean.scratch_bytes == threads * (kernel + 2 * block));
    CHECK(plain.steps[0].flops == 2.0 * 2 * length * length * 32);
  }
}
