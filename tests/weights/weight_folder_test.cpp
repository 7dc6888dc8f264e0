// Models in several files and folders.
#include <sys/stat.h>
#include <unistd.h>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"
#include "zip_writer.hpp"

using namespace headwise;

namespace {

constexpr const char* index_name = "model.safetensors.index.json";

Tensor filled(float value, const Dims& shape = {2}) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = value;
  return tensor;
}

void write_index(const TemporaryFolder& folder, const std::string& pairs) {
  folder.write(index_name, R"({"metadata":{"total_size":1},"weight_map":{)" + pairs + "}}");
}

// a in the first shard, b and c in the second one.
void write_two_shards(const TemporaryFolder& folder) {
  folder.write("s1.safetensors", safetensors_file({{"a", filled(1)}}));
  folder.write("s2.safetensors", safetensors_file({{"b", filled(2, {3})}, {"c", filled(3)}}));
  write_index(folder, R"("c":"s2.safetensors","a":"s1.safetensors","b":"s2.safetensors")");
}

void refused(const TemporaryFolder& folder, const std::vector<std::string>& words) {
  expect_error(ErrorCode::bad_file, words, [&] { WeightFile::open(folder.file(index_name)); });
}

}  // namespace

TEST_CASE("an index reads like one file") {
  const TemporaryFolder folder;
  write_two_shards(folder);
  const WeightFile file = WeightFile::open(folder.file(index_name));
  CHECK(std::string(file.format()) == "safetensors index");
  CHECK(file.path() == folder.file(index_name));
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.tensors()[0].file == "s1.safetensors");
  CHECK(file.find("c")->file == "s2.safetensors");
  CHECK(file.find("b")->begin == 8);
  CHECK(file.find("c")->end == 28);
  CHECK(file.read("a").data()[1] == 1.0F);
  CHECK(file.read("b").data()[2] == 2.0F);
  CHECK(file.read("c").data()[0] == 3.0F);
  expect_error(ErrorCode::invalid_argument, {"'d'", index_name}, [&] { file.read("d"); });
}

TEST_CASE("a layer in two shards loads as from one file") {
  const TemporaryFolder folder;
  const AttentionWeights layer = square_layer();
  const auto tensors = torch_packed(layer, "attn.");
  folder.write("whole.safetensors", safetensors_file(tensors));
  folder.write("s1.safetensors", safetensors_file({tensors[0], tensors[3]}));
  folder.write("s2.safetensors", safetensors_file({tensors[1], tensors[2]}));
  std::string pairs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    pairs += (i == 0 ? "\"" : ",\"") + tensors[i].name + "\":\"s" + (i % 3 == 0 ? "1" : "2") + ".safetensors\"";
  }
  write_index(folder, pairs);
  folder.write("config.json", R"({"num_attention_heads":3})");
  check_same(load_attention(folder.file(index_name)), load_attention(folder.file("whole.safetensors")));
  check_same(load_attention(folder.path().string()), load_attention(folder.file("whole.safetensors")));
  CHECK(heads_from_config(folder.path().string()) == 3);
}

TEST_CASE("every missing shard and tensor is named") {
  const TemporaryFolder folder;
  write_two_shards(folder);
  write_index(folder, R"("a":"s1.safetensors","x":"s3.safetensors","y":"s4.safetensors")");
  refused(folder, {index_name, "'s3.safetensors', 's4.safetensors'"});
  write_index(folder, R"("a":"s1.safetensors","x":"s1.safetensors","y":"s2.safetensors")");
  refused(folder, {index_name, "'x', 'y'"});
  // In another shard than the index says.
  write_index(folder, R"("a":"s2.safetensors","b":"s1.safetensors")");
  refused(folder, {"'a', 'b'"});
  std::string many;
  for (int i = 100; i < 150; ++i) many += R"("t)" + std::to_string(i) + R"(":"s1.safetensors",)";
  write_index(folder, many + R"("a":"s1.safetensors")");
  refused(folder, {"'t119' and 30 more"});
}

TEST_CASE("what the index forgot is listed, what is there twice is refused") {
  const TemporaryFolder folder;
  write_two_shards(folder);
  write_index(folder, R"("a":"s1.safetensors","b":"s2.safetensors")");
  CHECK(WeightFile::open(folder.file(index_name)).read("c").data()[0] == 3.0F);
  folder.write("s2.safetensors", safetensors_file({{"b", filled(2)}, {"a", filled(9)}}));
  refused(folder, {"'a' is in two shards, 's1.safetensors' and 's2.safetensors'"});
}

TEST_CASE("shards are held to the rules of single files") {
  const TemporaryFolder folder;
  write_two_shards(folder);
  folder.write("s2.safetensors", read_bytes(folder.file("s2.safetensors")) + "tail");
  refused(folder, {"s2.safetensors", "4 bytes longer"});
  OpenOptions lenient;
  lenient.allow_trailing_bytes = true;
  CHECK(WeightFile::open(folder.file(index_name), lenient).tensors().size() == 3);
  REQUIRE(::unlink(folder.file("s2.safetensors").c_str()) == 0);
  REQUIRE(::mkfifo(folder.file("s2.safetensors").c_str(), 0600) == 0);
  expect_error(ErrorCode::io, {"s2.safetensors", "not a regular file"},
               [&] { WeightFile::open(folder.file(index_name)); });
}

