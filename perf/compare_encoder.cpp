// The whole text encoder for perf/compare.py.
#include "compare_cases.hpp"

using namespace headwise;

namespace {

// Token ids [B, L], or of a ragged batch the live ones of each row.
class EncoderCase : public CompareCase {
 public:
  explicit EncoderCase(const CompareRequest& r)
      : encoder_(Encoder::load(r.encoder, {.isa = r.isa})), session_(encoder_, {.threads = r.threads}) {
    const Tensor ids = load_npy(r.folder + "/ids.npy");
    const std::int64_t batch = ids.shape()[0], length = ids.shape()[1];
    const Tensor mask = r.variant == "ragged" ? load_npy(r.folder + "/mask_int.npy") : Tensor();
    starts_.push_back(0);
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < length; ++i) {
        const bool live = !mask.given() || mask.data<std::int32_t>()[b * length + i] != 0;
        if (live) ids_.push_back(ids.data<std::int64_t>()[b * length + i]);
      }
      starts_.push_back(std::int64_t(ids_.size()));
    }
    y_ = Tensor({std::int64_t(ids_.size()), encoder_.config().model_dim});
  }
  void run() override {
    session_.run({.token_ids = {ids_.data(), DType::i64, {std::int64_t(ids_.size())}},
                  .cumulative_lengths = {starts_.data(), DType::i64, {std::int64_t(starts_.size())}}},
                 {.hidden = y_});
  }
  std::vector<std::string> save(const std::string& folder) const override {
    save_npy(folder + "/y.npy", y_);
    return {"y"};
  }
  std::string configuration() const override { return std::string(encoder_.isa()) + ", no padding"; }

 private:
  Encoder encoder_;
  EncoderSession session_;
  std::vector<std::int64_t> ids_, starts_;
  Tensor y_;
};

}  // namespace

std::unique_ptr<CompareCase> make_encoder_case(const CompareRequest& request) {
  return std::make_unique<EncoderCase>(request);
}
