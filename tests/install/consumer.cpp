// What consumer.c does, in C++. Also catches an exception that the library throws.
#include <cstdio>
#include <headwise/headwise.hpp>

int main() {
  headwise::Tensor x({10, 64}), y({10, 64}), narrow({10, 63});
  for (int i = 0; i < 10 * 64; ++i) x.data()[i] = static_cast<float>(i % 7);
  const headwise::MultiHeadAttention attention(headwise::random_weights({.model_dim = 64, .num_heads = 4}, 1));
  headwise::Session session(attention);
  session.run({.query = x, .key = x, .value = x}, {.output = y});
  try {
    session.run({.query = narrow, .key = narrow, .value = narrow}, {.output = y});
    std::fputs("a wrong width was taken\n", stderr);
    return 1;
  } catch (const headwise::Error& error) {
    if (error.code() != headwise::ErrorCode::invalid_argument) return 1;
  }
  std::printf("headwise %s %.9g\n", headwise::version(), static_cast<double>(y.data()[100]));
}
