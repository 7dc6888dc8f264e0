#include "caches.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "temporary_folder.hpp"

using namespace headwise::limits;

namespace {

struct Index {
  std::string level, type, size, cpus;
};

void write_indices(const TemporaryFolder& folder, const std::vector<Index>& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::string at = "index" + std::to_string(i);
    std::filesystem::create_directories(folder.path() / at);
    folder.write(at + "/level", indices[i].level + "\n");
    folder.write(at + "/type", indices[i].type + "\n");
    folder.write(at + "/size", indices[i].size + "\n");
    folder.write(at + "/shared_cpu_list", indices[i].cpus + "\n");
  }
}

}  // namespace

TEST_CASE("caches: sysfs names levels, sizes and who shares them; instructions do not count") {
  const TemporaryFolder folder;
  write_indices(folder, {{"3", "Unified", "32768K", "0-7,64-71"},
                         {"1", "Data", "48K", "0,64"},
                         {"1", "Instruction", "32K", "0,64"},
                         {"2", "Unified", "2M", "0,64"}});
  const std::vector<Cache> caches = data_caches(folder.path().string());
  REQUIRE(caches.size() == 3);
  CHECK(caches[0].level == 1);
  CHECK(caches[0].bytes == 48 * 1024);
  CHECK(caches[0].cpus == 2);
  CHECK(caches[1].bytes == 2 * 1024 * 1024);
  CHECK(caches[2].level == 3);
  CHECK(caches[2].bytes == 32 * 1024 * 1024);
  CHECK(caches[2].cpus == 16);
}

TEST_CASE("caches: entries that make no sense are left out, and without any there still are some") {
  const TemporaryFolder folder;
  write_indices(folder, {{"", "Data", "48K", "0"}, {"2", "Unified", "much", "0"}, {"3", "Unified", "0K", "0"}});
  const std::vector<Cache> caches = data_caches(folder.path().string());
  REQUIRE(!caches.empty());
  for (const Cache& cache : caches) CHECK(cache.bytes >= 4096);
}

TEST_CASE("caches: sizes and lists of CPUs") {
  CHECK(parse_size("512") == 512);
  CHECK(parse_size("32K") == 32768);
  CHECK(parse_size("3M") == 3145728);
  for (const char* bad : {"", "K", "-4K", "4G", "32 K", "99999999999999999999", "9999999999999K"})
    CHECK(parse_size(bad) == 0);
  CHECK(count_cpus("5") == 1);
  CHECK(count_cpus("0-3,8,10-11") == 7);
  for (const char* bad : {"", "none", "7-3"}) CHECK(count_cpus(bad) == 1);
}
