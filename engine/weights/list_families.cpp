#include "headwise/weight_layouts.hpp"
#include "layouts.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"

namespace headwise {

std::vector<FamilyRow> list_families() try {
  std::vector<FamilyRow> rows;
  for (const LayoutPointer& layout : known_layouts()) {
    std::vector<std::string> tensors;
    for (const PartName& weight : layout->weights) tensors.push_back(weight.name);
    rows.push_back({layout->family, layout->models, join(tensors), std::string(layout->form.words), layout->refusal});
  }
  return rows;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to list the families");
}

}  // namespace headwise
