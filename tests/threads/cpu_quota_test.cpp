// Quotas of control groups, read from a system of our own making.
#include "cpu_quota.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <clocale>
#include <filesystem>
#include <locale>

#include "temporary_folder.hpp"

using namespace headwise::threads;

namespace {

constexpr auto mount2 = "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr auto mount1 = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

// The files of a system below a temporary folder.
struct FakeSystem {
  TemporaryFolder folder;

  void put(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder.path() / file).parent_path());
    folder.write(file, text);
  }
  void groups(const std::string& text) const { put("proc/self/cgroup", text); }
  void mounts(const std::string& text) const { put("proc/self/mountinfo", text); }
  void version1(const std::string& group, const std::string& quota, const std::string& period) const {
    put("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota);
    put("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period);
  }
  CpuQuota quota() const { return cpu_quota(folder.path().string()); }
};

double version2_quota(const std::string& text) {
  const FakeSystem system;
  system.groups("0::/\n");
  system.mounts(mount2);
  system.put("sys/fs/cgroup/cpu.max", text);
  return system.quota().cpus;
}

double version1_quota(const std::string& quota, const std::string& period) {
  const FakeSystem system;
  system.groups("9:memory:/a\n4:cpu,cpuacct:/\n0::/\n");
  system.mounts(mount1);
  system.version1("", quota, period);
  return system.quota().cpus;
}

}  // namespace

TEST_CASE("C07: a quota of version 2") {
  CHECK(version2_quota("200000 100000\n") == 2);
  CHECK(version2_quota("max 100000\n") == 0);
  CHECK(version2_quota("50000 100000\n") == 0.5);
  CHECK(version2_quota("150000 100000") == 1.5);
  for (const char* text : {"", "\n", " ", "max", "max\n", "100000", "0 100000", "100000 0", "-1 100000", "abc def",
                           "1e30 1", "99999999999999999999999 1", "5 -5", "5  5", "1x 1", "1 1x"}) {
    CAPTURE(text);
    CHECK(version2_quota(text) == 0);
  }
  CHECK(version2_quota(std::string(100000, '7')) == 0);
}

TEST_CASE("C07: a quota of version 1") {
  CHECK(version1_quota("-1\n", "100000\n") == 0);
  CHECK(version1_quota("150000\n", "100000\n") == 1.5);
  CHECK(version1_quota("50000\n", "100000\n") == 0.5);
  for (const char* text : {"", "0\n", "abc\n", "-5\n", "99999999999999999999999\n"}) {
    CAPTURE(text);
    CHECK(version1_quota("100000\n", text) == 0);
    CHECK(version1_quota(text, "100000\n") == 0);
  }
}

TEST_CASE("C07: the smallest quota of a group and all above it counts") {
  const FakeSystem system;
  system.groups("0::/pods/one/main\n");
  system.mounts(mount2);
  system.put("sys/fs/cgroup/cpu.max", "max 100000\n");
  system.put("sys/fs/cgroup/pods/cpu.max", "800000 100000\n");
  system.put("sys/fs/cgroup/pods/one/main/cpu.max", "600000 100000\n");
  CHECK(system.quota().cpus == 6);
  CHECK(system.quota().file == "/sys/fs/cgroup/pods/one/main/cpu.max");
  system.put("sys/fs/cgroup/pods/one/cpu.max", "300000 200000\n");
  CHECK(system.quota().cpus == 1.5);
  CHECK(system.quota().file == "/sys/fs/cgroup/pods/one/cpu.max");
  system.put("sys/fs/cgroup/cpu.max", "100000 100000\n");
  CHECK(system.quota().cpus == 1);
  system.put("sys/fs/cgroup/pods/two/cpu.max", "1000 100000\n");  // a neighbour
  CHECK(system.quota().cpus == 1);
}

