// The cases of public bug reports that each interface runs, on every ISA: check(call, isa).
#pragma once

#include "bug_case.hpp"
#include "isas.hpp"

template <class Check>
void each_case(std::initializer_list<const char*> ids, const Check& check) {
  for (const std::string& isa : running_isas()) {
    for (const char* id : ids) {
      CAPTURE(isa);
      CAPTURE(id);
      CaseCall call(id);
      call.take_masks();
      check(call, isa);
    }
  }
}

// Attention alone; "out" is expected.
template <class Check>
void each_heads_case(const Check& check) {
  each_case({"A01", "A05", "A07", "A08", "A10", "A11", "A19", "A35", "A38", "A41"},
            [&](CaseCall& call, const std::string& isa) {
              call.take_heads();
              check(call, isa);
            });
}

// Whole layers, see case_weights(); "y" is expected.
template <class Check>
void each_layer_case(const Check& check) {
  each_case({"A02", "A04", "A14"}, [&](CaseCall& call, const std::string& isa) {
    call.take_self();
    check(call, isa);
  });
}
