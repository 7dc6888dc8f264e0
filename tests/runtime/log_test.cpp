// What the runtime has to say.
#include <doctest/doctest.h>
#include <omp.h>

#include "calls.hpp"
#include "log_listener.hpp"

using namespace headwise;

TEST_CASE("log: a model says on which instruction set it runs") {
  const LogListener listener;
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  CHECK(listener.heard == std::vector<std::string>{std::string("info: a layer of 4 heads runs on ") + model.isa()});
}

TEST_CASE("log: a session says once that fewer threads came than it planned for") {
  Random random(1);
  AttentionConfig config;
  config.model_dim = 96;
  config.num_heads = 6;
  const MultiHeadAttention model(random_weights(config, 1));
  const Tensor x = random_tensor(random, {3, 150, 96});
  const AttentionInputs inputs = inputs_of(x, x, x);
  const Results expected = run(model, inputs);
  Results results = make_results(model, inputs);
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);  // teams have one member
  {
    const LogListener listener;
    Session session(model, {4, Schedule::wide});
    for (int call = 0; call < 3; ++call) session.run(inputs, results.outputs());
    CHECK(listener.count("warning: a call planned for 4 threads got 1,") == 1);
    Session single(model, {1, Schedule::wide});
    single.run(inputs, results.outputs());
    CHECK(listener.heard.size() == 1);
  }
  omp_set_max_active_levels(levels);
  CHECK(same_bits(results.output, expected.output));
}
