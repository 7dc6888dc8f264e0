// "-" among the files of a command line: an array or a text from standard input, a result on standard output. A file of
// that name is ./-.
#pragma once

#include <headwise/tensor.hpp>
#include <string>

namespace headwise::tools {

bool is_standard(const std::string& path);
// The path, or what "-" stands for.
std::string input_name(const std::string& path);
std::string output_name(const std::string& path);

// Reads at least one byte, or 0 at the end; waits where the descriptor would not. Throws CommandError with the name.
std::size_t read_some_of(int descriptor, const std::string& name, void* to, std::size_t count);
// To be called once before standard input is read in pieces. Throws UsageError for a second time, and for a terminal:
// "pipe <what> into it".
void claim_standard_input(const std::string& what);

// The array of a .npy file, or of what comes through standard input, which can be read once only. Throws UsageError for
// a second time and when standard input is a terminal, CommandError when nothing comes.
Tensor load_array(const std::string& path);
// All of a text on standard input. Throws UsageError as above, CommandError when there are more than `most` bytes.
std::string read_standard_text(std::size_t most);

// Writes the .npy file, or the same bytes to standard output.
void save_array(const std::string& path, const Tensor& tensor);
// Throws UsageError, naming the option, when a terminal would be shown the bytes of an array.
void check_standard_array(const std::string& option);

}  // namespace headwise::tools
