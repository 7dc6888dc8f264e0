#include "layer_results.hpp"

#include "standard_streams.hpp"

namespace headwise::tools {
namespace {

std::int64_t chosen(const Tensor& ids, std::int64_t all) {
  return ids.given() && ids.shape().rank() == 1 ? ids.size() : all;
}

}  // namespace

ResultSizes result_sizes(const AttentionInputs& inputs, const AttentionWeights& weights) {
  ResultSizes sizes;
  sizes.call = call_shape(inputs);
  sizes.config = resolve(weights.config);
  sizes.columns = sizes.call.key_length + extra_keys(weights);
  return sizes;
}

std::vector<ResultForm> result_forms(const ResultOptions& options, const LayerInputs& inputs,
                                     const ResultSizes& sizes) {
  std::vector<ResultForm> forms;
  ResultSizes full = sizes;
  full.chosen_heads = chosen(inputs.tensors[Input::attention_heads], sizes.config.num_heads);
  full.chosen_rows = chosen(inputs.tensors[Input::attention_queries], sizes.call.query_length);
  full.top = options.top;
  for (const OutputFile& file : output_files()) {
    const bool main = file.id == Output::output;
    if (main || options.wants(file.id)) forms.push_back({file.id, main ? options.dtype : file.dtype, file.shape(full)});
  }
  return forms;
}

LayerResults make_results(const std::vector<ResultForm>& forms) {
  LayerResults results;
  for (const ResultForm& form : forms) results.tensors[form.id] = Tensor(form.dtype, form.shape);
  return results;
}

AttentionOutputs LayerResults::views(const ResultOptions& options, const LayerInputs& inputs) {
  AttentionOutputs outputs;
  for (const OutputFile& file : output_files()) outputs.*file.view = tensors[file.id].mutable_view();
  for (const InputFile& file : input_files()) {
    if (file.choice != nullptr) outputs.*file.choice = inputs.tensors[file.id].view();
  }
  outputs.score_stage = options.stage;
  return outputs;
}

void LayerResults::save(const ResultOptions& options, const Console& console) const {
  for (const OutputFile& file : output_files()) {
    const std::string& path = options.outputs[file.id];
    const Tensor& tensor = tensors[file.id];
    if (path.empty()) continue;
    if (tensor.dtype() != DType::bf16) {
      save_array(path, tensor);
      continue;
    }
    console.note(std::string(file.name) + " is bf16, written as f32: .npy has no bf16");
    save_array(path, convert(tensor, DType::f32));
  }
}

}  // namespace headwise::tools
