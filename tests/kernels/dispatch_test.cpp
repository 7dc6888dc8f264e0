#include <cstring>
#include <set>
#include <string>

#include "kernel_harness.hpp"

using namespace headwise::kernels;

TEST_CASE("dispatch: the reference is always there and comes last") {
  const KernelList list = compiled_kernels();
  CHECK(std::string(list.tables[list.count - 1]->isa) == "reference");
  CHECK(cpu_supports(*list.tables[list.count - 1]));
}

TEST_CASE("dispatch: the best table is the first that the CPU supports") {
  const KernelList list = compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    if (!cpu_supports(*list.tables[i])) continue;
    CHECK(&best_kernels() == list.tables[i]);
    break;
  }
}

TEST_CASE("dispatch: a feature that the dispatcher does not know counts as absent") {
  KernelTable table = best_kernels();
  const std::string features = std::string(table.features) + " avx512vbmi";
  table.features = features.c_str();
  CHECK_FALSE(cpu_supports(table));
}

TEST_CASE("dispatch: names are unique and found") {
  std::set<std::string> names;
  const KernelList list = compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    CHECK(names.insert(list.tables[i]->isa).second);
    CHECK(find_kernels(list.tables[i]->isa) == list.tables[i]);
  }
  CHECK(find_kernels("avx1024") == nullptr);
}
