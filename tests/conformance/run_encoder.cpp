// Runs an encoder on every case of a folder, NAME.ids.npy with NAME.starts.npy, and writes NAME.states.npy and
// NAME.attention.npy.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "headwise/headwise.hpp"

namespace {

using namespace headwise;
namespace fs = std::filesystem;

std::int64_t longest_of(const Tensor& starts) {
  std::int64_t longest = 0;
  for (std::int64_t b = 0; b + 1 < starts.size(); ++b) {
    longest = std::max(longest, starts.data<std::int64_t>()[b + 1] - starts.data<std::int64_t>()[b]);
  }
  return longest;
}

void run_case(const Encoder& encoder, EncoderSession& session, const std::string& name) {
  const Tensor ids = load_npy(name + ".ids.npy"), starts = load_npy(name + ".starts.npy");
  const EncoderConfig& c = encoder.config();
  const std::int64_t longest = longest_of(starts);
  Tensor states({c.num_layers + 1, ids.size(), c.model_dim});
  Tensor attention({c.num_layers, starts.size() - 1, c.num_heads, longest, longest});
  EncoderOutputs outputs;
  outputs.hidden_states = states.mutable_view();
  outputs.attention = attention.mutable_view();
  session.run({.token_ids = ids.view(), .cumulative_lengths = starts.view()}, outputs);
  save_npy(name + ".states.npy", states);
  save_npy(name + ".attention.npy", attention);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fputs("Usage: run_encoder MODEL_FOLDER CASE_FOLDER\n", stderr);
    return 2;
  }
  const Encoder encoder = Encoder::load(arguments[1]);
  EncoderSession session(encoder);
  for (const fs::directory_entry& entry : fs::directory_iterator(arguments[2])) {
    const std::string path = entry.path().string();
    const std::size_t end = path.rfind(".ids.npy");
    if (end != std::string::npos) run_case(encoder, session, path.substr(0, end));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "run_encoder: %s\n", error.what());
  return 1;
}
