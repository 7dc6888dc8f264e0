// Layers and weights of C held against those of C++.
#pragma once

#include "c_objects.hpp"

inline void check_same(const headwise_layer_part& part, const headwise::AttentionLayer::Part& expected) {
  CHECK(part.role == expected.role);
  CHECK(part.tensor == expected.tensor);
  CHECK(std::vector<std::uint64_t>(part.shape, part.shape + part.rank) == expected.shape);
}

inline void check_same(const headwise_layer_info& info, const headwise::AttentionLayer& expected) {
  CHECK(info.index == expected.index);
  CHECK(info.family == expected.family);
  CHECK(info.prefix == expected.prefix);
  CHECK(info.model_width == expected.widths.model);
  CHECK(info.query_width == expected.widths.query);
  CHECK(info.key_width == expected.widths.key);
  CHECK(info.value_width == expected.widths.value);
  CHECK(info.output_width == expected.widths.output);
  CHECK(info.num_heads == expected.widths.num_heads);
  REQUIRE(info.num_parts == std::int64_t(expected.parts.size()));
  REQUIRE(info.num_candidates == std::int64_t(expected.candidates.size()));
}

inline void check_same(const headwise_layers* layers, const std::vector<headwise::AttentionLayer>& expected) {
  std::int64_t count = 0;
  check_ok(headwise_layers_count(layers, &count));
  REQUIRE(count == std::int64_t(expected.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const headwise::AttentionLayer& layer = expected[std::size_t(i)];
    auto info = ready<headwise_layer_info>();
    check_ok(headwise_layers_get(layers, i, &info));
    check_same(info, layer);
    for (std::int64_t p = 0; p < info.num_parts; ++p) {
      auto part = ready<headwise_layer_part>();
      check_ok(headwise_layers_part(layers, i, p, &part));
      check_same(part, layer.parts[std::size_t(p)]);
    }
    for (std::int64_t c = 0; c < info.num_candidates; ++c) {
      const char* family = nullptr;
      check_ok(headwise_layers_candidate(layers, i, c, &family));
      CHECK(family == layer.candidates[std::size_t(c)]);
    }
  }
}

inline void check_same(const headwise_weights* c, const headwise::AttentionWeights& weights) {
  for (std::size_t part = 0; part < weight_parts.size(); ++part) {
    CAPTURE(part);
    const headwise::Tensor& expected = weights.*weight_parts[part];
    headwise_view view{};
    check_ok(headwise_weights_get(c, static_cast<headwise_part>(part), &view));
    CHECK((view.data != nullptr) == expected.given());
    if (!expected.given() || view.data == nullptr) continue;
    const headwise::TensorView actual(view.data, static_cast<headwise::DType>(view.dtype),
                                      headwise::Dims(view.shape, std::size_t(view.rank)));
    CHECK(same_bits(copy_of(actual), expected));
  }
}
