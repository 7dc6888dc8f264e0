// Scores, softmax and context in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "double_layer.hpp"
#include "double_mask.hpp"
#include "layer_job.hpp"

namespace headwise::tools {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A bias is added in f32, as in every engine of that precision: one of −1e9 absorbs the score. What it leaves of the
// score is uncertain by its own rounding, unless nothing is left.
void add_bias(double bias, double& score, double& mass) {
  if (bias == 0) return;
  const float sum = static_cast<float>(score) + static_cast<float>(bias);
  if (sum != static_cast<float>(bias)) mass += std::fabs(bias);
  score = static_cast<double>(sum);
}

class Oracle {
 public:
  Oracle(DoubleInputs rows, const AttentionInputs& inputs, const AttentionWeights& weights, const CallShape& call)
      : rows_(std::move(rows)),
        weights_(weights),
        config_(resolve(weights.config)),
        mask_(inputs, call),
        keys_(call.key_length),
        columns_(keys_ + extra_keys(weights)),
        gates_(gates_of(inputs, call.batch)) {
    if (config_.position_bias.kind == PositionBias::alibi) take_slopes();
    position_rows(rows_.query, weights.query_norm, config_, mask_.query_positions());
    position_rows(rows_.key, weights.key_norm, config_, mask_.key_positions());
    result_.context = HeadRows(call.batch, config_.num_heads, call.query_length, config_.value_dim);
    result_.weights.resize(
        static_cast<std::size_t>(element_count({call.batch, config_.num_heads, call.query_length, columns_})));
  }

  DoubleAttention run() {
    const HeadRows& q = rows_.query;
    for (std::int64_t row = 0; row < q.batch * q.heads * q.length; ++row) {
      const std::int64_t i = row % q.length, h = row / q.length % q.heads, b = row / q.length / q.heads;
      if (i < mask_.query_end(b)) attend_row(b, h, i, result_.weights.data() + row * columns_);
    }
    return std::move(result_);
  }

 private:
  std::vector<double> gates_of(const AttentionInputs& inputs, std::int64_t batch) const {
    const std::int64_t heads = config_.num_heads;
    std::vector<double> gates(static_cast<std::size_t>(batch * heads), 1.0);
    const Tensor listed = inputs.heads.given ? convert(inputs.heads, DType::i64) : Tensor();
    for (std::int64_t g = 0; g < batch * heads; ++g) {
      double& gate = gates[static_cast<std::size_t>(g)];
      const bool each = inputs.head_gate.shape.rank() == 2;
      if (inputs.head_gate.given) {
        gate = static_cast<double>(static_cast<const float*>(inputs.head_gate.data)[each ? g : g % heads]);
      }
      if (!listed.given()) continue;
      const auto* begin = listed.data<std::int64_t>();
      if (std::find(begin, begin + listed.size(), g % heads) == begin + listed.size()) gate = 0;
    }
    return gates;
  }

  void take_slopes() {
    const PositionBiasConfig& bias = config_.position_bias;
    slopes_ = alibi_slopes(config_.num_heads, bias.slopes, bias.alibi_max);
    const Tensor& own = weights_.alibi_slopes;
    if (own.given()) slopes_.assign(own.data(), own.data() + own.size());
  }

  double distance_bias(std::int64_t h, std::int64_t distance) const {
    const PositionBiasConfig& bias = config_.position_bias;
    if (bias.kind == PositionBias::none) return 0;
    if (bias.kind == PositionBias::alibi) {
      return -static_cast<double>(slopes_[static_cast<std::size_t>(h)]) * std::fabs(static_cast<double>(distance));
    }
    const Tensor& table = weights_.relative_bias;
    const std::int64_t bucket = t5_bucket(distance, table.shape()[0], bias);
    return static_cast<double>(table.data()[bucket * config_.num_heads + h]);
  }

  bool is_bias_key(std::int64_t j) const { return j == keys_ && weights_.bias_key.given(); }

  // Components of key or value j with their mass: those of the call, then bias_key, then zeros.
  std::pair<double, double> component(const HeadRows& rows, const Tensor& bias, std::int64_t j, std::size_t at) const {
    if (j < keys_) return {rows.value[at], rows.mass[at]};
    if (!is_bias_key(j)) return {0, 0};
    const double value = static_cast<double>(bias.data()[at]);
    return {value, std::fabs(value)};
  }

  std::size_t start(const HeadRows& rows, std::int64_t b, std::int64_t h, std::int64_t j) const {
    const std::int64_t kv_head = h / (config_.num_heads / config_.num_kv_heads);
    return j < keys_ ? rows.at(b, kv_head, j) : static_cast<std::size_t>(kv_head * rows.size);
  }

