// A host that takes over the locale of its environment before it uses the library, as programs with windows do. It
// writes all that the library says in numbers to standard output, and its decimal point to standard error.
#include <clocale>
#include <cstdio>
#include <fstream>
#include <functional>
#include <headwise/headwise.hpp>
#include <iterator>
#include <locale>
#include <string>

namespace {

using namespace headwise;

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

// %a knows a decimal point too, so bits are written as a number.
void say_bits(const Tensor& tensor) {
  const auto* bytes = static_cast<const unsigned char*>(tensor.view().data);
  std::uint64_t sum = 1469598103934665603u;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.size()) * 4; ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
  say(std::to_string(sum));
}

void say_error(const std::function<void()>& call) {
  try {
    call();
    say("no error");
  } catch (const Error& error) {
    say(error.what());
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void load_and_run(const std::string& folder) {
  const AttentionWeights weights = load_attention(folder + "/model.safetensors");
  const AttentionConfig config = resolve(weights.config);
  say(config.softcap == 1234.5F ? "softcap 1234.5" : "softcap " + std::to_string(static_cast<int>(config.softcap)));
  say(config.norm_epsilon == 1e-5F ? "epsilon 1e-5" : "another epsilon");
  const MultiHeadAttention attention(weights);
  Session session(attention, {.threads = 2});
  Tensor x({1, 1200, 8}), y({1, 1200, 8});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 0.01F * static_cast<float>(i % 37);
  session.run({.query = x, .key = x, .value = x, .causal = true}, {.output = y});
  say_bits(y);
  say(session.explain({.query = x, .key = x, .value = x, .causal = true}, {.output = y}).to_string());
  save_npy(folder + "/y.npy", y);
  say(bytes_of(folder + "/y.npy"));
  say_bits(load_npy(folder + "/y.npy"));
}

void fail(const std::string& folder) {
  say_error([&] { load_attention(folder + "/model.safetensors", {.softcap = -1234.5F}); });
  say_error([&] { load_attention(folder + "/model.safetensors", {.rotary = RotaryConfig{.dim = 4, .base = 0.5}}); });
  say_error([&] { load_attention(folder + "/model.safetensors", {.scale = -1e30F, .norm_epsilon = -0.125F}); });
  say_error([&] { Tensor({1234567, -1}); });
  std::ofstream(folder + "/config.json") << R"({"num_attention_heads": 2, "rms_norm_eps": "0.5"})";
  say_error([&] { load_attention(folder + "/model.safetensors"); });
  std::ofstream(folder + "/config.json")
      << R"({"num_attention_heads": 2, "rms_norm_eps": 0.5, "attn_logit_softcapping": -7.25})";
  say_error([&] { load_attention(folder + "/model.safetensors"); });
}

}  // namespace

// setlocale of glibc keeps the list of folders that it reads from LOCPATH, for each call anew.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:__argz_add_sep";
}

int main(int count, char** arguments) {
  if (count != 2 || std::setlocale(LC_ALL, "") == nullptr) return 2;
  std::locale::global(std::locale(""));
  const std::string point = std::localeconv()->decimal_point;
  load_and_run(arguments[1]);
  fail(arguments[1]);
  std::fprintf(stderr, "decimal point %s\n", point.c_str());
  const bool kept = point == std::localeconv()->decimal_point && std::locale() == std::locale("");
  return kept ? 0 : 1;
}
