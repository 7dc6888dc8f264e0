#include "boundary.hpp"
#include "c_views.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;
using headwise::KvCache;

namespace {

headwise::KvCacheOptions read_cache_options(const headwise_cache_options* options) {
  const auto c = read_struct("options", options);
  return {or_default<int64_t>(c.batch, 1), c.capacity, read_dtype("cache", c.dtype), read_flag("circular", c.circular),
          read_allocator(c.allocator)};
}

}  // namespace

headwise_status headwise_cache_create(const headwise_config* config, const headwise_cache_options* options,
                                      headwise_cache** cache) {
  return guard([&] {
    auto& result = deref("cache", cache);
    result = new headwise_cache{KvCache(read_config("config", config), read_cache_options(options))};
  });
}

void headwise_cache_free(headwise_cache* cache) {
  delete cache;
}

headwise_status headwise_cache_info_get(const headwise_cache* cache, headwise_cache_info* info) {
  return guard([&] {
    const KvCache& c = deref("cache", cache).cache;
    write_struct<headwise_cache_info>(
        "info", info, {0, c.batch(), c.capacity(), static_cast<headwise_dtype>(c.dtype()), c.circular() ? 1 : 0});
  });
}

headwise_status headwise_cache_length(const headwise_cache* cache, int64_t row, int64_t* length) {
  return guard([&] { deref("length", length) = deref("cache", cache).cache.length(row); });
}

headwise_status headwise_cache_oldest(const headwise_cache* cache, int64_t row, int64_t* oldest) {
  return guard([&] { deref("oldest", oldest) = deref("cache", cache).cache.oldest(row); });
}

headwise_status headwise_cache_append(headwise_cache* cache, const headwise_view* key, const headwise_view* value,
                                      const headwise_view* counts) {
  return guard([&] {
    deref("cache", cache).cache.append(read_view("key", key), read_view("value", value), read_view("counts", counts));
  });
}

headwise_status headwise_cache_truncate(headwise_cache* cache, int64_t row, int64_t length) {
  return guard([&] { deref("cache", cache).cache.truncate(row, length); });
}

headwise_status headwise_cache_roll_back(headwise_cache* cache, int64_t row, int64_t count) {
  return guard([&] { deref("cache", cache).cache.roll_back(row, count); });
}

headwise_status headwise_cache_clear(headwise_cache* cache) {
  return guard([&] { deref("cache", cache).cache.clear(); });
}

headwise_status headwise_cache_fork(const headwise_cache* cache, headwise_cache** fork) {
  return guard([&] {
    auto& result = deref("fork", fork);
    result = new headwise_cache{deref("cache", cache).cache.fork()};
  });
}

headwise_status headwise_cache_copy_row(headwise_cache* cache, int64_t from, int64_t to) {
  return guard([&] { deref("cache", cache).cache.copy_row(from, to); });
}

headwise_status headwise_cache_keys(const headwise_cache* cache, headwise_view* keys) {
  return guard([&] { deref("keys", keys) = c_view(deref("cache", cache).cache.keys()); });
}

headwise_status headwise_cache_values(const headwise_cache* cache, headwise_view* values) {
  return guard([&] { deref("values", values) = c_view(deref("cache", cache).cache.values()); });
}

headwise_status headwise_scatter_rows(const headwise_mutable_view* cache, const headwise_view* update,
                                      const headwise_view* write_indices, int32_t circular) {
  return guard([&] {
    headwise::scatter_rows(read_view("cache", cache), read_view("update", update),
                           read_view("write_indices", write_indices), read_flag("circular", circular));
  });
}

headwise_status headwise_merge_partials(const headwise_partial* slices, int64_t count,
                                        const headwise_mutable_view* context,
                                        const headwise_mutable_view* log_sum_exp) {
  return guard([&] {
    std::vector<headwise::PartialAttention> partials;
    for (const headwise_partial& slice : read_list("slices", slices, count)) {
      partials.push_back(
          {read_view("a slice's context", slice.context), read_view("a slice's log_sum_exp", slice.log_sum_exp)});
    }
    headwise::merge_partials(partials, read_view("context", context), read_view("log_sum_exp", log_sum_exp));
  });
}
