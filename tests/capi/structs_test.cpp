// Structs that begin with their size: smaller ones than the first version's are refused, larger ones must end in zeros.
#include <array>
#include <functional>

#include "c_objects.hpp"
#include "structs.hpp"

using namespace headwise;

namespace {

// A struct of a later version: the one of today and more behind it.
template <class T>
struct Later {
  T known;
  std::array<char, 24> more;
};

template <class T>
void check_input(const std::function<headwise_status(const T*)>& use, const T& good) {
  check_ok(use(&good));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, sizeof(T) - 1, std::size_t{1} << 20, SIZE_MAX}) {
    T bad = good;
    bad.struct_size = size;
    check_invalid({"struct_size", std::to_string(size), "HEADWISE_INIT"}, use(&bad));
  }
  Later<T> later{good, {}};
  later.known.struct_size = sizeof later;
  check_ok(use(&later.known));
  later.more.back() = 1;
  check_refused(HEADWISE_UNSUPPORTED, {std::to_string(sizeof later), std::to_string(sizeof(T))}, use(&later.known));
}

template <class T>
void check_output(const std::function<headwise_status(T*)>& use) {
  T normal = ready<T>();
  check_ok(use(&normal));
  CHECK(normal.struct_size == sizeof(T));
  for (const std::size_t size : {std::size_t{0}, sizeof(T) - 1, SIZE_MAX}) {
    T bad = ready<T>();
    bad.struct_size = size;
    check_invalid({"struct_size", std::to_string(size)}, use(&bad));
  }
  Later<T> later;
  std::memset(&later, 0x55, sizeof later);
  later.known.struct_size = sizeof later;
  check_ok(use(&later.known));
  CHECK(later.known.struct_size == sizeof later);
  later.known.struct_size = sizeof(T);
  CHECK(std::memcmp(&later.known, &normal, sizeof(T)) == 0);
  for (const char byte : later.more) CHECK(byte == 0);
}

const char* model_path = HEADWISE_TEST_DATA "/tiny_bert/model.safetensors";

headwise_config small_config() {
  auto config = ready<headwise_config>();
  config.model_dim = 8;
  config.num_heads = 2;
  return config;
}

struct Small {
  OwnedFile file;
  OwnedWeights weights;
  OwnedModel model;
  OwnedSession session;
  Tensor x = filled({1, 3, 8}, 0.5F), y{{1, 3, 8}};
  CCall call{inputs_of(x, x, x), {.output = y.mutable_view()}};
  Small() {
    const headwise_config config = small_config();
    check_ok(headwise_file_open(model_path, nullptr, file.to()));
    check_ok(headwise_weights_random(&config, 1, weights.to()));
    check_ok(headwise_model_create(weights, nullptr, model.to()));
    check_ok(headwise_session_create(model, nullptr, session.to()));
  }
};

}  // namespace

TEST_CASE("C structs: options and arguments") {
  const Small s;
  const headwise_config config = small_config();
  auto rotary = ready<headwise_rotary_config>();
  rotary.dim = 2;
  double real = 0;
  std::int64_t number = 0;
  auto cache_options = ready<headwise_cache_options>();
  cache_options.capacity = 4;
  check_input<headwise_rotary_config>([&](const auto* c) { return headwise_rotary_frequencies(c, 1, &real); }, rotary);
  check_input<headwise_bias_config>([&](const auto* c) { return headwise_t5_bucket(1, 32, c, &number); },
                                    ready<headwise_bias_config>());
  check_input<headwise_config>([](const auto* c) { return headwise_weights_random(c, 1, OwnedWeights().to()); },
                               config);
  check_input<headwise_rotary_config>(
      [&](const auto* c) {
        headwise_config with = config;
        with.rotary = c;
        return headwise_weights_random(&with, 1, OwnedWeights().to());
      },
      rotary);
  check_input<headwise_bias_config>(
      [&](const auto* c) {
        headwise_config with = config;
        with.position_bias = c;
        return headwise_weights_random(&with, 1, OwnedWeights().to());
      },
      ready<headwise_bias_config>());
  check_input<headwise_open_options>([](const auto* o) { return headwise_file_open(model_path, o, OwnedFile().to()); },
                                     ready<headwise_open_options>());
  check_input<headwise_load_options>(
      [](const auto* o) { return headwise_weights_load(model_path, o, OwnedWeights().to()); },
      ready<headwise_load_options>());
  check_input<headwise_load_options>(
      [&](const auto* o) { return headwise_find_layers_for(s.file, o, OwnedLayers().to()); },
      ready<headwise_load_options>());
  check_input<headwise_storage>(
      [&](const auto* o) { return headwise_store_layer(s.weights, o, OwnedStoredLayer().to()); },
      ready<headwise_storage>());
  check_input<headwise_model_options>(
      [&](const auto* o) { return headwise_model_create(s.weights, o, OwnedModel().to()); },
      ready<headwise_model_options>());
  check_input<headwise_session_options>(
      [&](const auto* o) { return headwise_session_create(s.model, o, OwnedSession().to()); },
      ready<headwise_session_options>());
  check_input<headwise_cache_options>(
      [&](const auto* o) { return headwise_cache_create(&config, o, OwnedCache().to()); }, cache_options);
  check_input<headwise_inputs>([&](const auto* i) { return headwise_session_run(s.session, i, &s.call.outputs); },
                               s.call.inputs);
  check_input<headwise_outputs>([&](const auto* o) { return headwise_session_run(s.session, &s.call.inputs, o); },
                                s.call.outputs);
  check_input<headwise_profile_options>(
      [&](const auto* o) {
        return headwise_session_profile(s.session, &s.call.inputs, &s.call.outputs, o, OwnedProfile().to());
      },
      ready<headwise_profile_options>());
  auto limits = ready<headwise_limit_options>();
  limits.seconds = 0.001;
  check_input<headwise_limit_options>([&](const auto* o) { return headwise_measure_read_bandwidth(4096, o, &real); },
                                      limits);
}

