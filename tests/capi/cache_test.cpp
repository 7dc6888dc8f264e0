// Caches through C beside the same caches in C++.
#include "c_objects.hpp"

using namespace headwise;

namespace {

constexpr std::int64_t batch = 2, capacity = 6;

struct Both {
  AttentionWeights weights = random_weights(grouped_config(), 3);
  MultiHeadAttention model{weights};
  OwnedModel c_handle = c_model(weights);
  KvCache cache;
  OwnedCache c_cache;

  explicit Both(bool circular = false, DType dtype = DType::f32)
      : cache(model.config(), {batch, capacity, dtype, circular}) {
    auto config = ready<headwise_config>();
    auto options = ready<headwise_cache_options>();
    check_ok(headwise_model_config(c_handle, &config));
    options.batch = batch;
    options.capacity = capacity;
    options.dtype = static_cast<headwise_dtype>(dtype);
    options.circular = circular ? 1 : 0;
    check_ok(headwise_cache_create(&config, &options, c_cache.to()));
  }

  void check_same() const { check_same(c_cache, cache); }
  static void check_same(const headwise_cache* c, const KvCache& cpp) {
    std::int64_t length = -1, oldest = -1;
    for (std::int64_t row = 0; row < batch; ++row) {
      check_ok(headwise_cache_length(c, row, &length));
      check_ok(headwise_cache_oldest(c, row, &oldest));
      CHECK(length == cpp.length(row));
      CHECK(oldest == cpp.oldest(row));
    }
    headwise_view keys{}, values{};
    check_ok(headwise_cache_keys(c, &keys));
    check_ok(headwise_cache_values(c, &values));
    check_view(keys, cpp.keys());
    check_view(values, cpp.values());
  }
  static void check_view(const headwise_view& c, const TensorView& cpp) {
    CHECK(c.dtype == static_cast<headwise_dtype>(cpp.dtype));
    CHECK(Dims(c.shape, static_cast<std::size_t>(c.rank)) == cpp.shape);
    const auto bytes = static_cast<std::size_t>(element_count(cpp.shape)) * dtype_size(cpp.dtype);
    CHECK(std::memcmp(c.data, cpp.data, bytes) == 0);
  }
};

}  // namespace

TEST_CASE("C cache: what it is") {
  const Both both(true, DType::bf16);
  auto info = ready<headwise_cache_info>();
  check_ok(headwise_cache_info_get(both.c_cache, &info));
  CHECK(info.batch == batch);
  CHECK(info.capacity == capacity);
  CHECK(info.dtype == HEADWISE_BF16);
  CHECK(info.circular == 1);
}

TEST_CASE("C cache: tokens come and go as in C++") {
  Random random(1);
  for (const bool circular : {false, true}) {
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      Both both(circular, dtype);
      const Tensor key = random_tensor(random, {batch, 2, 4, 6}), value = random_tensor(random, {batch, 2, 4, 6});
      Tensor counts(DType::i32, {batch});
      counts.data<std::int32_t>()[0] = 4;
      counts.data<std::int32_t>()[1] = 2;
      Views views;
      const auto append = [&](const Tensor* number) {
        both.cache.append(key, value, number != nullptr ? number->view() : TensorView());
        check_ok(headwise_cache_append(both.c_cache, views.add(key), views.add(value),
                                       number != nullptr ? views.add(*number) : nullptr));
        both.check_same();
      };
      append(&counts);
      both.cache.roll_back(0, 1);
      check_ok(headwise_cache_roll_back(both.c_cache, 0, 1));
      both.check_same();
      both.cache.copy_row(0, 1);
      check_ok(headwise_cache_copy_row(both.c_cache, 0, 1));
      both.check_same();
      if (circular) append(nullptr);
      OwnedCache fork;
      check_ok(headwise_cache_fork(both.c_cache, fork.to()));
      Both::check_same(fork, both.cache);
      both.cache.truncate(1, both.cache.length(1) - 1);
      check_ok(headwise_cache_truncate(both.c_cache, 1, both.cache.length(1)));
      both.check_same();
      both.cache.clear();
      check_ok(headwise_cache_clear(both.c_cache));
      both.check_same();
    }
  }
}

