#include "mounts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "small_file.hpp"

namespace headwise::threads {
namespace {

// Hosts of many containers have thousands of mounts, at 200 bytes each.
constexpr std::size_t most_bytes = 4 << 20;

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char separator) {
  Words words;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool names_cpu(std::string_view list) {
  const Words words = split(list, ',');
  return std::find(words.begin(), words.end(), "cpu") != words.end();
}

// A blank in a path is written \040.
std::string unescaped(std::string_view path) {
  const auto octal = [&](std::size_t at) { return at < path.size() && path[at] >= '0' && path[at] <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      plain += static_cast<char>((path[i + 1] - '0') * 64 + (path[i + 2] - '0') * 8 + (path[i + 3] - '0'));
      i += 3;
    } else {
      plain += path[i];
    }
  }
  return plain;
}

// "0::/a/b" (version 2) or "4:cpu,cpuacct:/a/b".
std::optional<std::string> path_of_version(int version, std::string_view groups) {
  for (const std::string_view line : split(groups, '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool found = version == 2 ? line.starts_with("0::") : names_cpu(controllers);
    if (found) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

struct Mount {
  std::string root, point;  // `root` is the group that is seen at `point`
};

// "31 23 0:28 /root /point options [tags] - type source options": the version of the hierarchy, 0 for another mount.
int version_of(const Words& words) {
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 6 || words.end() - dash < 4) return 0;
  if (dash[1] == "cgroup2") return 2;
  return dash[1] == "cgroup" && names_cpu(dash[3]) ? 1 : 0;
}

std::optional<Mount> mount_of_version(int version, std::string_view mounts) {
  for (const std::string_view line : split(mounts, '\n')) {
    const Words words = split(line, ' ');
    if (version_of(words) == version) return Mount{unescaped(words[3]), unescaped(words[4])};
  }
  return std::nullopt;
}

// Inside a container the path may be the host's, while the mount shows the container's own group: then what lies at the
// mount point is all there is to see, as it is for paths that lead out of the namespace ("/../..").
std::string folder_of(const Mount& mount, std::string_view path) {
  const std::string_view above = mount.root == "/" ? "" : std::string_view(mount.root);
  const bool below = path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '/');
  if (!below || path.find("/..") != std::string_view::npos) return mount.point;
  std::string folder = mount.point + std::string(path.substr(above.size()));
  while (folder.size() > mount.point.size() && folder.back() == '/') folder.pop_back();
  return folder;
}

}  // namespace

std::vector<GroupFolder> cpu_group_folders(const std::string& root) {
  const std::string groups = read_small_file(root + "/proc/self/cgroup", most_bytes);
  const std::string mounts = read_small_file(root + "/proc/self/mountinfo", most_bytes);
  std::vector<GroupFolder> folders;
  for (const int version : {2, 1}) {
    const auto path = path_of_version(version, groups);
    const auto mount = mount_of_version(version, mounts);
    if (path && mount) folders.push_back({version, mount->point, folder_of(*mount, *path)});
  }
  return folders;
}

}  // namespace headwise::threads
