// Addresses without memory behind them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace headwise::tools {

// For views of tensors that are planned with and never touched: attention weights of a long sequence have places here
// on a machine that could not hold them. Whoever reads or writes there ends the process.
class AddressSpace {
 public:
  AddressSpace() = default;
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace();

  // A page-aligned place of that many bytes beside all others. Throws CommandError when the system has no such range.
  void* reserve(std::uint64_t bytes);

 private:
  std::vector<std::pair<void*, std::uint64_t>> ranges_;
};

}  // namespace headwise::tools
