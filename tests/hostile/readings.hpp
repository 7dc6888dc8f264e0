// Everything that reads a file, as one list, so that what holds for files is held for each reader.
#pragma once

#include <functional>
#include <string>
#include <vector>

struct Reading {
  std::string name;                                     // of the file that it reads: a good one is in good_folder()
  std::function<std::string(const std::string&)> read;  // gives all that was read, as bytes
};

const std::vector<Reading>& readings();

// A folder with a good file for each reader, which stays until the program ends.
const std::string& good_folder();
