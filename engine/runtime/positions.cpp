// Positions: where the queries of a sequence stand among its keys, and by which angles rows are turned.
#include <algorithm>
#include <string>

#include "request.hpp"

namespace headwise::runtime {

namespace {

// Far more than any sequence, and small enough that sums of a few never overflow.
constexpr std::int64_t farthest = std::int64_t{1} << 40;

Sequence& sequence(Tables& tables, std::int64_t b) {
  return tables.sequences[static_cast<std::size_t>(b)];
}

void read_given_offsets(const TensorView& offsets, Tables& tables, const Request& request) {
  require_readable("query_offsets", offsets, id_types);
  require_shape("query_offsets", offsets, {request.sizes.batch});
  for (std::int64_t b = 0; b < request.sizes.batch; ++b) {
    const std::int64_t offset = id_at(offsets, b * offsets.strides[0]);
    if (offset < -farthest || offset > farthest) {
      refuse("query_offsets",
             "holds " + std::to_string(offset) + " for sequence " + std::to_string(b) + "; expected −2^40 to 2^40");
    }
    sequence(tables, b).offset = offset - sequence(tables, b).position;
  }
}

void check_alignment(const AttentionInputs& inputs, const Request& request, const Sequence& q) {
  if (!inputs.causal || request.cache != nullptr) return;
  const std::int64_t queries = request.ragged ? q.queries : request.sizes.queries;
  const std::int64_t keys = request.ragged ? q.keys : request.sizes.keys;
  if (queries == keys) return;
  refuse("causal", "needs an alignment since Lq = " + std::to_string(queries) +
                       " differs from Lk = " + std::to_string(keys) +
                       ": CausalAlignment::upper_left or CausalAlignment::lower_right, or query_offsets");
}

std::int64_t aligned_offset(const AttentionInputs& inputs, const Request& request, const Sequence& q) {
  switch (inputs.causal_alignment) {
    case CausalAlignment::lower_right:
      return q.key_end - q.queries;
    case CausalAlignment::upper_left:
      return -q.position;
    default:
      check_alignment(inputs, request, q);
      return (request.key.given ? q.cached : 0) - q.position;
  }
}

bool is_known(CausalAlignment alignment) {
  return alignment == CausalAlignment::unspecified || alignment == CausalAlignment::upper_left ||
         alignment == CausalAlignment::lower_right;
}

void read_offsets(const AttentionInputs& inputs, Tables& tables, Request& request) {
  if (!is_known(inputs.causal_alignment)) {
    refuse("causal_alignment", "is no value of its type: " + std::to_string(static_cast<int>(inputs.causal_alignment)));
  }
  if (inputs.query_offsets.given && inputs.causal_alignment != CausalAlignment::unspecified) {
    unsupported("query_offsets and causal_alignment both place the queries; give one");
  }
  if (inputs.query_offsets.given) return read_given_offsets(inputs.query_offsets, tables, request);
  for (std::int64_t b = 0; b < request.sizes.batch; ++b) {
    sequence(tables, b).offset = aligned_offset(inputs, request, sequence(tables, b));
  }
}

std::int64_t window_side(const char* name, std::int64_t count) {
  if (count < -1) refuse(name, "is " + std::to_string(count) + "; expected −1 (open) or a number of keys from 0 up");
  return count < 0 || count >= farthest ? kernels::MaskForm::open : count;
}

void read_window(const AttentionInputs& inputs, Request& request) {
  request.left = window_side("window.left", inputs.window.left);
  request.right = window_side("window.right", inputs.window.right);
  if (inputs.causal) request.right = std::min<std::int64_t>(request.right, 0);
}

void check_ids(const char* name, const TensorView& ids, const Request& r, std::int64_t length, std::int64_t rows) {
  require_readable(name, ids, id_types);
  const bool fits = r.ragged                ? ids.shape == Dims{rows}
                    : ids.shape.rank() == 1 ? ids.shape == Dims{length}
                                            : ids.shape == Dims{r.sizes.batch, length};
  if (!fits) {
    refuse(name, "has shape " + to_string(ids.shape) + "; expected " +
                     to_string(r.ragged ? Dims{rows} : Dims{r.sizes.batch, length}));
  }
}

void read_tables_of_angles(const AttentionConfig& config, const AttentionInputs& inputs, Request& request) {
  if (inputs.rotary_cos.given != inputs.rotary_sin.given) {
    refuse(inputs.rotary_cos.given ? "rotary_sin" : "rotary_cos", "is missing: its partner is given");
  }
  for (const auto& [name, view] : {std::pair{"rotary_cos", inputs.rotary_cos}, {"rotary_sin", inputs.rotary_sin}}) {
    if (!view.given) continue;
    require_readable(name, view, {DType::f32});
    if (view.shape.rank() != 2 || view.shape[1] != config.rotary.dim / 2) {
      refuse(name, "has shape " + to_string(view.shape) + "; expected [positions, " +
                       std::to_string(config.rotary.dim / 2) + "]");
    }
  }
  if (inputs.rotary_cos.given) require_shape("rotary_sin", inputs.rotary_sin, inputs.rotary_cos.shape);
  request.rotary_cos = inputs.rotary_cos;
  request.rotary_sin = inputs.rotary_sin;
}

// Every row of given angles that will be looked up must be there.
void check_lookups(const char* name, const Request& r, const PositionSource& positions) {
  const std::int64_t count = r.rotary_cos.shape[0];
  for (std::int64_t b = 0; b < r.sizes.batch; ++b) {
    const std::int64_t rows = positions.rows_of(r.sequence(b));
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t p = positions.at(b, i);
      if (p >= 0 && p < count) continue;
      refuse(name, "asks for position " + std::to_string(p) + "; rotary_cos has " + std::to_string(count) + " rows");
    }
  }
}

}  // namespace

