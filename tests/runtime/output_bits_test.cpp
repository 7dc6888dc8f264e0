// Asking for more changes no bit of anything, whatever the threads and the schedule.
#include "outputs_calls.hpp"

using namespace headwise;

TEST_CASE("outputs: chosen heads and queries are rows of the whole, to the bit") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs all = call.run_all();
    const std::int64_t q = call.sizes.queries, k = call.sizes.keys, b = call.sizes.batch, last = q - 1;
    Tensor heads(DType::i32, {2}), queries(DType::i64, {3}), attention({b, 2, 3, k}), scores({b, 2, 3, k});
    heads.data<std::int32_t>()[0] = 3;
    queries.data<std::int64_t>()[0] = queries.data<std::int64_t>()[2] = last;  // one of them twice
    Results results = make_results(call.model, call.inputs);
    AttentionOutputs out = results.outputs();
    out.attention = attention.mutable_view();
    out.scores = scores.mutable_view();
    out.score_stage = ScoreStage::masked;
    out.attention_heads = heads.view();
    out.attention_queries = queries.view();
    Session(call.model, {2, Schedule::automatic}).run(call.inputs, out);
    CHECK(same_bits(results.output, all.output));
    bool same = true;
    for (std::int64_t n = 0; n < attention.size(); ++n) {
      const std::int64_t h = n / (3 * k) % 2 == 0 ? 3 : 0, i = n / k % 3 == 1 ? 0 : last;
      const std::int64_t at = ((n / (6 * k) * 4 + h) * q + i) * k + n % k;
      same = same && attention.data()[n] == all.attention.data()[at] && scores.data()[n] == all.scores.data()[at];
    }
    CHECK(same);
  });
}

TEST_CASE("outputs: each alone has the bits that it has among the others, and leaves those of the output") {
  for_each_outputs_call([](OutputsCall& call) {
    AllOutputs all = call.run_all();
    for (Tensor AllOutputs::*part : {&AllOutputs::attention, &AllOutputs::average, &AllOutputs::top_weights,
                                     &AllOutputs::scores, &AllOutputs::log_sum_exp, &AllOutputs::column_sums,
                                     &AllOutputs::head_context, &AllOutputs::head_contribution}) {
      AllOutputs one;
      one.output = filled(all.output.shape(), unwritten);
      one.*part = filled((all.*part).shape(), unwritten);
      AttentionOutputs views = one.views();
      views.score_stage = ScoreStage::masked;
      Session(call.model, {2, Schedule::automatic}).run(call.inputs, views);
      CHECK(same_bits(one.output, all.output));
      CHECK(same_bits(one.*part, all.*part));
    }
  });
}

TEST_CASE("outputs: same bits for every number of threads and every schedule") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs expected = call.run_all();
    for (const SessionOptions& options :
         {SessionOptions{2, Schedule::wide}, {3, Schedule::deep}, {7, Schedule::automatic}}) {
      const AllOutputs actual = call.run_all(ScoreStage::masked, options);
      for (Tensor AllOutputs::*part :
           {&AllOutputs::output, &AllOutputs::attention, &AllOutputs::average, &AllOutputs::top_weights,
            &AllOutputs::scores, &AllOutputs::log_sum_exp, &AllOutputs::column_sums, &AllOutputs::head_context,
            &AllOutputs::head_contribution}) {
        CHECK(same_bits(actual.*part, expected.*part));
      }
    }
  });
}
