#include "boundary.hpp"
#include "handles.hpp"
#include "headwise/weight_layouts.hpp"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

// Made once, so that their texts stay.
const std::vector<headwise::FamilyRow>& kept_families() {
  static const std::vector<headwise::FamilyRow> families = headwise::list_families();
  return families;
}

}  // namespace

headwise_status headwise_family_count(int64_t* count) {
  return guard([&] { deref("count", count) = count_of(kept_families()); });
}

headwise_status headwise_family_get(int64_t index, headwise_family_info* info) {
  return guard([&] {
    const headwise::FamilyRow& row = element_at("index", kept_families(), index);
    write_struct<headwise_family_info>(
        "info", info,
        {0, row.family.c_str(), row.models.c_str(), row.tensors.c_str(), row.storage.c_str(), row.refusal.c_str()});
  });
}

headwise_status headwise_check_create(const headwise_weights* weights, const char* prefix, headwise_check** check) {
  return guard([&] {
    auto& result = deref("check", check);
    const headwise::AttentionWeights& w = deref("weights", weights).weights;
    const std::string key = headwise::stored_check_key(read_text("prefix", prefix));
    result = new headwise_check{key, headwise::stored_check_for(w)};
  });
}

void headwise_check_free(headwise_check* check) {
  delete check;
}

headwise_status headwise_check_get(const headwise_check* check, headwise_note* note) {
  return guard([&] {
    const headwise_check& c = deref("check", check);
    deref("note", note) = {c.key.c_str(), c.text.c_str()};
  });
}

headwise_status headwise_has_stored_check(const headwise_file* file, const char* prefix, int32_t* has) {
  return guard([&] {
    auto& result = deref("has", has);
    result = headwise::has_stored_check(deref("file", file).file, read_text("prefix", prefix)) ? 1 : 0;
  });
}

headwise_status headwise_check_stored(const headwise_file* file, const char* prefix, const headwise_weights* weights) {
  return guard([&] {
    const headwise::WeightFile& f = deref("file", file).file;
    headwise::check_stored(f, read_text("prefix", prefix), deref("weights", weights).weights);
  });
}
