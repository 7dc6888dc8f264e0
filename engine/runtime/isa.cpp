// Which kernels run, and what there is to choose from.
#include <cstdlib>

#include "model.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"

#ifndef HEADWISE_VERSION
#error "HEADWISE_VERSION comes from the build"
#endif

namespace headwise {

namespace {

std::string known_isas() {
  std::string names = "auto";
  for (const IsaInfo& isa : list_isas()) names += ", " + isa.name;
  return names;
}

}  // namespace

namespace runtime {

const kernels::KernelTable& choose_kernels(const std::string& isa) {
  const char* variable = std::getenv("HEADWISE_ISA");
  const std::string wanted = isa.empty() && variable != nullptr ? variable : isa;
  if (wanted.empty() || wanted == "auto") return kernels::best_kernels();
  const kernels::KernelTable* table = kernels::find_kernels(wanted.c_str());
  const std::string name = "ISA " + in_quotes(wanted) + (isa.empty() ? " (from HEADWISE_ISA)" : "");
  if (table == nullptr) throw Error(ErrorCode::invalid_argument, name + " is unknown; expected one of " + known_isas());
  if (!kernels::cpu_supports(*table))
    throw Error(ErrorCode::unsupported, name + " needs CPU features that are not here");
  return *table;
}

}  // namespace runtime

std::vector<IsaInfo> list_isas() try {
  std::vector<IsaInfo> result;
  const kernels::KernelList list = kernels::compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    result.push_back({list.tables[i]->isa, true, kernels::cpu_supports(*list.tables[i])});
  }
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to list instruction sets");
}

std::string resolve_isa(const std::string& isa) try {
  return runtime::choose_kernels(isa).isa;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for the name of an instruction set");
}
std::string onednn_version() {
  return projection::onednn_version();
}
const char* version() noexcept {
  return HEADWISE_VERSION;
}

}  // namespace headwise
