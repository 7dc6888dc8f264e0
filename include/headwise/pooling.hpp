// How the rows of a text become its one embedding.
#pragma once

namespace headwise {

// Of the hidden states of the last layer.
enum class Pooling {
  mean,  // of all tokens, special ones included
  cls,   // the first token's
  max,   // the largest of each feature
};

}  // namespace headwise