std::int64_t PositionSource::at(std::int64_t b, std::int64_t i) const noexcept {
  const Sequence& q = request->sequence(b);
  const TensorView& ids = of_queries ? request->position_ids : request->key_position_ids;
  if (!ids.given) return of_queries ? i + q.offset + q.position : i + q.cached;
  if (request->ragged) return id_at(ids, ((of_queries ? q.query_row : q.key_row) + i) * ids.strides[0]);
  const bool shared = ids.shape.rank() == 1;
  return id_at(ids, shared ? i * ids.strides[0] : b * ids.strides[0] + i * ids.strides[1]);
}

std::int64_t PositionSource::rows_of(const Sequence& q) const noexcept {
  return of_queries ? q.queries : q.new_keys;
}

void read_positions(const Model& model, const AttentionInputs& inputs, Tables& tables, Request& request) {
  if (request.attends) read_window(inputs, request);
  if (request.attends) read_offsets(inputs, tables, request);
  const bool turns = model.config.rotary.dim > 0;
  const bool asked =
      inputs.position_ids.given || inputs.key_position_ids.given || inputs.rotary_cos.given || inputs.rotary_sin.given;
  if (asked && !turns)
    refuse("position_ids and rotary_cos", "mean nothing: the layer's config has no rotary embedding");
  if (!turns) return;
  const Sizes& s = request.sizes;
  if (request.attends && inputs.position_ids.given) {
    check_ids("position_ids", inputs.position_ids, request, s.queries, s.query_rows);
    request.position_ids = inputs.position_ids;
    if (has_key_for_each_query(request)) request.key_position_ids = inputs.position_ids;
  }
  if (inputs.key_position_ids.given) {
    check_ids("key_position_ids", inputs.key_position_ids, request, s.new_keys, s.key_rows);
    request.key_position_ids = inputs.key_position_ids;
  }
  read_tables_of_angles(model.config, inputs, request);
  if (!request.rotary_cos.given) return;
  if (request.attends) check_lookups("position_ids", request, {&request, true});
  check_lookups("key_position_ids", request, {&request, false});
}

}  // namespace headwise::runtime
