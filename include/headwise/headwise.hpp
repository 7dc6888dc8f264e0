// Everything of headwise.
#pragma once

#include "headwise/attention.hpp"
#include "headwise/build_info.hpp"
#include "headwise/error.hpp"
#include "headwise/executor.hpp"
#include "headwise/files.hpp"
#include "headwise/kv_cache.hpp"
#include "headwise/limits.hpp"
#include "headwise/log.hpp"
#include "headwise/memory.hpp"
#include "headwise/npy.hpp"
#include "headwise/positions.hpp"
#include "headwise/profile.hpp"
#include "headwise/tensor.hpp"
#include "headwise/threads.hpp"
#include "headwise/weight_layouts.hpp"
#include "headwise/weights.hpp"
