// Every allocation of loading encoders and of their calls fails once.
#include "each_failure.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

constexpr ModelSizes small{.width = 16, .heads = 2, .inner = 24, .layers = 2, .words = 20, .positions = 40};
const std::string data_folder = HEADWISE_TEST_DATA "/encoders/";

void check_refused(const std::string& folder, ErrorCode code) {
  CAPTURE(folder);
  CHECK(fail_each_allocation([&](Fault& fault) { CHECK(!fault([&] { Encoder::load(folder); }, code)); }) > 10);
}

}  // namespace

TEST_CASE("out of memory: loading an encoder of each family") {
  for (const char* family : {"bert", "roberta", "distilbert"}) {
    const std::string folder = data_folder + family;
    CAPTURE(folder);
    CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { Encoder::load(folder); }); }) > 50);
  }
}

TEST_CASE("out of memory: an encoder with other types, in memory of the caller's") {
  ModelFolder folder(small);
  for (NamedTensor& named : folder.tensors) named.tensor = convert(named.tensor, DType::f16);
  const std::string path = folder.write();
  EncoderOptions options;
  options.allocator = {[](auto size, auto alignment, void*) { return std::aligned_alloc(alignment, size); },
                       [](void* memory, auto, void*) { std::free(memory); }, nullptr};
  options.head_contribution = true;
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { Encoder::load(path, options); }); }) > 50);
}

TEST_CASE("out of memory: encoders that are refused") {
  const TemporaryFolder empty;
  check_refused(empty.path().string(), ErrorCode::io);
  ModelFolder folder(small);
  folder.tensors.pop_back();
  check_refused(folder.write(), ErrorCode::bad_file);
  folder.config = R"({"model_type": "a type of model that is not known"})";
  check_refused(folder.write(), ErrorCode::unsupported);
  const Encoder encoder = Encoder::load(data_folder + "bert");
  const auto refuse = [&](Fault& fault) { CHECK(!fault([&] { encoder.attention(-1); }, ErrorCode::invalid_argument)); };
  CHECK(fail_each_allocation(refuse) > 0);
}

TEST_CASE("out of memory: a session of an encoder") {
  const Encoder encoder = ModelFolder(small).load();
  for (const int threads : {1, 2}) {
    const auto create = [&](Fault& fault) { fault([&] { EncoderSession(encoder, {.threads = threads}); }); };
    CHECK(fail_each_allocation(create) > 5);
  }
}

TEST_CASE("out of memory: a larger call fails, and the session runs it and the smaller one before it") {
  const Encoder encoder = ModelFolder(small).load();
  const Tokens few({3, 1}, small.words), many({30, 0, 7, 40}, small.words);
  const EncoderResults few_expected = run(encoder, few), many_expected = run(encoder, many);
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    for (const int threads : {1, 2}) {
      const auto call = [&](Fault& fault) {
        EncoderSession session(encoder, {threads, schedule});
        EncoderResults first(encoder.config(), few), again(encoder.config(), few), large(encoder.config(), many);
        session.run(few.inputs(), first.outputs());
        fault([&] { session.run(many.inputs(), large.outputs()); });
        session.run(few.inputs(), again.outputs());
        CHECK(equal_bits(again, few_expected));
        session.run(many.inputs(), large.outputs());
        CHECK(equal_bits(large, many_expected));
      };
      CHECK(fail_each_allocation(call) >= 3);
    }
  }
}

TEST_CASE("out of memory: a call of an encoder is refused or explained") {
  const Encoder encoder = ModelFolder(small).load();
  const Tokens tokens({3, 5}, small.words), strange({3, 5}, 1000);
  EncoderResults results(encoder.config(), tokens);
  EncoderSession session(encoder);
  const auto explain = [&](Fault& fault) {
    fault([&] { session.explain(tokens.inputs(), results.outputs()).to_string(); });
  };
  CHECK(fail_each_allocation(explain) > 5);
  const auto refuse = [&](Fault& fault) {
    CHECK(!fault([&] { session.run(strange.inputs(), results.outputs()); }, ErrorCode::invalid_argument));
  };
  CHECK(fail_each_allocation(refuse) > 0);
  session.run(tokens.inputs(), results.outputs());
  CHECK(equal_bits(results, run(encoder, tokens)));
}
