#include "model_types.hpp"

#include <algorithm>
#include <iterator>

namespace headwise {
namespace {

constexpr auto none = ModelPositions::none, rotary = ModelPositions::rotary;
constexpr auto half_split = RotaryLayout::half_split, interleaved = RotaryLayout::interleaved;

constexpr ModelType model_types[] = {
    {"llama", rotary, half_split, 10000},
    {"mistral"},
    {"mixtral"},
    {"qwen2", rotary, half_split, 0, "output_bias"},
    {"qwen2_moe", rotary, half_split, 0, "output_bias"},
    {"qwen3"},
    {"qwen3_moe"},
    {"gemma"},
    {"gemma2"},
    {"gemma3_text", ModelPositions::differ_by_layers, half_split, 0, "",
     true},  // local layers have a base of their own
    {"starcoder2"},
    {"granite"},
    {"gpt_oss"},
    {"cohere", rotary, interleaved},
    {"gptj", rotary, interleaved, 10000},
    {"phi3"},
    {"falcon", rotary, half_split, 10000},
    {"gpt_neox", rotary, half_split, 10000},
    {"nomic_bert"},
    {"modernbert", ModelPositions::differ_by_layers},
    {"chatglm", ModelPositions::differ_by_layers, half_split, 0, "output_bias"},  // turns a half of each head, in pairs
    {"bloom", ModelPositions::alibi},
    {"mpt", ModelPositions::alibi},
    {"gpt2", none},
    {"whisper", none, half_split, 0, "key_bias"},
    {"gpt_neo", none, half_split, 0, "query_bias key_bias value_bias", false, 1.0F},
};

}  // namespace

const ModelType* find_model_type(std::string_view name) noexcept {
  const auto found = std::find_if(std::begin(model_types), std::end(model_types),
                                  [&](const ModelType& type) { return type.name == name; });
  return found == std::end(model_types) ? nullptr : found;
}

}  // namespace headwise
