/* How the tokens of a text become its one embedding. */
#ifndef HEADWISE_C_POOLING_H
#define HEADWISE_C_POOLING_H

#include <stdint.h>

typedef int32_t headwise_pooling;
enum {
  HEADWISE_POOLING_MEAN, /* of all tokens, special ones included */
  HEADWISE_POOLING_CLS,  /* the first token's */
  HEADWISE_POOLING_MAX   /* the largest of each feature */
};

#endif
