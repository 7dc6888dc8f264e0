// Places outside of every list.
#include "everything.hpp"

using namespace headwise;

TEST_CASE("C handles: places outside of a list") {
  const Everything e;
  const char* text = nullptr;
  const char* other = nullptr;
  auto tensor = ready<headwise_tensor_info>();
  auto layer = ready<headwise_layer_info>();
  auto part = ready<headwise_layer_part>();
  auto step = ready<headwise_step_info>();
  auto step_time = ready<headwise_step_time>();
  auto part_time = ready<headwise_part_time>();
  auto thread_time = ready<headwise_thread_time>();
  auto span = ready<headwise_span>();
  auto counter = ready<headwise_counter>();
  auto isa = ready<headwise_isa_info>();
  auto level = ready<headwise_memory_level>();
  auto family = ready<headwise_family_info>();
  headwise_named_view named{};
  headwise_view view{};
  for (const std::int64_t at : {std::int64_t{-2}, std::int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    const std::string number = std::to_string(at);
    check_invalid({"index", number}, headwise_file_tensor(e.file, at, &tensor));
    check_invalid({"index", number}, headwise_file_metadata(e.file, at, &text, &other));
    check_invalid({"index", number}, headwise_layers_get(e.layers, at, &layer));
    check_invalid({"index", number}, headwise_layers_part(e.layers, at, 0, &part));
    check_invalid({"part", number}, headwise_layers_part(e.layers, 0, at, &part));
    check_invalid({"index", number}, headwise_layers_candidate(e.layers, at, 0, &text));
    check_invalid({"candidate", "there is none"}, headwise_layers_candidate(e.layers, 0, at, &text));
    check_invalid({"index", number}, headwise_stored_layer_tensor(e.stored, at, &named));
    check_invalid({"index", number}, headwise_stored_layer_metadata(e.stored, at, &text, &other));
    check_invalid({"index", number}, headwise_family_get(at, &family));
    check_invalid({"index", number}, headwise_explanation_step(e.explanation, at, &step));
    check_invalid({"index", number}, headwise_explanation_reason(e.explanation, at, &text));
    check_invalid({"step", number}, headwise_profile_step(e.profile, at, 0, &step_time));
    check_invalid({"thread", number}, headwise_profile_step(e.profile, 0, at, &step_time));
    check_invalid({"step", number}, headwise_profile_part(e.profile, at, 0, &part_time));
    check_invalid({"part", number}, headwise_profile_part(e.profile, 0, at, &part_time));
    check_invalid({"thread", number}, headwise_profile_thread(e.profile, at, &thread_time));
    check_invalid({"index", number}, headwise_profile_span(e.profile, at, &span));
    check_invalid({"index", "there is none"}, headwise_profile_counter(e.profile, at, &counter));
    check_invalid({"index", number}, headwise_isa_get(at, &isa));
    check_invalid({"index", number}, headwise_memory_level_get(1, at, &level));
    check_invalid({"row"}, headwise_cache_truncate(e.cache, at, 0));
  }
  for (const std::int32_t part_number : {-1, std::int32_t{HEADWISE_NUM_PARTS}, INT32_MAX, INT32_MIN}) {
    check_invalid({"part"}, headwise_weights_get(e.weights, part_number, &view));
    check_invalid({"part"}, headwise_weights_set(e.weights, part_number, nullptr));
  }
}