TEST_CASE("a file outside the folder is never a shard, but a link in the folder may lead to it") {
  const TemporaryFolder outside, folder;
  const std::string target = outside.write("secret.safetensors", safetensors_file({{"a", filled(1)}}));
  const std::string up = "../" + outside.path().filename().string() + "/secret.safetensors";
  for (const std::string& name : {target, up}) {
    write_index(folder, "\"a\":\"" + name + "\"");
    refused(folder, {"plain file name"});
  }
  REQUIRE(::symlink(target.c_str(), folder.file("s1.safetensors").c_str()) == 0);
  write_index(folder, R"("a":"s1.safetensors")");
  CHECK(WeightFile::open(folder.file(index_name)).read("a").data()[0] == 1.0F);
  REQUIRE(::unlink(target.c_str()) == 0);
  refused(folder, {"not there", "s1.safetensors"});
}

TEST_CASE("metadata of all shards is kept, that of the first by name where they differ") {
  const TemporaryFolder folder;
  folder.write("1", safetensors_bytes(R"({"__metadata__":{"k":"one","a":"1"}})", ""));
  folder.write("2", safetensors_bytes(
                        R"({"__metadata__":{"k":"two","b":"2"},"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                        R"("u":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
                        "x"));
  folder.write("3", safetensors_file({{"v", filled(1)}}));
  write_index(folder, R"("t":"2","v":"3")");
  CHECK(WeightFile::open(folder.file(index_name)).metadata().at("k") == "two");
  folder.write("1",
               safetensors_bytes(
                   R"({"__metadata__":{"k":"one","a":"1"},"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", ""));
  write_index(folder, R"("t":"2","v":"3","w":"1")");
  const WeightFile file = WeightFile::open(folder.file(index_name));
  CHECK(file.metadata() == std::map<std::string, std::string>{{"k", "one"}, {"a", "1"}, {"b", "2"}});
  CHECK(file.find("v")->begin == 1);
}

TEST_CASE("an index that is too large is not read") {
  const TemporaryFolder folder;
  const std::string path = folder.write(index_name, "{");
  REQUIRE(::truncate(path.c_str(), (64 << 20) + 1) == 0);
  refused(folder, {"64 MiB"});
}

TEST_CASE("a folder means the model in it") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const auto fails = [&](const std::vector<std::string>& words) {
    expect_error(ErrorCode::io, words, [&] { WeightFile::open(path); });
  };
  fails({path, "model.safetensors", "empty"});
  for (int i = 10; i < 30; ++i) folder.write("x" + std::to_string(i), "");
  fails({"it holds 'x10', ", "'x19' and 10 more"});
  folder.write("zz.safetensors", safetensors_file({{"z", filled(5)}}));
  fails({"it holds 'zz.safetensors', 'x10'"});
  write_two_shards(folder);
  CHECK(WeightFile::open(path).path() == folder.file(index_name));
  CHECK(WeightFile::open(path + "/").tensors().size() == 3);
  folder.write("model.safetensors", safetensors_file({{"m", filled(7)}}));
  fails({"both"});
  REQUIRE(::unlink(folder.file(index_name).c_str()) == 0);
  CHECK(WeightFile::open(path).read("m").data()[0] == 7.0F);
}

TEST_CASE("the name tells the format, else the first bytes") {
  const TemporaryFolder folder;
  const std::string npz = zip_bytes({{"a.npy", npy_bytes(filled(1), "<f4")}});
  const std::string safetensors = safetensors_file({{"a", filled(1)}});
  for (const char* name : {"x.npz", "x", "x.bin"}) {
    CHECK(std::string(WeightFile::open(folder.write(name, npz)).format()) == "npz");
  }
  CHECK(WeightFile::open(folder.write("empty", zip_bytes({}))).tensors().empty());
  for (const char* name : {"x.safetensors", "x", "x.bin", "x.npy"}) {
    CHECK(std::string(WeightFile::open(folder.write(name, safetensors)).format()) == "safetensors");
  }
  expect_error(ErrorCode::bad_file, {"x.safetensors"}, [&] { WeightFile::open(folder.write("x.safetensors", npz)); });
  expect_error(ErrorCode::bad_file, {"x.npz"}, [&] { WeightFile::open(folder.write("x.npz", safetensors)); });
  expect_error(ErrorCode::bad_file, {"x.json"}, [&] { WeightFile::open(folder.write("x.json", safetensors)); });
  expect_error(ErrorCode::unsupported, {"x.npy", ".npz"},
               [&] { WeightFile::open(folder.write("x.npy", npy_bytes(filled(1), "<f4"))); });
}
