// Encoders in C: the same as in C++, to the bit, and every argument checked.
#include <atomic>
#include <cstring>

#include "c_objects.hpp"
#include "test_allocator.hpp"

using namespace headwise;

namespace {

constexpr const char* folder = HEADWISE_TEST_DATA "/encoders/bert";

using OwnedEncoder = Owned<headwise_encoder, headwise_encoder_free>;
using OwnedEncoderSession = Owned<headwise_encoder_session, headwise_encoder_session_free>;

// A batch of three sequences of the tiny BERT, with room for everything.
struct Batch {
  Tensor ids{DType::i64, {9}}, starts{DType::i32, {4}}, types{DType::i64, {9}};
  Tensor hidden{{9, 12}}, states{{3, 9, 12}}, attention{{2, 3, 3, 5, 5}}, embedding{{3, 12}};

  Batch() {
    for (int i = 0; i < 9; ++i) {
      ids.data<std::int64_t>()[i] = (7 * i + 3) % 30;
      types.data<std::int64_t>()[i] = i % 2;
    }
    const std::int32_t numbers[] = {0, 1, 6, 9};
    std::copy_n(numbers, 4, starts.data<std::int32_t>());
  }
  EncoderInputs inputs() const { return {ids.view(), starts.view(), types.view(), nullptr}; }
  EncoderOutputs outputs() {
    return {hidden.mutable_view(),    states.mutable_view(), attention.mutable_view(),
            embedding.mutable_view(), Pooling::max,          true};
  }
};

struct CBatch : Batch {
  Views views;
  headwise_encoder_inputs inputs = ready<headwise_encoder_inputs>();
  headwise_encoder_outputs outputs = ready<headwise_encoder_outputs>();

  CBatch() {
    inputs.token_ids = views.add(ids);
    inputs.cumulative_lengths = views.add(starts);
    inputs.token_types = views.add(types);
    outputs.hidden = views.add_mutable(hidden);
    outputs.hidden_states = views.add_mutable(states);
    outputs.attention = views.add_mutable(attention);
    outputs.embedding = views.add_mutable(embedding);
    outputs.pooling = HEADWISE_POOLING_MAX;
    outputs.normalize = 1;
  }
};

struct Everything {
  OwnedEncoder encoder;
  OwnedEncoderSession session;
  CBatch batch;

