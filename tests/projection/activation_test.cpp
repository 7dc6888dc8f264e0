// Products with an activation.
#include <algorithm>
#include <string>

#include "linear_case.hpp"

namespace {

// Tables that multiply and tables that leave it to oneDNN; nullptr takes the reference's activations.
std::vector<const kernels::KernelTable*> all_tables() {
  std::vector<const kernels::KernelTable*> found{nullptr};
  const kernels::KernelList list = kernels::compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    if (kernels::cpu_supports(*list.tables[i])) found.push_back(list.tables[i]);
  }
  return found;
}

// The plain product, and then the activation over all of it.
void run_apart(const Case& c, const kernels::KernelTable* table, GuardedFloats& x, std::int64_t rows,
               GuardedFloats& y) {
  LinearShape plain = c.shape;
  plain.activation = kernels::Activation::none;
  run(Linear(c.weight.data(), c.bias.data(), plain, table), x, rows, y);
  const kernels::KernelTable& used = table != nullptr ? *table : *kernels::find_kernels("reference");
  used.activate({y.data(), rows, c.shape.out, c.shape.row_stride, c.shape.activation});
}

}  // namespace

TEST_CASE("Linear: an activation gives the bits of the product and the activation apart") {
  using kernels::Activation;
  Random random(7);
  for (const auto* table : all_tables()) {
    for (const Activation activation : {Activation::gelu, Activation::gelu_tanh, Activation::relu, Activation::silu}) {
      for (const LinearShape shape : {LinearShape{33, 70, 80}, LinearShape{384, 200, 200}, LinearShape{5, 3, 3}}) {
        Case c(random, shape);
        c.shape.activation = activation;
        const std::int64_t rows = 1 + random.below(40);
        GuardedFloats x(rows * shape.in), y(rows * shape.row_stride), apart(rows * shape.row_stride);
        random.fill(x, -1, 1);
        std::fill(y.begin(), y.end(), -7.0F);
        std::fill(apart.begin(), apart.end(), -7.0F);
        run_apart(c, table, x, rows, apart);
        run(Linear(c.weight.data(), c.bias.data(), c.shape, table), x, rows, y);
        const std::string name = name_of(table);
        CAPTURE(name);
        CAPTURE(rows);
        CHECK(std::equal(y.begin(), y.end(), apart.begin()));
      }
    }
  }
}

TEST_CASE("Linear: columns of a product have the activation that they are asked for with") {
  Random random(8);
  for (const auto* table : products()) {
    if (table == nullptr) continue;
    const Case c(random, {64, 2 * table->panel, 2 * table->panel});
    const Linear whole(c.weight.data(), c.bias.data(), c.shape, table);
    const std::int64_t out = table->panel;
    GuardedFloats x(4 * 64), y(4 * out), all(4 * c.shape.out);
    random.fill(x, -1, 1);
    run(whole, x, 4, all);
    run(*whole.columns(out, {64, out, out, kernels::Activation::relu}), x, 4, y);
    for (std::int64_t i = 0; i < 4 * out; ++i)
      REQUIRE(y[i] == std::max(0.0F, all[i / out * c.shape.out + out + i % out]));
  }
}
