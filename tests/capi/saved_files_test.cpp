// Files that C writes are those of C++, to the byte, and a layer that is stored loads again.
#include "c_layers.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

struct Named {
  Tensor matrix = filled({2, 3}, 0.5F), turned = filled({3, 2}, 0.25F), scalar{Dims{}};
  const std::int64_t strides[2] = {1, 2};
  std::vector<headwise_named_view> c{{"b", {matrix.view().data, HEADWISE_F32, 2, {2, 3}, nullptr}},
                                     {"a", {turned.view().data, HEADWISE_F32, 2, {2, 3}, strides}},
                                     {"é", {scalar.view().data, HEADWISE_F32, 0, {}, nullptr}}};
  std::vector<NamedView> views{
      {"b", matrix}, {"a", TensorView(turned.view().data, DType::f32, {2, 3}, {1, 2})}, {"é", scalar}};
  std::vector<headwise_note> notes{{"format", "pt"}, {"a", ""}};
  std::int64_t count() const { return std::int64_t(c.size()); }
};

using Options = const headwise_save_options*;
using Writer = headwise_status (*)(const std::string&, const Named&, Options);

headwise_status save(const std::string& path, const Named& named, Options options = nullptr) {
  return headwise_save_safetensors(path.c_str(), named.c.data(), named.count(), named.notes.data(),
                                   std::int64_t(named.notes.size()), options);
}

headwise_status save_npz(const std::string& path, const Named& named, Options options = nullptr) {
  return headwise_save_npz(path.c_str(), named.c.data(), named.count(), options);
}

// What a check saw, and what it is to return.
struct Seen {
  std::string target;
  std::int32_t answer = 0;
  std::int64_t num_tensors = 0;
  std::string before{};
  float first = 0;
};

std::int32_t look(const headwise_file* written, void* user) {
  Seen& seen = *static_cast<Seen*>(user);
  auto info = ready<headwise_file_info>();
  OwnedTensor tensor;
  headwise_view view{};
  check_ok(headwise_file_info_get(written, &info));
  check_ok(headwise_file_read(written, "b", nullptr, nullptr, tensor.to()));
  check_ok(headwise_tensor_view(tensor, &view));
  seen.num_tensors = info.num_tensors;
  seen.first = *static_cast<const float*>(view.data);
  seen.before = read_bytes(seen.target);
  return seen.answer;
}

OwnedStoredLayer stored_layer(const headwise_weights* weights, const headwise_storage* storage = nullptr) {
  OwnedStoredLayer stored;
  check_ok(headwise_store_layer(weights, storage, stored.to()));
  return stored;
}

void save(const std::string& path, const headwise_stored_layer* stored) {
  auto info = ready<headwise_stored_layer_info>();
  check_ok(headwise_stored_layer_get(stored, &info));
  std::vector<headwise_named_view> tensors(std::size_t(info.num_tensors));
  std::vector<headwise_note> notes(std::size_t(info.num_metadata));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    check_ok(headwise_stored_layer_tensor(stored, std::int64_t(i), &tensors[i]));
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    check_ok(headwise_stored_layer_metadata(stored, std::int64_t(i), &notes[i].key, &notes[i].value));
  }
  check_ok(headwise_save_safetensors(path.c_str(), tensors.data(), info.num_tensors, notes.data(), info.num_metadata,
                                     nullptr));
}

void save(const std::string& path, const StoredLayer& stored) {
  std::vector<NamedView> views;
  for (const auto& [name, tensor] : stored.tensors) views.push_back({name, tensor});
  save_safetensors(path, views, stored.metadata);
}

}  // namespace

TEST_CASE("C saved files: the bytes are those of C++") {
  const TemporaryFolder folder;
  const Named named;
  const std::string c = folder.file("c"), cpp = folder.file("cpp");
  check_ok(save(c, named));
  save_safetensors(cpp, named.views, {{"format", "pt"}, {"a", ""}});
  CHECK(read_bytes(c) == read_bytes(cpp));
  check_ok(save_npz(c, named));
  headwise::save_npz(cpp, named.views);
  CHECK(read_bytes(c) == read_bytes(cpp));
  check_ok(headwise_save_safetensors(c.c_str(), nullptr, 0, nullptr, 0, nullptr));
  save_safetensors(cpp, {});
  CHECK(read_bytes(c) == read_bytes(cpp));
}

