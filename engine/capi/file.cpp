#include "boundary.hpp"
#include "handles.hpp"
#include "load_options.hpp"
#include "structs.hpp"

using namespace headwise::capi;

headwise_status headwise_file_open(const char* path, const headwise_open_options* options, headwise_file** file) {
  return guard([&] {
    auto& result = deref("file", file);
    result = new headwise_file{headwise::WeightFile::open(read_text("path", path), read_open_options(options))};
  });
}

void headwise_file_free(headwise_file* file) {
  delete file;
}

headwise_status headwise_file_info_get(const headwise_file* file, headwise_file_info* info) {
  return guard([&] {
    const headwise::WeightFile& f = deref("file", file).file;
    write_struct<headwise_file_info>("info", info,
                                     {0, f.path().c_str(), count_of(f.tensors()), count_of(f.metadata()), f.format()});
  });
}

headwise_status headwise_file_tensor(const headwise_file* file, int64_t index, headwise_tensor_info* info) {
  return guard([&] {
    const headwise::TensorInfo& t = element_at("index", deref("file", file).file.tensors(), index);
    write_struct<headwise_tensor_info>(
        "info", info,
        {0, t.name.c_str(), t.dtype.c_str(), count_of(t.shape), t.shape.data(), t.begin, t.end, t.file.c_str()});
  });
}

headwise_status headwise_file_find(const headwise_file* file, const char* name, int64_t* index) {
  return guard([&] {
    const headwise::WeightFile& f = deref("file", file).file;
    const headwise::TensorInfo* found = f.find(read_text("name", name));
    deref("index", index) = found == nullptr ? -1 : found - f.tensors().data();
  });
}

headwise_status headwise_file_metadata(const headwise_file* file, int64_t index, const char** key, const char** value) {
  return guard([&] { give_entry(deref("file", file).file.metadata(), index, key, value); });
}

headwise_status headwise_file_read(const headwise_file* file, const char* name, headwise_progress progress,
                                   void* progress_user, headwise_tensor** tensor) {
  return guard([&] {
    auto& result = deref("tensor", tensor);
    const headwise::WeightFile& f = deref("file", file).file;
    const std::string wanted = read_text("name", name);
    result = new headwise_tensor{progress == nullptr ? f.read(wanted)
                                                     : f.read(wanted, read_progress(progress, progress_user))};
  });
}

headwise_status headwise_heads_from_config(const char* weight_file, int64_t* num_heads) {
  return guard([&] {
    auto& result = deref("num_heads", num_heads);
    result = headwise::heads_from_config(read_text("weight_file", weight_file)).value_or(0);
  });
}
