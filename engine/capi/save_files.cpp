#include "boundary.hpp"
#include "c_views.hpp"
#include "handles.hpp"
#include "quotes.hpp"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

std::vector<headwise::NamedView> read_named_views(const headwise_named_view* tensors, int64_t count) {
  std::vector<headwise::NamedView> result;
  for (const headwise_named_view& named : read_list("tensors", tensors, count)) {
    const std::string name = read_text("a tensor's name", named.name);
    result.push_back({name, read_view(("tensor " + headwise::in_quotes(name)).c_str(), &named.tensor)});
  }
  return result;
}

std::map<std::string, std::string> read_notes(const headwise_note* notes, int64_t count) {
  std::map<std::string, std::string> result;
  for (const headwise_note& note : read_list("metadata", notes, count)) {
    const std::string key = read_text("a key of metadata", note.key);
    const bool added = result.emplace(key, read_text("a value of metadata", note.value)).second;
    if (!added) refuse("metadata", "has the key " + headwise::in_quotes(key) + " twice");
  }
  return result;
}

headwise::WrittenCheck read_check(const headwise_save_options* options) {
  const auto given = read_options(options);
  if (given.check == nullptr) return {};
  return [given](const headwise::WeightFile& written) {
    const headwise_file file(written);
    const int32_t result = given.check(&file, given.check_user);
    if (result != 0) refuse_failure("the check of the written file", result);
  };
}

}  // namespace

headwise_status headwise_save_safetensors(const char* path, const headwise_named_view* tensors, int64_t num_tensors,
                                          const headwise_note* metadata, int64_t num_metadata,
                                          const headwise_save_options* options) {
  return guard([&] {
    headwise::save_safetensors(read_text("path", path), read_named_views(tensors, num_tensors),
                               read_notes(metadata, num_metadata), read_check(options));
  });
}

headwise_status headwise_save_bytes(const char* path, const void* bytes, size_t count) {
  return guard([&] {
    if (count > 0) deref("bytes", static_cast<const char*>(bytes));
    headwise::save_bytes(read_text("path", path), {static_cast<const char*>(bytes), count});
  });
}

headwise_status headwise_save_npz(const char* path, const headwise_named_view* tensors, int64_t num_tensors,
                                  const headwise_save_options* options) {
  return guard([&] {
    headwise::save_npz(read_text("path", path), read_named_views(tensors, num_tensors), read_check(options));
  });
}