TEST_CASE("C saved files: a check reads the file before it has its name, and may refuse it") {
  const TemporaryFolder folder;
  const Named named;
  for (const Writer writer : {Writer{save}, Writer{save_npz}}) {
    const std::string path = folder.write("t", "old");
    Seen seen{.target = path, .answer = 7};
    auto options = ready<headwise_save_options>();
    options.check = look;
    options.check_user = &seen;
    check_refused(HEADWISE_IO, {"check of the written file", "7"}, writer(path, named, &options));
    CHECK(seen.num_tensors == 3);
    CHECK(seen.first == named.matrix.data()[0]);
    CHECK(seen.before == "old");
    CHECK(read_bytes(path) == "old");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    check_refused(HEADWISE_IO, {"read back"}, writer("/dev/null", named, &options));
    seen.answer = 0;
    check_ok(writer(path, named, &options));
    CHECK(read_bytes(path) != "old");
    options.check = nullptr;
    check_ok(writer(path, named, &options));
    options.struct_size = 1;
    check_invalid({"struct_size"}, writer(path, named, &options));
  }
}

TEST_CASE("C saved files: any bytes") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t"), bytes("a\0b", 3);
  check_ok(headwise_save_bytes(path.c_str(), bytes.data(), bytes.size()));
  CHECK(read_bytes(path) == bytes);
  check_invalid({"bytes", "NULL"}, headwise_save_bytes(path.c_str(), nullptr, 1));
  CHECK(read_bytes(path) == bytes);
  check_ok(headwise_save_bytes(path.c_str(), nullptr, 0));
  CHECK(read_bytes(path).empty());
  check_refused(HEADWISE_IO, {"/no/such/folder"}, headwise_save_bytes("/no/such/folder/t", bytes.data(), 1));
}

TEST_CASE("C saved files: an .npz file is opened and read as any other") {
  const TemporaryFolder folder;
  const Named named;
  const std::string path = folder.file("t.npz");
  check_ok(save_npz(path, named));
  OwnedFile file;
  auto info = ready<headwise_file_info>();
  check_ok(headwise_file_open(path.c_str(), nullptr, file.to()));
  check_ok(headwise_file_info_get(file, &info));
  CHECK(std::string(info.format) == "npz");
  CHECK(info.num_tensors == 3);
  for (const auto& [name, expected] : load_npz(path)) {
    OwnedTensor tensor;
    headwise_view view{};
    check_ok(headwise_file_read(file, name.c_str(), nullptr, nullptr, tensor.to()));
    check_ok(headwise_tensor_view(tensor, &view));
    CHECK(Dims(view.shape, std::size_t(view.rank)) == expected.shape());
    CHECK(std::memcmp(view.data, expected.data(), std::size_t(expected.size()) * 4) == 0);
  }
}

TEST_CASE("C saved files: arguments that are none leave no file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t");
  const auto refuse = [&](const std::vector<std::string>& words, const auto& spoil) {
    Named named;
    spoil(named);
    check_invalid(words, save(path, named));
    check_invalid(words, save_npz(path, named));
  };
  refuse({"name", "NULL"}, [](Named& n) { n.c[1].name = nullptr; });
  refuse({"'a'", "dtype", "99"}, [](Named& n) { n.c[1].tensor.dtype = 99; });
  refuse({"'a'", "rank 9"}, [](Named& n) { n.c[1].tensor.rank = 9; });
  refuse({}, [](Named& n) { n.c[1].tensor.data = nullptr; });
  refuse({}, [](Named& n) { n.c[1].tensor.shape[0] = -1; });
  refuse({"'b'", "two"}, [](Named& n) { n.c[1].name = "b"; });
  refuse({"UTF-8"}, [](Named& n) { n.c[1].name = "\xff"; });
  const auto refuse_note = [&](const std::vector<std::string>& words, const headwise_note& note) {
    Named named;
    named.notes.push_back(note);
    check_invalid(words, save(path, named));
  };
  refuse_note({"key", "NULL"}, {nullptr, "x"});
  refuse_note({"value", "NULL"}, {"x", nullptr});
  refuse_note({"'format'", "twice"}, {"format", "x"});
  refuse_note({"UTF-8"}, {"x", "\xff"});
  const Named named;
  for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN}) {
    check_invalid({"tensors", "negative"}, headwise_save_npz(path.c_str(), named.c.data(), count, nullptr));
    check_invalid({"metadata", "negative"},
                  headwise_save_safetensors(path.c_str(), nullptr, 0, named.notes.data(), count, nullptr));
  }
  check_invalid({"tensors", "NULL"}, headwise_save_safetensors(path.c_str(), nullptr, 1, nullptr, 0, nullptr));
  check_invalid({"metadata", "NULL"}, headwise_save_safetensors(path.c_str(), nullptr, 0, nullptr, 1, nullptr));
  check_invalid({}, headwise_save_npz(path.c_str(), nullptr, 0, nullptr));
  CHECK(!std::filesystem::exists(path));
  check_refused(HEADWISE_IO, {}, save("/no/such/folder/t", named));
}