  double score(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j, double& mass) const {
    const std::size_t q = rows_.query.at(b, h, i), k = start(rows_.key, b, h, j);
    double sum = 0;
    mass = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(config_.head_dim); ++c) {
      const auto [value, of_key] = component(rows_.key, weights_.bias_key, j, k + c);
      sum += rows_.query.value[q + c] * value;
      mass += 0.5 * (rows_.query.mass[q + c] * std::fabs(value) + std::fabs(rows_.query.value[q + c]) * of_key);
    }
    const double scale = static_cast<double>(*config_.scale), cap = static_cast<double>(config_.softcap);
    mass *= std::fabs(scale);
    return cap > 0 ? cap * std::tanh(sum * scale / cap) : sum * scale;
  }

  // −infinity where the key is dead.
  double full_score(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j, double& mass) const {
    const auto bias = j < keys_ ? mask_.bias(b, h, i, j) : std::optional(0.0);
    if (!bias) return -infinity;
    double result = score(b, h, i, j, mass);
    if (j < keys_) add_bias(distance_bias(h, j - mask_.query_position(b, i)), result, mass);
    add_bias(*bias, result, mass);
    return result;
  }

  bool is_live(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return j >= keys_ || mask_.bias(b, h, i, j).has_value();
  }

  void attend_row(std::int64_t b, std::int64_t h, std::int64_t i, double* row) {
    std::vector<double> masses(static_cast<std::size_t>(columns_));
    std::vector<bool> live(masses.size());
    const double sink = weights_.sinks.given() ? static_cast<double>(weights_.sinks.data()[h]) : -infinity;
    double most = sink;
    for (std::int64_t j = 0; j < columns_; ++j) {
      live[static_cast<std::size_t>(j)] = is_live(b, h, i, j);
      row[j] = full_score(b, h, i, j, masses[static_cast<std::size_t>(j)]);
      most = std::max(most, row[j]);
    }
    const bool empty = sink == -infinity && std::find(live.begin(), live.end(), true) == live.end();
    empty ? fill_empty(row, live) : softmax(row, most, sink, live);
    for (std::int64_t j = 0; j < columns_; ++j) {
      if (row[j] > 0 && std::isfinite(masses[static_cast<std::size_t>(j)]))
        result_.score_mass = std::max(result_.score_mass, masses[static_cast<std::size_t>(j)]);
    }
    mix(b, h, i, row, live);
  }

  void softmax(double* row, double most, double sink, const std::vector<bool>& live) const {
    double sum = sink == -infinity ? 0 : std::exp(sink - most);
    for (std::int64_t j = 0; j < columns_; ++j) {
      row[j] = live[static_cast<std::size_t>(j)] ? std::exp(row[j] - most) : 0;
      sum += row[j];
    }
    for (std::int64_t j = 0; j < columns_; ++j) row[j] /= live[static_cast<std::size_t>(j)] ? sum : 1;
  }

  void fill_empty(double* row, std::vector<bool>& live) const {
    const bool mean = config_.rows_without_keys == RowsWithoutKeys::mean;
    const bool nan = config_.rows_without_keys == RowsWithoutKeys::nan;
    const double fill = nan ? std::numeric_limits<double>::quiet_NaN() : 0;
    std::fill_n(row, columns_, mean ? 1 / static_cast<double>(columns_) : fill);
    live.assign(live.size(), mean || nan);
  }

  void mix(std::int64_t b, std::int64_t h, std::int64_t i, const double* row, const std::vector<bool>& live) {
    const double gate = gates_[static_cast<std::size_t>(b * config_.num_heads + h)];
    const std::size_t out = result_.context.at(b, h, i);
    for (std::int64_t j = 0; j < columns_ && gate != 0; ++j) {
      if (!live[static_cast<std::size_t>(j)]) continue;
      const std::size_t v = start(rows_.value, b, h, j);
      for (std::size_t c = 0; c < static_cast<std::size_t>(config_.value_dim); ++c) {
        const auto [value, mass] = component(rows_.value, weights_.bias_value, j, v + c);
        result_.context.value[out + c] += gate * row[j] * value;
        if (row[j] > 0) result_.context.mass[out + c] += std::fabs(gate) * row[j] * mass;
      }
    }
  }

  DoubleInputs rows_;
  const AttentionWeights& weights_;
  AttentionConfig config_;
  CallMask mask_;
  std::int64_t keys_, columns_;
  std::vector<double> gates_;  // [B, H]
  std::vector<float> slopes_;
  DoubleAttention result_;
};

}  // namespace

DoubleAttention attend(DoubleInputs projected, const AttentionInputs& inputs, const AttentionWeights& weights) {
  return Oracle(std::move(projected), inputs, weights, call_shape(inputs)).run();
}

}  // namespace headwise::tools