  explicit Everything(const headwise_encoder_options* options = nullptr) {
    check_ok(headwise_encoder_load(folder, options, encoder.to()));
    check_ok(headwise_encoder_session_create(encoder, nullptr, session.to()));
  }
  headwise_status run() { return headwise_encoder_session_run(session, &batch.inputs, &batch.outputs); }
};

bool same(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace

TEST_CASE("C encoder: every output is that of C++") {
  Everything c;
  check_ok(c.run());
  Batch wanted;
  EncoderSession(Encoder::load(folder)).run(wanted.inputs(), wanted.outputs());
  CHECK(same(c.batch.hidden, wanted.hidden));
  CHECK(same(c.batch.states, wanted.states));
  CHECK(same(c.batch.attention, wanted.attention));
  CHECK(same(c.batch.embedding, wanted.embedding));
}

TEST_CASE("C encoder: config, ISA, threads, a shared handle and the plan") {
  Everything c;
  OwnedEncoder shared;
  check_ok(headwise_encoder_share(c.encoder, shared.to()));
  auto config = ready<headwise_encoder_config>();
  check_ok(headwise_encoder_get_config(shared, &config));
  const EncoderConfig wanted = Encoder::load(folder).config();
  CHECK(config.family == wanted.family);
  CHECK(config.num_layers == wanted.num_layers);
  CHECK(config.model_dim == wanted.model_dim);
  CHECK(config.num_heads == wanted.num_heads);
  CHECK(config.hidden_dim == wanted.hidden_dim);
  CHECK(config.vocabulary_size == wanted.vocabulary_size);
  CHECK(config.max_positions == wanted.max_positions);
  CHECK(config.num_token_types == wanted.num_token_types);
  CHECK(config.first_position == wanted.first_position);
  CHECK(config.max_length == wanted.max_length());
  CHECK(config.layer_norm_epsilon == wanted.layer_norm_epsilon);
  CHECK(config.activation == HEADWISE_GELU);
  const char* isa = nullptr;
  check_ok(headwise_encoder_isa(shared, &isa));
  CHECK(std::string(isa) == Encoder::load(folder).isa());
  auto options = ready<headwise_session_options>();
  options.threads = 3;
  OwnedEncoderSession session;
  check_ok(headwise_encoder_session_create(shared, &options, session.to()));
  std::int32_t threads = 0;
  check_ok(headwise_encoder_session_threads(session, &threads));
  CHECK(threads == 3);
  OwnedExplanation explanation;
  check_ok(headwise_encoder_session_explain(session, &c.batch.inputs, &c.batch.outputs, explanation.to()));
  auto info = ready<headwise_explanation_info>();
  check_ok(headwise_explanation_get(explanation, &info));
  CHECK(std::string(info.text).find("FeedForwardUp") != std::string::npos);
}

TEST_CASE("C encoder: enumerations have the numbers of C++") {
  CHECK(HEADWISE_GELU == static_cast<int>(Activation::gelu));
  CHECK(HEADWISE_GELU_TANH == static_cast<int>(Activation::gelu_tanh));
  CHECK(HEADWISE_RELU == static_cast<int>(Activation::relu));
  CHECK(HEADWISE_SILU == static_cast<int>(Activation::silu));
  CHECK(HEADWISE_POOLING_MEAN == static_cast<int>(Pooling::mean));
  CHECK(HEADWISE_POOLING_CLS == static_cast<int>(Pooling::cls));
  CHECK(HEADWISE_POOLING_MAX == static_cast<int>(Pooling::max));
}

TEST_CASE("C encoder: the attention of a layer is a model that outlives the encoder") {
  auto options = ready<headwise_encoder_options>();
  options.head_contribution = 1;
  OwnedModel model;
  {
    Everything c(&options);
    check_ok(headwise_encoder_attention(c.encoder, 1, model.to()));
    check_invalid({"layer", "2", "0 to 1"}, headwise_encoder_attention(c.encoder, 2, model.to()));
  }
  OwnedSession session;
  check_ok(headwise_session_create(model, nullptr, session.to()));
  Tensor x = filled({1, 4, 12}, 0.5F), y({1, 4, 12}), parts({1, 3, 4, 12});
  CCall call(inputs_of(x, x, x), {.output = y.mutable_view(), .head_contribution = parts.mutable_view()});
  check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
}

TEST_CASE("C encoder: allocator, progress and ISA arrive") {
  TestAllocator allocator;
  std::uint64_t last = 0;
  auto open = ready<headwise_open_options>();
  open.progress = [](std::uint64_t done, std::uint64_t, void* user) { *static_cast<std::uint64_t*>(user) = done; };
  open.progress_user = &last;
  auto options = ready<headwise_encoder_options>();
  const Allocator own = allocator.get();
  options.allocator = {own.allocate, own.release, own.user};
  options.open = &open;
  options.isa = "reference";
  {
    Everything c(&options);
    CHECK(allocator.held() > 0);
    CHECK(last > 10000);
    const char* isa = nullptr;
    check_ok(headwise_encoder_isa(c.encoder, &isa));
    CHECK(std::string(isa) == "reference");
  }
  CHECK(allocator.held() == 0);
}

TEST_CASE("C encoder: what fails gives its status and says why") {
  Everything c;
  OwnedEncoder none;
  check_refused(HEADWISE_IO, {"config.json"}, headwise_encoder_load("/nowhere", nullptr, none.to()));
  c.batch.ids.data<std::int64_t>()[4] = 30;
  check_invalid({"token_ids", "30 at 4", "0 to 29"}, c.run());
  c.batch.ids.data<std::int64_t>()[4] = 3;
  c.batch.outputs.pooling = 3;
  check_invalid({"pooling", "3"}, c.run());
  c.batch.outputs.pooling = -1;
  check_invalid({"pooling", "-1"}, c.run());
  c.batch.outputs.pooling = HEADWISE_POOLING_MEAN;
  c.batch.outputs.normalize = 2;
  check_invalid({"normalize", "2"}, c.run());
  c.batch.outputs.normalize = 0;
  c.batch.inputs.struct_size = 8;
  check_invalid({"inputs", "struct_size"}, c.run());
  c.batch.inputs.struct_size = sizeof c.batch.inputs;
  OwnedFlag flag;
  check_ok(headwise_cancel_flag_create(flag.to()));
  headwise_cancel_flag_set(flag);
  c.batch.inputs.cancel = flag;
  check_refused(HEADWISE_CANCELLED, {"cancelled"}, c.run());
  headwise_cancel_flag_clear(flag);
  check_ok(c.run());
}

TEST_CASE("C encoder: NULL for a pointer is refused by name, and freeing nothing does nothing") {
  Everything c;
  auto config = ready<headwise_encoder_config>();
  const char* isa = nullptr;
  std::int32_t threads = 0;
  OwnedEncoder encoder;
  OwnedEncoderSession session;
  OwnedExplanation plan;
  OwnedModel model;
  const auto refuse = [](const char* name, headwise_status status) { check_invalid({name, "NULL"}, status); };
  refuse("folder", headwise_encoder_load(nullptr, nullptr, encoder.to()));
  refuse("encoder", headwise_encoder_load(folder, nullptr, nullptr));
  refuse("encoder", headwise_encoder_share(nullptr, encoder.to()));
  refuse("shared", headwise_encoder_share(c.encoder, nullptr));
  refuse("encoder", headwise_encoder_get_config(nullptr, &config));
  refuse("config", headwise_encoder_get_config(c.encoder, nullptr));
  refuse("encoder", headwise_encoder_isa(nullptr, &isa));
  refuse("isa", headwise_encoder_isa(c.encoder, nullptr));
  refuse("encoder", headwise_encoder_attention(nullptr, 0, model.to()));
  refuse("model", headwise_encoder_attention(c.encoder, 0, nullptr));
  refuse("encoder", headwise_encoder_session_create(nullptr, nullptr, session.to()));
  refuse("session", headwise_encoder_session_create(c.encoder, nullptr, nullptr));
  refuse("session", headwise_encoder_session_threads(nullptr, &threads));
  refuse("threads", headwise_encoder_session_threads(c.session, nullptr));
  refuse("session", headwise_encoder_session_run(nullptr, &c.batch.inputs, &c.batch.outputs));
  refuse("inputs", headwise_encoder_session_run(c.session, nullptr, &c.batch.outputs));
  refuse("outputs", headwise_encoder_session_run(c.session, &c.batch.inputs, nullptr));
  refuse("session", headwise_encoder_session_explain(nullptr, &c.batch.inputs, &c.batch.outputs, plan.to()));
  refuse("explanation", headwise_encoder_session_explain(c.session, &c.batch.inputs, &c.batch.outputs, nullptr));
  headwise_encoder_free(nullptr);
  headwise_encoder_session_free(nullptr);
}
