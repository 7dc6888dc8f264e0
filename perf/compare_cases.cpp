#include "compare_cases.hpp"

#include <cstring>
#include <fstream>

using namespace headwise;

void CompareCase::run_length(std::int64_t) {
  throw Error(ErrorCode::unsupported, "this case has one length");
}

namespace {

Tensor array(const CompareRequest& request, const std::string& name) {
  return load_npy(request.folder + "/" + name + ".npy");
}

AttentionWeights layer_weights(const CompareRequest& request) {
  AttentionWeights weights;
  weights.query_weight = array(request, "wq"), weights.query_bias = array(request, "bq");
  weights.key_weight = array(request, "wk"), weights.key_bias = array(request, "bk");
  weights.value_weight = array(request, "wv"), weights.value_bias = array(request, "bv");
  weights.output_weight = array(request, "wo"), weights.output_bias = array(request, "bo");
  weights.config = {.model_dim = weights.query_weight.shape()[1], .num_heads = request.heads};
  return weights;
}

// A batch of one length, also cut to any number of first tokens.
class LayerCase : public CompareCase {
 public:
  explicit LayerCase(const CompareRequest& r)
      : model_(layer_weights(r), {.isa = r.isa}), session_(model_, {.threads = r.threads}), x_(array(r, "x")) {
    y_ = Tensor(x_.shape());
    shape_ = x_.shape();
  }
  void run() override {
    const TensorView x(x_.data(), DType::f32, shape_);
    session_.run({.query = x, .key = x, .value = x}, {.output = {y_.data(), DType::f32, shape_}});
  }
  void run_length(std::int64_t length) override {
    shape_[1] = length;
    run();
  }
  std::vector<std::string> save(const std::string& folder) const override {
    save_npy(folder + "/y.npy", {y_.data(), DType::f32, shape_});
    return {"y"};
  }
  std::string configuration() const override { return model_.isa(); }

 private:
  MultiHeadAttention model_;
  Session session_;
  Tensor x_, y_;
  Dims shape_;
};

class RaggedCase : public CompareCase {
 public:
  explicit RaggedCase(const CompareRequest& r)
      : model_(layer_weights(r), {.isa = r.isa}),
        session_(model_, {.threads = r.threads}),
        x_(array(r, "x_ragged")),
        y_(x_.shape()),
        starts_(array(r, "starts")) {}
  void run() override {
    session_.run({.query = x_, .key = x_, .value = x_, .cumulative_query_lengths = starts_}, {.output = y_});
  }
  std::vector<std::string> save(const std::string& folder) const override {
    save_npy(folder + "/y.npy", y_);
    return {"y"};
  }
  std::string configuration() const override { return std::string(model_.isa()) + ", no padding"; }

 private:
  MultiHeadAttention model_;
  Session session_;
  Tensor x_, y_, starts_;
};

class CoreCase : public CompareCase {
 public:
  explicit CoreCase(const CompareRequest& r)
      : query_(array(r, "q")),
        key_(array(r, "k")),
        value_(array(r, "v")),
        output_(query_.shape()),
        model_(MultiHeadAttention::without_projections({.num_heads = r.heads, .head_dim = query_.shape()[3]},
                                                       {.isa = r.isa})),
        session_(model_, {.threads = r.threads}) {
    in_ = {.query = query_, .key = key_, .value = value_, .causal = r.variant == "causal"};
    out_.output = output_;
    if (r.variant == "padded") mask_keys(array(r, "mask"));
    if (r.variant == "weights") return_weights();
  }
  void run() override { session_.run(in_, out_); }
  std::vector<std::string> save(const std::string& folder) const override {
    save_npy(folder + "/y.npy", output_);
    if (!weights_.given()) return {"y"};
    save_npy(folder + "/weights.npy", weights_);
    return {"y", "weights"};
  }
  std::string configuration() const override { return model_.isa(); }

 private:
  void mask_keys(Tensor mask) {
    mask_ = std::move(mask);
    in_.key_padding_mask = TensorView(mask_.data<bool>(), DType::boolean, {mask_.shape()[0], mask_.shape()[3]});
    in_.key_padding_meaning = BooleanMask::keep;
  }
  void return_weights() {
    weights_ = Tensor({query_.shape()[0], query_.shape()[1], query_.shape()[2], key_.shape()[2]});
    out_.attention = weights_;
  }

  Tensor query_, key_, value_, output_, mask_, weights_;
  MultiHeadAttention model_;
  Session session_;
  AttentionInputs in_;
  AttentionOutputs out_;
};

// From a file to a layer that is ready to run, and where that is asked for to its first result. The baseline of loading
// copies the bytes of the file once and packs weights that are in memory already.
class LoadCase : public CompareCase {
 public:
  explicit LoadCase(const CompareRequest& r)
      : path_(r.folder + "/layer.safetensors"),
        heads_(r.heads),
        runs_(r.variant != "plain"),
        weights_(load_attention(path_, {.num_heads = heads_})),
        bytes_(read_file()),
        x_(array(r, "x")),
        y_(x_.shape()) {}
  void run() override {
    const MultiHeadAttention loaded(load_attention(path_, {.num_heads = heads_}));
    if (runs_) Session(loaded, {.threads = 1}).run({.query = x_, .key = x_, .value = x_}, {.output = y_});
  }
  bool has_baseline() const override { return !runs_; }
  void run_baseline() override {
    const std::unique_ptr<char[]> copy(new char[bytes_.size()]);
    std::memcpy(copy.get(), bytes_.data(), bytes_.size());
    copied_ = copy[bytes_.size() / 2];
    const MultiHeadAttention packed(weights_);
  }
  std::vector<std::string> save(const std::string& folder) const override {
    if (!runs_) return {};
    save_npy(folder + "/y.npy", y_);
    return {"y"};
  }
  std::string configuration() const override { return "safetensors"; }

 private:
  std::string read_file() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string path_;
  std::int64_t heads_;
  bool runs_;
  AttentionWeights weights_;
  std::string bytes_;
  Tensor x_, y_;
  volatile char copied_ = 0;  // without a reader the copy would be left out
};

}  // namespace

std::unique_ptr<CompareCase> make_compare_case(const CompareRequest& request) {
  if (request.kind == "encoder") return make_encoder_case(request);
  if (request.variant == "ragged") return std::make_unique<RaggedCase>(request);
  if (request.kind == "core") return std::make_unique<CoreCase>(request);
  if (request.kind == "load") return std::make_unique<LoadCase>(request);
  return std::make_unique<LayerCase>(request);
}