TEST_CASE("C saved files: a layer is stored as in C++, and loads again") {
  const TemporaryFolder folder;
  AttentionWeights layer = random_weights(grouped_config(), 5);
  layer.config.softcap = 30;
  const OwnedWeights weights = c_weights(layer);
  const std::string c = folder.file("c.safetensors"), cpp = folder.file("cpp.safetensors");
  const char* const matrices[] = {"q_proj.weight"};
  auto storage = ready<headwise_storage>();
  save(c, stored_layer(weights));
  save(cpp, store_layer(layer, {}));
  CHECK(read_bytes(c) == read_bytes(cpp));
  storage.family = "llama";
  storage.matrices = matrices;
  storage.num_matrices = 1;
  storage.prefix = "model.layers.0.self_attn";
  storage.dtype = HEADWISE_BF16;
  const OwnedStoredLayer stored = stored_layer(weights, &storage);
  const StoredLayer expected = store_layer(
      layer,
      {.family = "llama", .matrices = {"q_proj.weight"}, .prefix = "model.layers.0.self_attn", .dtype = DType::bf16});
  save(c, stored);
  save(cpp, expected);
  CHECK(read_bytes(c) == read_bytes(cpp));
  auto info = ready<headwise_stored_layer_info>();
  check_ok(headwise_stored_layer_get(stored, &info));
  CHECK(info.family == expected.family);
  CHECK(info.prefix == expected.prefix);
  OwnedWeights loaded;
  auto options = ready<headwise_load_options>();
  options.stored_check = HEADWISE_CHECK_REQUIRED;
  check_ok(headwise_weights_load(c.c_str(), &options, loaded.to()));
  check_same(loaded, load_attention(cpp));
}

TEST_CASE("C saved files: storages that are none, and weights that do not fit their config") {
  const OwnedWeights weights = c_weights(random_weights(grouped_config(), 5));
  const auto refuse = [&](headwise_status status, const std::vector<std::string>& words, const auto& spoil) {
    auto storage = ready<headwise_storage>();
    spoil(storage);
    OwnedStoredLayer stored;
    check_refused(status, words, headwise_store_layer(weights, &storage, stored.to()));
    CHECK(stored.handle == nullptr);
  };
  const char* const null_matrix[] = {"q_proj.weight", nullptr};
  const char* const no_matrix[] = {"no.such.weight"};
  const auto wrong = HEADWISE_INVALID_ARGUMENT;
  refuse(wrong, {"no such family"}, [](auto& s) { s.family = "no such family"; });
  refuse(wrong, {"fewer key/value heads"}, [](auto& s) { s.family = "gpt2"; });
  refuse(wrong, {"matrices", "negative"}, [](auto& s) { s.num_matrices = -1; });
  refuse(wrong, {"matrices", "NULL"}, [](auto& s) { s.num_matrices = 1; });
  refuse(wrong, {"matrices", "NULL"}, [&](auto& s) { s.matrices = null_matrix, s.num_matrices = 2; });
  refuse(wrong, {"no.such.weight"}, [&](auto& s) { s.matrices = no_matrix, s.num_matrices = 1; });
  for (const std::int32_t dtype : {-1, HEADWISE_BOOL + 1, INT32_MAX}) {
    refuse(wrong, {"dtype", std::to_string(dtype)}, [&](auto& s) { s.dtype = dtype; });
  }
  refuse(HEADWISE_UNSUPPORTED, {"floating", "integer"}, [](auto& s) { s.dtype = HEADWISE_I8; });
  const CConfig config(grouped_config());
  OwnedWeights empty;
  OwnedStoredLayer stored;
  OwnedCheck check;
  check_ok(headwise_weights_create(&config.config, empty.to()));
  check_invalid({"query_weight"}, headwise_store_layer(empty, nullptr, stored.to()));
  check_invalid({"query_weight"}, headwise_check_create(empty, "", check.to()));
}