TEST_CASE("C structs: results") {
  const Small s;
  OwnedLayers layers;
  OwnedStoredLayer stored;
  OwnedExplanation explanation;
  OwnedProfile profile;
  OwnedCache cache;
  const headwise_config config = small_config();
  auto cache_options = ready<headwise_cache_options>();
  cache_options.capacity = 4;
  auto profile_options = ready<headwise_profile_options>();
  profile_options.counters = 1;
  check_ok(headwise_find_layers(s.file, layers.to()));
  check_ok(headwise_store_layer(s.weights, nullptr, stored.to()));
  check_ok(headwise_session_explain(s.session, &s.call.inputs, &s.call.outputs, explanation.to()));
  check_ok(headwise_session_profile(s.session, &s.call.inputs, &s.call.outputs, &profile_options, profile.to()));
  check_ok(headwise_cache_create(&config, &cache_options, cache.to()));
  check_output<headwise_config>([&](auto* c) { return headwise_model_config(s.model, c); });
  check_output<headwise_config>([&](auto* c) { return headwise_weights_config(s.weights, c); });
  check_output<headwise_file_info>([&](auto* i) { return headwise_file_info_get(s.file, i); });
  check_output<headwise_tensor_info>([&](auto* i) { return headwise_file_tensor(s.file, 0, i); });
  check_output<headwise_layer_info>([&](auto* i) { return headwise_layers_get(layers, 0, i); });
  check_output<headwise_layer_part>([&](auto* i) { return headwise_layers_part(layers, 0, 0, i); });
  check_output<headwise_stored_layer_info>([&](auto* i) { return headwise_stored_layer_get(stored, i); });
  check_output<headwise_family_info>([](auto* i) { return headwise_family_get(0, i); });
  check_output<headwise_cache_info>([&](auto* i) { return headwise_cache_info_get(cache, i); });
  check_output<headwise_explanation_info>([&](auto* i) { return headwise_explanation_get(explanation, i); });
  check_output<headwise_step_info>([&](auto* i) { return headwise_explanation_step(explanation, 0, i); });
  check_output<headwise_profile_info>([&](auto* i) { return headwise_profile_get(profile, i); });
  check_output<headwise_step_time>([&](auto* t) { return headwise_profile_step(profile, 0, -1, t); });
  check_output<headwise_thread_time>([&](auto* t) { return headwise_profile_thread(profile, 0, t); });
  check_output<headwise_span>([&](auto* t) { return headwise_profile_span(profile, 0, t); });
  check_output<headwise_counter>([&](auto* c) { return headwise_profile_counter(profile, 0, c); });
  check_output<headwise_build_info>([](auto* i) { return headwise_build_info_get(i); });
  check_output<headwise_thread_limits>([](auto* l) { return headwise_thread_limits_get(l); });
  check_output<headwise_isa_info>([](auto* i) { return headwise_isa_get(0, i); });
  check_output<headwise_memory_level>([](auto* l) { return headwise_memory_level_get(1, 0, l); });
}

TEST_CASE("C structs: one that has grown takes the older size, and fills no more than that") {
  struct Grown {
    std::size_t struct_size;
    std::int64_t old, added;
  };
  constexpr std::size_t first = 16;
  Grown given{first, 7, 8}, read{1, 2, 3};
  read.added = 0;
  capi::read_bytes("it", &given, first, sizeof read, &read);
  CHECK(read.old == 7);
  CHECK(read.added == 0);
  const Grown result{0, 5, 6};
  capi::write_bytes("it", &given, first, sizeof result, &result);
  CHECK(given.struct_size == first);
  CHECK(given.old == 5);
  CHECK(given.added == 8);
}
