// The files of one call by what they are for, so that none that is read is written over.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "layer_options.hpp"

namespace headwise::tools {

using NamedPath = std::pair<std::string, std::string>;  // an option or what else names the file, and its path

// Throws UsageError for a target that is one of the files read, or another target; "" and "-" are none.
void check_targets_differ(const std::vector<NamedPath>& targets, std::vector<NamedPath> read);

// What belongs to a model: config.json, tokenizer, index, and the weights that it may read, all in its folder for a
// folder, and where there is an index. `model` is its folder, or a weight file or an index in it.
std::vector<NamedPath> model_files(const std::string& model);
// All that loading a layer may read; that without the weights which FILE, a folder or an index, names itself; that and
// the inputs of a call.
std::vector<NamedPath> layer_files(const LayerChoice& options);
std::vector<NamedPath> layer_settings(const LayerChoice& options);
std::vector<NamedPath> call_files(const LayerOptions& options);

}  // namespace headwise::tools
