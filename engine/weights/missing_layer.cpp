#include "missing_layer.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "layout_search.hpp"
#include "text.hpp"

namespace headwise {
namespace {

constexpr std::size_t most_layers = 5, most_near = 2;  // an error is no wall of text

// A layout under a prefix that some tensors of the file speak for.
struct Candidate {
  const Layout* layout = nullptr;
  std::string prefix;
  int present = 0;    // weights found under the prefix
  int elsewhere = 0;  // weights found under any prefix

  int missing() const { return static_cast<int>(layout->weights.size()) - present; }
  bool better_than(const Candidate& other) const {
    if (other.layout == nullptr) return true;
    const int score = present - missing(), other_score = other.present - other.missing();
    return score != other_score ? score > other_score : elsewhere > other.elsewhere;
  }
};

std::string with_dot(const std::string& prefix) {
  return prefix.empty() || prefix.back() == '.' ? prefix : prefix + ".";
}

bool is_part_anywhere(const WeightFile& file, std::string_view part) {
  return std::any_of(file.tensors().begin(), file.tensors().end(),
                     [&](const TensorInfo& tensor) { return prefix_before(tensor.name, part).has_value(); });
}

std::set<std::string> prefixes_for(const WeightFile& file, const Layout& layout, const LoadOptions& options) {
  if (!options.prefix.empty()) return {with_dot(options.prefix)};
  std::set<std::string> prefixes;
  for (const TensorInfo& tensor : file.tensors()) {
    for (const PartName& part : layout.weights) {
      if (const auto prefix = prefix_before(tensor.name, part.name)) prefixes.emplace(*prefix);
    }
  }
  return prefixes;
}

Candidate best_candidate(const WeightFile& file, const LoadOptions& options) {
  Candidate best;
  for (const LayoutPointer& layout : known_layouts()) {
    if (!options.family.empty() && layout->family != options.family) continue;
    Candidate candidate{layout.get(), {}, 0, 0};
    for (const PartName& part : layout->weights) candidate.elsewhere += is_part_anywhere(file, part.name);
    for (const std::string& prefix : prefixes_for(file, *layout, options)) {
      candidate.prefix = prefix;
      candidate.present =
          static_cast<int>(std::count_if(layout->weights.begin(), layout->weights.end(), [&](const PartName& part) {
            return file.find(prefix + part.name) != nullptr;
          }));
      if (candidate.present + candidate.elsewhere > 0 && candidate.better_than(best)) best = candidate;
    }
  }
  return best;
}

// Insertions, deletions and replacements that lead from one name to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

bool is_near(std::string_view tensor, const std::string& wanted, std::string_view part) {
  constexpr std::size_t longest = 128, most_edits = 2;
  if (prefix_before(tensor, part)) return true;
  const std::size_t shorter = std::min(tensor.size(), wanted.size()), longer = std::max(tensor.size(), wanted.size());
  return longer <= longest && longer - shorter <= most_edits && edit_distance(tensor, wanted) <= most_edits;
}

bool is_present_part(std::string_view tensor, const Candidate& candidate) {
  const auto prefix = [&](const PartName& part) { return prefix_before(tensor, part.name); };
  return std::any_of(candidate.layout->weights.begin(), candidate.layout->weights.end(),
                     [&](const PartName& part) { return prefix(part) == candidate.prefix; });
}

std::string near_matches(const WeightFile& file, const Candidate& candidate, std::string_view part) {
  const std::string wanted = candidate.prefix + std::string(part);
  std::vector<std::string> near;
  for (const TensorInfo& tensor : file.tensors()) {
    if (near.size() == most_near) break;
    const bool free = !is_present_part(tensor.name, candidate);
    if (free && is_near(tensor.name, wanted, part)) near.push_back(in_quotes(tensor.name));
  }
  return near.empty() ? "" : " (near: " + join(near) + ")";
}

std::string missing_names(const WeightFile& file, const Candidate& candidate) {
  std::vector<std::string> names;
  for (const PartName& part : candidate.layout->weights) {
    const std::string wanted = candidate.prefix + part.name;
    if (file.find(wanted) == nullptr) names.push_back(in_quotes(wanted) + near_matches(file, candidate, part.name));
  }
  return "; missing for " + candidate.layout->family + ": " + join(names);
}

// When not one name of the file is known: what would have been, by a few examples.
std::string known_names() {
  constexpr std::string_view examples[] = {"in_proj_weight", "self.query.weight", "w_q.weight", "qkv.weight"};
  std::vector<std::string> lines;
  for (const LayoutPointer& layout : known_layouts()) {
    const std::string& first = layout->weights.front().name;
    if (std::find(std::begin(examples), std::end(examples), first) == std::end(examples)) continue;
    std::vector<std::string> names;
    for (const PartName& part : layout->weights) names.push_back(part.name);
    lines.push_back(layout->family + " needs " + join(names));
  }
  return "; missing are all names that would make one, for example " + join(lines, "; ") +
         "; list_families() has them all, and LoadOptions::name_map can say which tensor is which matrix";
}

std::string found_layers(const std::vector<LaidOutLayer>& all) {
  std::vector<std::string> found;
  for (const LaidOutLayer& layer : all) {
    if (found.size() == most_layers) {
      found.push_back("… " + std::to_string(all.size() - most_layers) + " more");
      break;
    }
    found.push_back(in_quotes(layer.prefix) + " (" +
                    (layer.family.empty() ? join(layer.candidates, " or ") : layer.family) + ")");
  }
  return all.empty() ? "" : "; found are the prefixes " + join(found);
}

void check_family(const std::string& family) {
  std::vector<std::string> families;
  for (const LayoutPointer& layout : known_layouts()) {
    if (layout->family == family) return;
    if (families.empty() || families.back() != layout->family) families.push_back(layout->family);
  }
  throw Error(ErrorCode::invalid_argument, "unknown family " + in_quotes(family) + ", known are " + join(families));
}

}  // namespace

void throw_missing_layer(const WeightFile& file, const std::vector<LaidOutLayer>& all, const LoadOptions& options) {
  if (!options.family.empty()) check_family(options.family);
  std::string message = in_quotes(file.path()) + ": no attention layer";
  if (!options.prefix.empty()) message += " with the prefix " + in_quotes(options.prefix);
  if (!options.family.empty()) message += " of the family " + options.family;
  const Candidate candidate = best_candidate(file, options);
  message += found_layers(all);
  message += candidate.layout == nullptr ? known_names() : missing_names(file, candidate);
  // With layers in the file it is the caller who asked for another one.
  throw Error(all.empty() ? ErrorCode::bad_file : ErrorCode::invalid_argument, message);
}

void throw_missing_mapped(const WeightFile& file, const NameMap& map, std::int64_t number) {
  const std::vector<PartName> parts = map.parts(number);
  const auto is_free = [&](const TensorInfo& tensor) {
    return std::none_of(parts.begin(), parts.end(), [&](const PartName& part) { return part.name == tensor.name; });
  };
  std::vector<std::string> names;
  for (const std::string& name : map.missing(file, number)) {
    std::vector<std::string> near;
    for (const TensorInfo& tensor : file.tensors()) {
      if (near.size() == most_near) break;
      if (is_near(tensor.name, name, name) && is_free(tensor)) near.push_back(in_quotes(tensor.name));
    }
    names.push_back(in_quotes(name) + (near.empty() ? "" : " (near: " + join(near) + ")"));
  }
  throw Error(ErrorCode::invalid_argument, in_quotes(file.path()) + ": layer " + std::to_string(number) +
                                               " of the name map " + in_quotes(map.path()) + " lacks " + join(names));
}

}  // namespace headwise
