#include "written_layouts.hpp"

using namespace headwise;

namespace written {
namespace {

void add_rows(std::vector<Row>& rows, const Tensor& tensor, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) rows.push_back({&tensor, first + i});
}

std::vector<std::string> with(const std::vector<std::string>& names, const std::string& end) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(name + end);
  return result;
}

Stored interleaved(const std::string& family, bool grouped = false) {
  Stored stored = fused(family, {"query_key_value", "dense"}, groups);
  stored.config = "\"model_type\": \"" + family + "\"";
  stored.grouped = grouped;
  return stored;
}

}  // namespace

std::vector<Row> query_key_value(const Matrices& m, const AttentionConfig&) {
  std::vector<Row> rows;
  for (const Tensor* part : {&m.query, &m.key, &m.value}) add_rows(rows, *part, 0, part->shape()[0]);
  return rows;
}

std::vector<Row> key_value(const Matrices& m, const AttentionConfig&) {
  std::vector<Row> rows;
  for (const Tensor* part : {&m.key, &m.value}) add_rows(rows, *part, 0, part->shape()[0]);
  return rows;
}

std::vector<Row> groups(const Matrices& m, const AttentionConfig& c) {
  std::vector<Row> rows;
  for (std::int64_t h = 0; h < c.num_heads; ++h) {
    const std::int64_t group = c.num_heads / c.num_kv_heads, kv = h / group;
    add_rows(rows, m.query, h * c.head_dim, c.head_dim);
    if (h % group != group - 1) continue;
    add_rows(rows, m.key, kv * c.head_dim, c.head_dim);
    add_rows(rows, m.value, kv * c.head_dim, c.head_dim);
  }
  return rows;
}

Stored linear(const std::string& family, const std::vector<std::string>& names) {
  return {family, with(names, ".weight"), with(names, ".bias"), nullptr, false, false, family == "linear4"};
}

Stored fused(const std::string& family, const std::vector<std::string>& names, Order order) {
  return {family, with(names, ".weight"), with(names, ".bias"), order};
}

Stored stacked(const std::vector<std::string>& names) {
  Stored stored = fused("qkv", names, query_key_value);
  stored.grouped = stored.input_biases_optional = true;
  return stored;
}

Stored conv1d(const std::vector<std::string>& names, Order order) {
  Stored stored = fused("gpt2", names, order);
  stored.in_out = true;
  return stored;
}

Stored dense(const std::string& family, const std::vector<std::string>& names, const std::string& separator,
             bool heads_apart) {
  return {family, with(names, separator + "kernel"), with(names, separator + "bias"), nullptr, true, heads_apart, true};
}

std::vector<Stored> all_layouts() {
  std::vector<Stored> all;
  const char* linear4[] = {"w_q w_k w_v w_o",
                           "W_q W_k W_v W_o",
                           "wq wk wv wo",
                           "q_linear k_linear v_linear out",
                           "fc_q fc_k fc_v fc_o",
                           "query key value output",
                           "query key value dense",
                           "to_q to_k to_v to_out.0",
                           "q_proj k_proj v_proj out_proj",
                           "q_proj k_proj v_proj o_proj",
                           "linears.0 linears.1 linears.2 linears.3"};
  for (std::string text : linear4) {
    std::vector<std::string> names;
    for (std::size_t end; (end = text.find(' ')) != std::string::npos; text.erase(0, end + 1)) {
      names.push_back(text.substr(0, end));
    }
    names.push_back(text);
    all.push_back(linear("linear4", names));
  }
  all.push_back(linear("bert", {"self.query", "self.key", "self.value", "output.dense"}));
  all.push_back(linear("vit", {"attention.query", "attention.key", "attention.value", "output.dense"}));
  all.back().input_biases_optional = true;
  all.push_back(linear("distilbert", {"q_lin", "k_lin", "v_lin", "out_lin"}));
  all.push_back(linear("torch_mha", {"linear_Q", "linear_K", "linear_V", "out_proj"}));
  all.push_back(
      {"torch_mha", {"in_proj_weight", "out_proj.weight"}, {"in_proj_bias", "out_proj.bias"}, query_key_value});
  all.push_back(stacked({"qkv", "proj"}));
  all.push_back(stacked({"Wqkv", "Wo"}));
  all.push_back(stacked({"Wqkv", "out_proj"}));
  all.push_back(stacked({"qkv_proj", "o_proj"}));
  all.push_back(conv1d({"c_attn", "c_proj"}, query_key_value));
  all.push_back(conv1d({"q_attn", "c_attn", "c_proj"}, key_value));
  all.push_back(fused("nanogpt", {"c_attn", "c_proj"}, query_key_value));
  all.push_back(interleaved("bloom"));
  all.push_back(interleaved("gpt_neox"));
  all.push_back(interleaved("falcon", true));
  for (const bool apart : {false, true}) {
    for (const char* separator : {".", "/"}) {
      all.push_back(dense("keras", {"query", "key", "value", "attention_output"}, separator, apart));
      all.push_back(dense("flax", {"query", "key", "value", "out"}, separator, apart));
    }
  }
  all.push_back({"keras", with({"query_dense", "key_dense", "value_dense", "output_dense"}, "/vars/0"),
                 with({"query_dense", "key_dense", "value_dense", "output_dense"}, "/vars/1"), nullptr, true, true,
                 true});
  return all;
}

}  // namespace written
