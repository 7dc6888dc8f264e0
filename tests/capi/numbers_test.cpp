// Tensors, .npy files and positions through C.
#include "c_objects.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

Tensor tensor_of(const headwise_tensor* tensor) {
  headwise_view view{};
  check_ok(headwise_tensor_view(tensor, &view));
  CHECK(view.strides == nullptr);
  return copy_of({view.data, static_cast<DType>(view.dtype), Dims(view.shape, std::size_t(view.rank))});
}

}  // namespace

TEST_CASE("C tensors: every dtype has its size and name") {
  for (headwise_dtype dtype = HEADWISE_F32; dtype <= HEADWISE_BOOL; ++dtype) {
    CHECK(headwise_dtype_size(dtype) == dtype_size(static_cast<DType>(dtype)));
    CHECK(std::string(headwise_dtype_name(dtype)) == dtype_name(static_cast<DType>(dtype)));
  }
  for (const headwise_dtype none : {-1, 13, INT32_MAX, INT32_MIN}) {
    CHECK(headwise_dtype_size(none) == 0);
    CHECK(std::string(headwise_dtype_name(none)) == "unknown");
  }
  CHECK(std::string(headwise_dtype_name(HEADWISE_BF16)) == "bf16");
}

TEST_CASE("C tensors: made, written, stored, loaded and converted") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "x.npy").string();
  OwnedTensor tensor, loaded, half;
  const std::int64_t shape[] = {2, 3};
  check_ok(headwise_tensor_create(HEADWISE_F32, 2, shape, tensor.to()));
  headwise_mutable_view memory{};
  check_ok(headwise_tensor_mutable_view(tensor, &memory));
  for (int i = 0; i < 6; ++i) static_cast<float*>(memory.data)[i] = float(i) / 4;
  headwise_view view{};
  check_ok(headwise_tensor_view(tensor, &view));
  CHECK(view.data == memory.data);
  check_ok(headwise_save_npy(path.c_str(), &view));
  check_ok(headwise_load_npy(path.c_str(), loaded.to()));
  CHECK(same_bits(tensor_of(loaded), tensor_of(tensor)));
  const std::int64_t strides[] = {1, 2};
  view.shape[0] = 2;
  view.shape[1] = 3;
  view.strides = strides;
  check_ok(headwise_convert(&view, HEADWISE_F64, half.to()));
  const Tensor turned = tensor_of(half);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) CHECK(turned.data<double>()[i * 3 + j] == double(i + 2 * j) / 4);
  }
  OwnedTensor other;
  check_refused(HEADWISE_UNSUPPORTED, {}, headwise_convert(&view, HEADWISE_I8, other.to()));
  check_invalid({"dtype"}, headwise_convert(&view, 13, other.to()));
  check_invalid({"dtype"}, headwise_tensor_create(-1, 2, shape, other.to()));
  check_invalid({"rank"}, headwise_tensor_create(HEADWISE_F32, 9, shape, other.to()));
  check_refused(HEADWISE_IO, {"/no/such/file"}, headwise_load_npy("/no/such/file", other.to()));
  check_refused(HEADWISE_BAD_FILE, {}, headwise_load_npy(folder.write("bad.npy", "no numbers").c_str(), other.to()));
  check_refused(HEADWISE_IO, {}, headwise_save_npy("/no/such/folder/x.npy", &view));
  view.data = nullptr;
  check_invalid({}, headwise_save_npy(path.c_str(), &view));
  check_invalid({}, headwise_convert(&view, HEADWISE_F64, other.to()));
  CHECK(other.handle == nullptr);
}

