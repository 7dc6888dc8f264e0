// Everything that reads a file, as one list, so that what holds for files is held for each reader.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

struct Reading {
  // Of the file that it reads: a good one is in good_folder(), or in the folder of a model in there.
  std::string name;
  std::function<std::string(const std::string&)> read;  // gives all that was read, as bytes
  std::string takes{};  // how the names of files end that it may take too; it does not look for anything in them

  bool in_model() const { return name.find('/') != std::string::npos; }
};

const std::vector<Reading>& readings();

// Where the reading looks for its file in a new folder: what else belongs to a model is there, the file itself is not.
std::string place_in(const TemporaryFolder& folder, const Reading& reading);

// A folder with a good file for each reader, which stays until the program ends.
const std::string& good_folder();
