// How the rows of a text become its one embedding.
#pragma once

namespace headwise {

enum class Pooling {
  mean,  // of all tokens, special ones too
  cls,   // the first token's row
  max,   // the largest of each feature
};

}  // namespace headwise
