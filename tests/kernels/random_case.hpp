// Random heads: every mask, modifier and storage of keys, in random compositions.
#pragma once

#include <memory>
#include <vector>

#include "kernel_harness.hpp"

struct RandomHead {
  std::vector<std::uint8_t> bytes[headwise::kernels::MaskForm::max_planes];
  std::vector<std::uint16_t> halves[headwise::kernels::MaskForm::max_planes];
  std::vector<float> floats[headwise::kernels::MaskForm::max_planes];
  std::vector<std::int64_t> ids[headwise::kernels::MaskForm::max_planes];
  std::vector<std::int32_t> short_ids[headwise::kernels::MaskForm::max_planes];
  std::vector<float> relative;
  std::unique_ptr<HeadData> data;

  explicit RandomHead(Random& random);
  RandomHead(const RandomHead&) = delete;

 private:
  headwise::kernels::MaskPlane make_plane(Random& random, const HeadCase& c, int number);
  headwise::kernels::MaskPlane make_documents(Random& random, const HeadCase& c, int number);
  headwise::kernels::MaskPlane make_biases(Random& random, const HeadCase& c, int number, double live);
  void add_masks(Random& random, HeadCase& c);
  void add_modifiers(Random& random, HeadCase& c);
  void poison();
};
