/* headwise in C: multi-head attention on CPUs. Pure C11, and valid C++. Everything of the C++ interface is here under
 * the same words; this page says what holds for all of it.
 *
 * Results. Every function that can fail returns a headwise_status, and writes what it makes through its last pointer,
 * only when it succeeds. headwise_last_error() then says on the calling thread what was wrong. No exception leaves a
 * function, and none ends the process, whatever the arguments are, as long as pointers point to what they should.
 *
 * Structs. One that begins with struct_size can grow in later versions. HEADWISE_INIT sets all of it to zero and the
 * size to that of the caller's header; a member that is zero or NULL stands for its default, or for "not given". The
 * library takes a struct of the first version's size or more: what an older caller lacks counts as zero, and what a
 * newer caller has beyond what the library knows must be zero, or it is HEADWISE_UNSUPPORTED. Results that a struct
 * takes are cut to the caller's size. Structs without struct_size never change.
 *
 * Numbers. Sizes, counts and strides are int64_t; strides count elements, never bytes. Enumerations are int32_t with
 * named values, flags are 0 or 1; any other value is HEADWISE_INVALID_ARGUMENT.
 *
 * Memory. What a function makes through a pointer to a handle belongs to the caller, who frees it with the _free of
 * that name; that takes NULL too. Texts and views that a function gives belong to the handle they came from and stay as
 * long as it does, unless their comment says otherwise. Names and paths are UTF-8 bytes that end with a zero; the
 * library keeps no pointer of the caller's but allocators and the log handler. NULL where a handle is wanted is
 * HEADWISE_INVALID_ARGUMENT.
 *
 * Threads. Functions may be called from any thread. Files, layers, weights, stored layers, checks, models, encoders,
 * tensors, explanations and profiles do not change and may be used by several threads at once, as long as none frees
 * them. A session serves one call at a time and says HEADWISE_BUSY to a second one; a cache has one writer at a time
 * and no reader meanwhile. */
#ifndef HEADWISE_HEADWISE_H
#define HEADWISE_HEADWISE_H

#include "headwise/c/cache.h"
#include "headwise/c/encoder.h"
#include "headwise/c/files.h"
#include "headwise/c/layouts.h"
#include "headwise/c/model.h"
#include "headwise/c/pooling.h"
#include "headwise/c/positions.h"
#include "headwise/c/profile.h"
#include "headwise/c/session.h"
#include "headwise/c/status.h"
#include "headwise/c/system.h"
#include "headwise/c/tensor.h"
#include "headwise/c/tokenizer.h"
#include "headwise/c/weights.h"

#endif
