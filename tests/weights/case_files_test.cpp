// Every weight file, shard index and .npy of tests/data/cases whose name begins with b has a line in verdicts.tsv that
// says what reading it must give.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "expect_error.hpp"
#include "headwise/weights.hpp"

using namespace headwise;

namespace {

const std::string folder = HEADWISE_TEST_DATA "/cases";

struct Verdict {
  std::string code, text;
};

std::map<std::string, Verdict> read_verdicts() {
  std::ifstream stream(folder + "/verdicts.tsv");
  std::map<std::string, Verdict> verdicts;
  for (std::string line, file; std::getline(stream, line);) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    Verdict verdict;
    std::getline(fields, file, '\t');
    std::getline(fields, verdict.code, '\t');
    std::getline(fields, verdict.text);
    verdicts[file] = verdict;
  }
  return verdicts;
}

// "1,2.5": the elements of a tensor of any type.
std::string values_text(const Tensor& tensor) {
  const Tensor numbers = convert(tensor, DType::f64);
  std::ostringstream text;
  for (std::int64_t i = 0; i < numbers.size(); ++i) text << (i == 0 ? "" : ",") << numbers.data<double>()[i];
  return text.str();
}

// "a=1 b=2": the values of all tensors that have a type and a shape to read.
std::string safetensors_text(const std::string& path) {
  const WeightFile file = WeightFile::open(path);
  std::string text;
  for (const TensorInfo& info : file.tensors()) {
    const bool readable = info.end > info.begin;
    if (readable) text += (text.empty() ? "" : " ") + info.name + "=" + values_text(file.read(info.name));
  }
  return text;
}

std::string content_text(const std::string& path) {
  if (path.find(".npy") == std::string::npos) return safetensors_text(path);
  const Tensor tensor = load_npy(path);
  return to_string(tensor.shape()) + " " + values_text(tensor);
}

ErrorCode code_of(const std::string& name) {
  return name == "unsupported" ? ErrorCode::unsupported : ErrorCode::bad_file;
}

bool has_all_words(const std::string& text, const std::string& words) {
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (text.find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("each case file gives its stated result") {
  for (const auto& line : read_verdicts()) {
    const std::string& file = line.first;
    const Verdict& verdict = line.second;
    CAPTURE(file);
    const std::string path = folder + "/" + file;
    if (verdict.code != "ok") {
      expect_error(code_of(verdict.code), {verdict.text, file}, [&] { content_text(path); });
      continue;
    }
    const std::string content = content_text(path);
    CAPTURE(content);
    CHECK(has_all_words(content, verdict.text));
  }
}

TEST_CASE("no case file is forgotten") {
  const auto verdicts = read_verdicts();
  CHECK(verdicts.size() >= 79);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    const std::string name = entry.path().filename().string();
    const bool is_case = extension == ".npy" || extension == ".safetensors" || extension == ".json";
    if (name[0] != 'b' || !is_case) continue;
    CAPTURE(name);
    CHECK(verdicts.count(name) == 1);
  }
}