TEST_CASE("C07: both versions side by side") {
  const FakeSystem system;
  system.groups("4:cpu,cpuacct:/a/b\n1:name=systemd:/c\n0::/d\n");
  system.mounts(mount1 + std::string("33 31 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"));
  system.version1("/a/b", "-1\n", "100000\n");
  CHECK(system.quota().cpus == 0);
  system.version1("/a", "250000\n", "100000\n");
  CHECK(system.quota().cpus == 2.5);
  CHECK(system.quota().file == "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us");
  system.put("sys/fs/cgroup/unified/d/cpu.max", "200000 100000\n");
  CHECK(system.quota().cpus == 2);
}

TEST_CASE("C07: inside a container the mount may show a group by another path than the process has") {
  const FakeSystem system;
  system.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  SUBCASE("the container's group is mounted and the path is the host's") {
    system.groups("0::/docker/abc\n");
    system.mounts("31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  }
  SUBCASE("a group below the mounted one") {
    system.groups("0::/docker/abc/inner\n");
    system.mounts("31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    system.put("sys/fs/cgroup/inner/cpu.max", "max 100000\n");
  }
  SUBCASE("the path leads out of the namespace") {
    system.groups("0::/../../other\n");
    system.mounts(mount2);
    system.put("other/cpu.max", "100000 100000\n");
  }
  SUBCASE("a name that only begins like the mounted one") {
    system.groups("0::/docker/abcdef\n");
    system.mounts("31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    system.put("sys/fs/cgroup/def/cpu.max", "100000 100000\n");
  }
  CHECK(system.quota().cpus == 2);
}

TEST_CASE("C07: a mount point with a blank, and none of the controller") {
  const FakeSystem system;
  system.groups("0::/\n3:cpuset:/\n");
  system.mounts("1 1 0:1 / /c\\040g rw - cgroup2 x rw\n2 1 0:2 / /sys/fs/cgroup/cpuset rw - cgroup x rw,cpuset\n");
  system.put("c g/cpu.max", "300000 100000\n");
  system.put("sys/fs/cgroup/cpuset/cpu.cfs_quota_us", "100000\n");
  system.put("sys/fs/cgroup/cpuset/cpu.cfs_period_us", "100000\n");
  CHECK(system.quota().cpus == 3);
}

TEST_CASE("C07: no text in these files does harm") {
  for (const char* groups : {"", "0", "0:", "0::", ":::", "0::/\n", "\n\n\n", "0::/a\n", "0::relative\n", "4:cpu:\n"}) {
    for (const char* mounts :
         {"", "-", " - ", "1 2 3 4 5 6 - cgroup2", "- cgroup2 a b", "1 2 3 / / rw - cgroup2 x rw\n",
          "1 2 3 \\04 \\ rw - cgroup2 x rw", "1 2 3 / relative rw - cgroup x rw,cpu\n"}) {
      const FakeSystem system;
      system.groups(groups);
      system.mounts(mounts);
      CHECK(system.quota().cpus == 0);
    }
  }
  CHECK(FakeSystem().quota().cpus == 0);
  CHECK(cpu_quota("/nowhere/at/all").cpus == 0);
}

TEST_CASE("C07: files that are none") {
  const FakeSystem system;
  std::filesystem::create_directories(system.folder.path() / "proc/self/cgroup");
  system.mounts(mount2);
  CHECK(system.quota().cpus == 0);
  std::filesystem::remove(system.folder.path() / "proc/self/cgroup");
  system.groups("0::/\n");
  std::filesystem::create_directories(system.folder.path() / "sys/fs/cgroup");
  REQUIRE(mkfifo(system.folder.file("sys/fs/cgroup/cpu.max").c_str(), 0600) == 0);  // nobody writes into it
  CHECK(system.quota().cpus == 0);
}

TEST_CASE("C07: the locale of the host changes nothing") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  CHECK(version2_quota("1500000 1000000\n") == 1.5);
  std::locale::global(before);
}
