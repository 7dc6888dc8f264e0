// Small .npz files made byte by byte.
#pragma once

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "temporary_folder.hpp"
#include "zip_writer.hpp"

inline headwise::Tensor counting(const headwise::Dims& shape, headwise::DType dtype = headwise::DType::f32) {
  headwise::Tensor tensor(headwise::DType::i64, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return convert(tensor, dtype);
}

inline ZipEntry array(const std::string& name, const headwise::Dims& shape = {2, 3}) {
  return {name + ".npy", npy_bytes(counting(shape), "<f4")};
}

inline void open_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  const headwise::WeightFile file = headwise::WeightFile::open(folder.write("t.npz", bytes));
  for (const headwise::TensorInfo& info : file.tensors()) file.read(info.name);
}

inline void refused(const std::string& bytes, const std::vector<std::string>& words) {
  expect_error(headwise::ErrorCode::bad_file, words, [&] { open_bytes(bytes); });
}
