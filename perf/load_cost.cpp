// What loading a layer costs: load_attention and MultiHeadAttention from a safetensors file in the page cache, over
// what nobody can avoid: the same bytes read from the file into new memory, and copied once more (to be packed).
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "headwise/headwise.hpp"
#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

struct Part {
  const char* name;
  const Tensor* tensor;
};

std::string header_of(const std::vector<Part>& parts) {
  std::string text = "{";
  std::int64_t at = 0;
  for (const Part& part : parts) {
    const std::int64_t end = at + 4 * part.tensor->size();
    text += (at == 0 ? "\"" : ",\"") + std::string(part.name) + "\":{\"dtype\":\"F32\",\"shape\":";
    text +=
        to_string(part.tensor->shape()) + ",\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(end) + "]}";
    at = end;
  }
  return text + "}";
}

// The layer as torch's nn.MultiheadAttention would be saved if its inputs had matrices of their own.
void write_layer(const std::string& path, const AttentionWeights& w) {
  const std::vector<Part> parts{{"q_proj.weight", &w.query_weight}, {"k_proj.weight", &w.key_weight},
                                {"v_proj.weight", &w.value_weight}, {"out_proj.weight", &w.output_weight},
                                {"q_proj.bias", &w.query_bias},     {"k_proj.bias", &w.key_bias},
                                {"v_proj.bias", &w.value_bias},     {"out_proj.bias", &w.output_bias}};
  const std::string header = header_of(parts);
  const std::uint64_t length = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), 8);
  file << header;
  for (const Part& part : parts) {
    file.write(reinterpret_cast<const char*>(part.tensor->data()), std::streamsize(4 * part.tensor->size()));
  }
}

// Memory fresh from the system, as a process that loads a model gets it.
struct NewMemory {
  explicit NewMemory(std::size_t count) : bytes(count) {
    data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~NewMemory() { ::munmap(data, bytes); }
  void* data;
  std::size_t bytes;
};

double read_and_copy(const std::string& path, std::size_t bytes) {
  const double start = now();
  const int file = ::open(path.c_str(), O_RDONLY);
  const NewMemory read(bytes);
  const NewMemory packed(bytes);
  const bool whole = ::read(file, read.data, bytes) == ssize_t(bytes);
  ::close(file);
  std::memcpy(packed.data, read.data, whole ? bytes : 0);
  return now() - start;
}

struct Load {
  double reading, packing;
};
Load load(const std::string& path, const Sizes& s, bool self_attention_only) {
  const double start = now();
  const AttentionWeights weights = load_attention(path, {.layer = 0, .num_heads = s.heads});
  const double read = now();
  const MultiHeadAttention attention(weights, {.self_attention_only = self_attention_only});
  return {read - start, now() - read};
}

void measure(const std::string& path, const Sizes& s, bool self_attention_only) {
  write_layer(path, random_weights({.model_dim = s.width, .num_heads = s.heads}, 1));
  const auto bytes = static_cast<std::size_t>(std::filesystem::file_size(path));
  std::vector<double> reading, packing, ratios;
  ::mallopt(M_MMAP_THRESHOLD, 1 << 17);  // the allocator too shall not keep the memory of the round before
  for (int round = 0; round < 25; ++round) {
    const double least = read_and_copy(path, bytes);
    const Load cost = load(path, s, self_attention_only);
    reading.push_back(cost.reading);
    packing.push_back(cost.packing);
    ratios.push_back((cost.reading + cost.packing) / least);
  }
  std::printf("%6lld %9.2f %-10s %10.3f %10.3f %8.2f\n", (long long)s.width, double(bytes) / 1e6,
              self_attention_only ? "self only" : "any", median(reading) * 1e3, median(packing) * 1e3, median(ratios));
}

}  // namespace

int main() {
  const std::string path = (std::filesystem::temp_directory_path() / "headwise_load_cost.safetensors").string();
  std::printf("%6s %9s %-10s %10s %10s %8s\n", "width", "MB", "calls", "load, ms", "pack, ms", "ratio");
  for (const Sizes& s : {Sizes{1, 1, 64, 8}, Sizes{1, 1, 384, 12}, Sizes{1, 1, 768, 12}, Sizes{1, 1, 2048, 16}}) {
    for (const bool self_attention_only : {true, false}) measure(path, s, self_attention_only);
  }
  std::filesystem::remove(path);
}
