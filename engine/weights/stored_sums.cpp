#include "stored_sums.hpp"

#include <array>
#include <cmath>

namespace headwise {
namespace {

constexpr std::size_t num_rows = 3;
using Row = std::vector<double>;
using Rows = std::array<Row, num_rows>;

// The n-th number of a stream, from −1 to 1 (splitmix64 by Steele, Lea and Flood 2014): the same on every machine.
double fixed_number(std::uint64_t stream, std::uint64_t n) {
  std::uint64_t z = (stream << 48) + (n + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

Rows fixed_rows(std::uint64_t stream, std::int64_t width) {
  Rows rows;
  for (std::size_t r = 0; r < num_rows; ++r) {
    for (std::int64_t i = 0; i < width; ++i) {
      rows[r].push_back(fixed_number(stream + r, static_cast<std::uint64_t>(i)));
    }
  }
  return rows;
}

// A contiguous f32 tensor, converted where it is none.
class Floats {
 public:
  explicit Floats(const Tensor& tensor) {
    if (tensor.given() && tensor.dtype() != DType::f32) copy_ = convert(tensor, DType::f32);
    const Tensor& floats = copy_.given() ? copy_ : tensor;
    if (floats.given()) data_ = floats.data(), size_ = floats.size();
  }
  const float* data() const { return data_; }
  std::int64_t size() const { return size_; }

 private:
  Tensor copy_;
  const float* data_ = nullptr;
  std::int64_t size_ = 0;
};

// y = x·Wᵀ + b
Rows project(const Rows& x, const Tensor& weight, const Tensor& bias) {
  const Floats w(weight), b(bias);
  const std::size_t in = x[0].size(), out = static_cast<std::size_t>(w.size()) / in;
  Rows y;
  for (std::size_t o = 0; o < out; ++o) {
    const float* row = w.data() + o * in;
    std::array<double, num_rows> sums{};
    sums.fill(b.data() == nullptr ? 0.0 : static_cast<double>(b.data()[o]));
    for (std::size_t i = 0; i < in; ++i) {
      const auto element = static_cast<double>(row[i]);
      for (std::size_t r = 0; r < num_rows; ++r) sums[r] += element * x[r][i];
    }
    for (std::size_t r = 0; r < num_rows; ++r) y[r].push_back(sums[r]);
  }
  return y;
}

struct Head {
  std::size_t query, key, value;  // first component in a row of each
  std::size_t head_dim, value_dim;
};

std::array<double, num_rows> softmax_of(const Row& query, const Rows& keys, const Head& head) {
  std::array<double, num_rows> weights{};
  double sum = 0;
  for (std::size_t r = 0; r < num_rows; ++r) {
    double score = 0;
    for (std::size_t i = 0; i < head.head_dim; ++i) score += query[head.query + i] * keys[r][head.key + i];
    // Bounded, since large scores would make a sum of one weight: tanh keeps them between −1 and 1.
    weights[r] = std::exp(std::tanh(score / std::sqrt(static_cast<double>(head.head_dim))));
    sum += weights[r];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

void attend(const Rows& query, const Rows& key, const Rows& value, const Head& head, Rows& context) {
  for (std::size_t r = 0; r < num_rows; ++r) {
    const auto weights = softmax_of(query[r], key, head);
    for (std::size_t i = 0; i < head.value_dim; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < num_rows; ++k) sum += weights[k] * value[k][head.value + i];
      context[r].push_back(sum);
    }
  }
}

Rows attend_all(const Rows& query, const Rows& key, const Rows& value, const AttentionConfig& config) {
  const auto heads = static_cast<std::size_t>(config.num_heads),
             kv_heads = static_cast<std::size_t>(config.num_kv_heads);
  const auto head_dim = static_cast<std::size_t>(config.head_dim),
             value_dim = static_cast<std::size_t>(config.value_dim);
  Rows context;
  for (std::size_t h = 0; h < heads; ++h) {
    const std::size_t kv = h / (heads / kv_heads);
    attend(query, key, value, {h * head_dim, kv * head_dim, kv * value_dim, head_dim, value_dim}, context);
  }
  return context;
}

void add(StoredSum& sum, double element, std::uint64_t stream, std::uint64_t n) {
  const double term = element * fixed_number(stream, n);
  sum.value += term;
  sum.magnitude += std::fabs(term);
}

// Streams of the inputs and of the factors of sums.
enum Stream : std::uint64_t { query_inputs = 0, key_inputs = 10, value_inputs = 20, factors = 30 };

StoredSum sum_of(const std::string& what, const Rows& rows, std::uint64_t stream) {
  StoredSum sum{what};
  for (std::size_t r = 0; r < num_rows; ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i) add(sum, rows[r][i], stream + r, i);
  }
  return sum;
}

StoredSum sum_of_extras(const AttentionWeights& w) {
  StoredSum sum{"norms, sinks and added keys"};
  std::uint64_t stream = factors + 40;
  for (const Tensor* extra : {&w.query_norm, &w.key_norm, &w.sinks, &w.bias_key, &w.bias_value}) {
    const Floats values(*extra);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      add(sum, static_cast<double>(values.data()[i]), stream, static_cast<std::uint64_t>(i));
    }
    ++stream;
  }
  return sum;
}

}  // namespace

std::vector<StoredSum> stored_sums(const AttentionWeights& w, const AttentionConfig& config) {
  const Rows query = project(fixed_rows(query_inputs, config.model_dim), w.query_weight, w.query_bias);
  const Rows key = project(fixed_rows(key_inputs, config.key_input_dim), w.key_weight, w.key_bias);
  const Rows value = project(fixed_rows(value_inputs, config.value_input_dim), w.value_weight, w.value_bias);
  const Rows output = project(attend_all(query, key, value, config), w.output_weight, w.output_bias);
  return {sum_of("the query", query, factors), sum_of("the key", key, factors + 10),
          sum_of("the value", value, factors + 20), sum_of("the output", output, factors + 30), sum_of_extras(w)};
}

}  // namespace headwise
