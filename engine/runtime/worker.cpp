#include "worker.hpp"

namespace headwise::runtime {

Worker::Worker(const Model& model) {
  for (std::size_t p = 0; p < calls_.size(); ++p) {
    if (model.products[p]) calls_[p].emplace(*model.products[p]);
  }
}

}  // namespace headwise::runtime