TEST_CASE("C cache: sessions run and append on it as in C++") {
  Random random(2);
  Both both;
  const Tensor x = random_tensor(random, {batch, 2, 24});
  Tensor expected({batch, 2, 24}), actual({batch, 2, 24});
  Session session(both.model);
  const OwnedSession c = c_session(both.c_handle);
  AttentionInputs inputs = inputs_of(x, x, x);
  inputs.causal = true;
  CCall call(inputs, {.output = actual.mutable_view()});
  session.append(both.cache, inputs);
  check_ok(headwise_session_append(c, both.c_cache, &call.inputs));
  both.check_same();
  inputs.cache = &both.cache;
  call.inputs.cache = both.c_cache;
  session.run(inputs, {.output = expected});
  check_ok(headwise_session_run(c, &call.inputs, &call.outputs));
  CHECK(same_bits(actual, expected));
  both.check_same();
}

TEST_CASE("C cache: what C++ refuses") {
  const Both both;
  Random random(3);
  Views views;
  const Tensor wide = random_tensor(random, {batch, 2, 1, 7}),
               many = random_tensor(random, {batch, 2, capacity + 1, 6});
  check_invalid({"key"}, headwise_cache_append(both.c_cache, views.add(wide), views.add(wide), nullptr));
  check_invalid({"cache"}, headwise_cache_append(both.c_cache, views.add(many), views.add(many), nullptr));
  check_invalid({"length"}, headwise_cache_truncate(both.c_cache, 0, 1));
  check_invalid({"count"}, headwise_cache_roll_back(both.c_cache, 0, 1));
  check_invalid({"row"}, headwise_cache_copy_row(both.c_cache, 0, batch));
  std::int64_t number = 0;
  check_invalid({"row"}, headwise_cache_length(both.c_cache, -1, &number));
  check_invalid({"row"}, headwise_cache_oldest(both.c_cache, batch, &number));
  auto config = ready<headwise_config>();
  check_ok(headwise_model_config(both.c_handle, &config));
  const auto refuse = [&](const std::vector<std::string>& words, const auto& spoil) {
    auto options = ready<headwise_cache_options>();
    options.capacity = 4;
    spoil(options);
    OwnedCache cache;
    check_invalid(words, headwise_cache_create(&config, &options, cache.to()));
  };
  refuse({"batch"}, [](auto& o) { o.batch = -1; });
  refuse({"capacity"}, [](auto& o) { o.capacity = 0; });
  refuse({"dtype"}, [](auto& o) { o.dtype = 13; });
  refuse({"dtype"}, [](auto& o) { o.dtype = HEADWISE_I8; });
  refuse({"circular"}, [](auto& o) { o.circular = 2; });
}

TEST_CASE("C cache: rows scattered and slices merged as in C++") {
  Random random(4);
  Tensor expected({2, 3, 8, 4}), actual = expected;
  const Tensor update = random_tensor(random, {2, 3, 3, 4});
  Tensor at(DType::i64, {2});
  at.data<std::int64_t>()[0] = 6;
  Views views;
  scatter_rows(expected.mutable_view(), update, at.view(), true);
  check_ok(headwise_scatter_rows(views.add_mutable(actual), views.add(update), views.add(at), 1));
  CHECK(same_bits(actual, expected));
  check_invalid({}, headwise_scatter_rows(views.add_mutable(actual), views.add(update), views.add(at), 0));
  check_invalid({"circular"}, headwise_scatter_rows(views.add_mutable(actual), views.add(update), nullptr, 2));

  const Tensor a = random_tensor(random, {3, 4}), b = random_tensor(random, {3, 4});
  const Tensor la = random_tensor(random, {3}), lb = random_tensor(random, {3});
  Tensor merged({3, 4}), sums({3}), c_merged({3, 4}), c_sums({3});
  merge_partials({{a, la}, {b, lb}}, merged.mutable_view(), sums.mutable_view());
  const headwise_partial slices[] = {{views.add(a), views.add(la)}, {views.add(b), views.add(lb)}};
  check_ok(headwise_merge_partials(slices, 2, views.add_mutable(c_merged), views.add_mutable(c_sums)));
  CHECK(same_bits(c_merged, merged));
  CHECK(same_bits(c_sums, sums));
  check_ok(headwise_merge_partials(slices, 2, views.add_mutable(c_merged), nullptr));
  const headwise_partial missing[] = {{views.add(a), nullptr}};
  check_invalid({}, headwise_merge_partials(missing, 1, views.add_mutable(c_merged), nullptr));
}
