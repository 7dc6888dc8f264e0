// The files of one call by what they are for, so that none that is read is written over.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headwise::tools {

using NamedPath = std::pair<std::string, std::string>;  // an option or what else names the file, and its path

// Throws UsageError for a target that is one of the files read, or another target; "" and "-" are none.
void check_targets_differ(const std::vector<NamedPath>& targets, std::vector<NamedPath> read);

// What a model's folder is read from: weights, settings, tokenizer. Empty for anything but a folder.
std::vector<NamedPath> model_files(const std::string& folder);

}  // namespace headwise::tools