TEST_CASE("C positions: frequencies, slopes and buckets are those of C++") {
  RotaryConfig config{.dim = 8, .scaling = RotaryScaling::yarn, .factor = 4, .original_positions = 32};
  config.beta_fast = 3;
  config.beta_slow = 0.25;
  config.attention_factor = 1.5;
  auto c = ready<headwise_rotary_config>();
  c.dim = 8;
  c.scaling = HEADWISE_SCALING_YARN;
  c.factor = 4;
  c.original_positions = 32;
  c.beta_fast = 3;
  c.beta_slow = 0.25;
  c.attention_factor = 1.5;
  double frequencies[5] = {}, magnitude = 0;
  check_ok(headwise_rotary_frequencies(&c, 5, frequencies));
  const std::vector<double> expected = rotary_frequencies(config);
  for (std::size_t i = 0; i < 4; ++i) CHECK(frequencies[i] == expected[i]);
  CHECK(frequencies[4] == 0);
  check_ok(headwise_rotary_magnitude(&c, &magnitude));
  CHECK(magnitude == rotary_magnitude(config));
  c.scaling = HEADWISE_SCALING_LLAMA3;
  c.base = 100;
  c.low_frequency_factor = 2;
  c.high_frequency_factor = 5;
  check_ok(headwise_rotary_frequencies(&c, 5, frequencies));
  config.scaling = RotaryScaling::llama3;
  config.base = 100;
  config.low_frequency_factor = 2;
  config.high_frequency_factor = 5;
  CHECK(std::vector<double>(frequencies, frequencies + 4) == rotary_frequencies(config));
  check_invalid({"frequencies", "3", "4"}, headwise_rotary_frequencies(&c, 3, frequencies));
  float slopes[6] = {};
  check_ok(headwise_alibi_slopes(6, HEADWISE_ALIBI_INTERLEAVED, 0, 6, slopes));
  CHECK(std::vector<float>(slopes, slopes + 6) == alibi_slopes(6));
  check_ok(headwise_alibi_slopes(6, HEADWISE_ALIBI_GEOMETRIC, 4, 6, slopes));
  CHECK(std::vector<float>(slopes, slopes + 6) == alibi_slopes(6, AlibiSlopes::geometric, 4));
  check_invalid({"slopes", "5"}, headwise_alibi_slopes(6, HEADWISE_ALIBI_GEOMETRIC, 4, 5, slopes));
  check_invalid({"scheme"}, headwise_alibi_slopes(6, 2, 4, 6, slopes));
  check_invalid({}, headwise_alibi_slopes(-1, 0, 4, 6, slopes));
  for (const int one_way : {0, 1}) {
    auto bias = ready<headwise_bias_config>();
    bias.unidirectional = one_way;
    bias.max_distance = 64;
    for (const std::int64_t distance : {-1000, -9, 0, 3, 70}) {
      std::int64_t bucket = -1;
      check_ok(headwise_t5_bucket(distance, 32, &bias, &bucket));
      CHECK(bucket == t5_bucket(distance, 32, {.bidirectional = one_way == 0, .max_distance = 64}));
    }
  }
}

TEST_CASE("C positions: enumerations that are none") {
  double frequencies[4] = {};
  std::int64_t bucket = 0;
  for (const std::int32_t value : {-1, 9, INT32_MAX}) {
    auto rotary = ready<headwise_rotary_config>();
    rotary.dim = 4;
    rotary.layout = value;
    check_invalid({"layout"}, headwise_rotary_frequencies(&rotary, 4, frequencies));
    rotary.layout = 0;
    rotary.scaling = value;
    check_invalid({"scaling"}, headwise_rotary_frequencies(&rotary, 4, frequencies));
    auto bias = ready<headwise_bias_config>();
    bias.kind = value;
    check_invalid({"kind"}, headwise_t5_bucket(1, 32, &bias, &bucket));
    bias.kind = 0;
    bias.slopes = value;
    check_invalid({"slopes"}, headwise_t5_bucket(1, 32, &bias, &bucket));
    bias.slopes = 0;
    bias.unidirectional = value;
    check_invalid({"unidirectional"}, headwise_t5_bucket(1, 32, &bias, &bucket));
  }
}

TEST_CASE("C positions: rows are turned as in C++") {
  Random random(1);
  const Tensor x = random_tensor(random, {1, 2, 3, 6}), cos = random_tensor(random, {5, 2}),
               sin = random_tensor(random, {5, 2});
  Tensor ids(DType::i64, {3}), expected(x.shape()), actual(x.shape());
  ids.data<std::int64_t>()[2] = 4;
  Views views;
  for (const RotaryLayout layout : {RotaryLayout::half_split, RotaryLayout::interleaved}) {
    apply_rotary({x, cos, sin, ids, layout}, expected.mutable_view());
    headwise_rotary_inputs inputs{sizeof inputs,  views.add(x),   views.add(cos),
                                  views.add(sin), views.add(ids), static_cast<headwise_rotary_layout>(layout)};
    check_ok(headwise_apply_rotary(&inputs, views.add_mutable(actual)));
    CHECK(same_bits(actual, expected));
    inputs.layout = 2;
    check_invalid({"layout"}, headwise_apply_rotary(&inputs, views.add_mutable(actual)));
  }
}
