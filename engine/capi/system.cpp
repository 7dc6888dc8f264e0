#include <algorithm>

#include "boundary.hpp"
#include "handles.hpp"
#include "headwise/c/system.h"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

// Made once, so that their texts stay.
const headwise::BuildInfo& kept_build_info() {
  static const headwise::BuildInfo info = headwise::build_info();
  return info;
}
const std::vector<headwise::IsaInfo>& kept_isas() {
  static const std::vector<headwise::IsaInfo> isas = headwise::list_isas();
  return isas;
}

}  // namespace

const char* headwise_version() {
  return headwise::version();
}

headwise_status headwise_build_info_get(headwise_build_info* info) {
  return guard([&] {
    const headwise::BuildInfo& b = kept_build_info();
    write_struct<headwise_build_info>(
        "info", info,
        {0, b.version.c_str(), b.commit.c_str(), b.compiler.c_str(), b.type.c_str(), b.onednn.c_str(), b.isas.c_str()});
  });
}

int32_t headwise_default_threads() {
  return headwise::default_threads();
}

headwise_status headwise_thread_limits_get(headwise_thread_limits* limits) {
  return guard([&] {
    const headwise::ThreadLimits found = headwise::thread_limits();
    headwise_thread_limits result{
        0, found.threads, found.affinity_cpus, found.online_cpus, found.openmp_threads, found.quota_cpus, "", ""};
    write_text(found.reason, result.reason);
    write_text(found.quota_file, result.quota_file);
    write_struct("limits", limits, result);
  });
}

headwise_status headwise_isa_count(int64_t* count) {
  return guard([&] { deref("count", count) = count_of(kept_isas()); });
}

headwise_status headwise_isa_get(int64_t index, headwise_isa_info* info) {
  return guard([&] {
    const headwise::IsaInfo& isa = element_at("index", kept_isas(), index);
    write_struct<headwise_isa_info>("info", info, {0, isa.name.c_str(), isa.compiled ? 1 : 0, isa.present ? 1 : 0});
  });
}

headwise_status headwise_resolve_isa(const char* isa, const char** resolved) {
  return guard([&] {
    auto& result = deref("resolved", resolved);
    const std::string name = headwise::resolve_isa(read_optional_text(isa));
    const auto is_named = [&](const headwise::IsaInfo& known) { return known.name == name; };
    result = std::find_if(kept_isas().begin(), kept_isas().end(), is_named)->name.c_str();
  });
}
