#include "vocabulary.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "characters.hpp"
#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

__extension__ typedef unsigned __int128 Product;

// Both halves of a product, folded: each code point moves all bits.
std::uint64_t hash_step(std::uint64_t hash, char32_t code) noexcept {
  const Product product = static_cast<Product>(hash ^ code) * 0x9E3779B97F4A7C15;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_of(std::uint64_t seed, std::span<const char32_t> text) noexcept {
  for (const char32_t code : text) seed = hash_step(seed, code);
  return seed;
}

// Another one in each process, or a vocabulary could be made whose tokens all meet in one place. No result depends on
// it.
std::uint64_t random_seed() noexcept {
  std::uint64_t seed = 0x6A09E667F3BCC908;
  if (const auto* bytes = reinterpret_cast<const void*>(getauxval(AT_RANDOM))) std::memcpy(&seed, bytes, sizeof seed);
  return seed;
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::bad_file, problem);
}

}  // namespace

Vocabulary::Table Vocabulary::make_table(std::size_t count, std::uint64_t which) {
  Table table;
  table.slots.resize(std::bit_ceil(2 * count + 2));
  table.shift = 64 - std::countr_zero(table.slots.size());
  table.seed = hash_step(random_seed(), static_cast<char32_t>(which));
  return table;
}

Vocabulary::Vocabulary(std::vector<VocabularyEntry> entries, std::string_view prefix) {
  place(entries);
  // Not of its lines: 4 MiB of empty ones cost 571 MB with slots for each, 303 without.
  const auto count =
      std::count_if(tokens_.begin(), tokens_.end(), [](const std::string& token) { return !token.empty(); });
  starts_ = make_table(static_cast<std::size_t>(count), 1);
  within_ = make_table(static_cast<std::size_t>(count), 2);
  const std::size_t prefix_length = codes_of(prefix).size();
  for (const auto& entry : entries) {
    const auto id = static_cast<std::int64_t>(entry.id);
    const std::size_t begin = copy_codes(id);
    add(starts_, begin, id);
    if (token(id).starts_with(prefix)) add(within_, begin + prefix_length, id);
  }
}

void Vocabulary::add_outside(std::vector<VocabularyEntry> entries) {
  outside_ = make_table(entries.size(), 3);
  place(entries);
  for (const auto& entry : entries) {
    const auto id = static_cast<std::int64_t>(entry.id);
    add(outside_, copy_codes(id), id);
  }
}

// Tokens to their ids; leaves the entries without their texts.
void Vocabulary::place(std::vector<VocabularyEntry>& entries) {
  const std::size_t count = tokens_.size() + entries.size();
  std::uint64_t size = tokens_.size();
  for (const auto& entry : entries) {
    if (entry.id >= 2 * count + 1024) {
      refuse("token " + in_quotes(entry.token) + " has id " + std::to_string(entry.id) + ", too far above the " +
             std::to_string(count) + " tokens of the vocabulary");
    }
    size = std::max(size, entry.id + 1);
  }
  tokens_.resize(size);
  taken_.resize(size);
  for (auto& entry : entries) {
    if (taken_[entry.id])
      refuse("two tokens have id " + std::to_string(entry.id) + ", one is " + in_quotes(entry.token));
    taken_[entry.id] = true;
    tokens_[entry.id] = std::move(entry.token);
  }
}

// Where the token's code points begin; they are the last ones.
std::size_t Vocabulary::copy_codes(std::int64_t id) {
  const std::size_t begin = codes_.size();
  const std::u32string codes = codes_of(token(id));
  codes_.insert(codes_.end(), codes.begin(), codes.end());
  return begin;
}

// The last code points, from `begin`.
void Vocabulary::add(Table& table, std::size_t begin, std::int64_t id) {
  if (begin == codes_.size()) return;
  const std::span<const char32_t> text(codes_.data() + begin, codes_.size() - begin);
  const std::uint64_t hash = hash_of(table.seed, text);
  if (find(table, hash, text) != nullptr) refuse("token " + in_quotes(token(id)) + " is there twice");
  std::size_t at = hash >> table.shift;
  while (table.slots[at].length != 0) at = (at + 1) & (table.slots.size() - 1);
  table.slots[at] = {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(begin),
                     static_cast<std::uint32_t>(text.size()), static_cast<std::int32_t>(id)};
  if (text.size() <= max_piece) table.longest = std::max(table.longest, text.size());
}

const Vocabulary::Slot* Vocabulary::find(const Table& table, std::uint64_t hash,
                                         std::span<const char32_t> text) const noexcept {
  for (std::size_t at = hash >> table.shift;; at = (at + 1) & (table.slots.size() - 1)) {
    const Slot& slot = table.slots[at];
    if (slot.length == 0) return nullptr;
    if (slot.tag != static_cast<std::uint32_t>(hash) || slot.length != text.size()) continue;
    if (std::equal(text.begin(), text.end(), codes_.begin() + slot.begin)) return &slot;
  }
}

std::int64_t Vocabulary::id(std::string_view token) const {
  const std::u32string codes = codes_of(token);
  for (const Table* table : {&starts_, &outside_}) {
    if (codes.empty() || table->slots.empty()) continue;
    const Slot* slot = find(*table, hash_of(table->seed, codes), codes);
    if (slot != nullptr) return slot->id;
  }
  return -1;
}

Vocabulary::Piece Vocabulary::longest(std::span<const char32_t> text, bool within) const noexcept {
  const Table& table = within ? within_ : starts_;
  std::array<std::uint64_t, max_piece> hashes;  // of all beginnings
  const std::size_t most = std::min(text.size(), table.longest);
  std::uint64_t hash = table.seed;
  for (std::size_t i = 0; i < most; ++i) hashes[i] = hash = hash_step(hash, text[i]);
  for (std::size_t length = most; length > 0; --length) {
    const Slot* slot = find(table, hashes[length - 1], text.first(length));
    if (slot != nullptr) return {length, slot->id};
  }
  return {};
}

}  // namespace headwise
