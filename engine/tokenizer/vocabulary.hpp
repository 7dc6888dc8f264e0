// The tokens of a WordPiece vocabulary, and the longest of them that a word begins with.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

struct VocabularyEntry {
  std::string token{};
  std::uint64_t id = 0;
};

// Most characters of a token that is looked for in words, and the most that a file may set for a word: with both, time
// stays linear in the text.
inline constexpr std::size_t max_piece = 1000;

// Immutable. Looking up allocates nothing.
class Vocabulary {
 public:
  struct Piece {
    std::size_t length = 0;  // code points; 0: there is none
    std::int64_t id = -1;
  };

  Vocabulary() = default;
  // Ids must be at most twice as many as there are tokens, and 1,024 more: the table of tokens has a place for each.
  // Throws Error(bad_file) for that, an id twice, and a token twice. prefix: what tokens within a word begin with.
  Vocabulary(std::vector<VocabularyEntry> entries, std::string_view prefix);

  // Tokens that have an id but are no part of words. Throws as the constructor.
  void add_outside(std::vector<VocabularyEntry> entries);

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(tokens_.size()); }
  const std::string& token(std::int64_t id) const { return tokens_[static_cast<std::size_t>(id)]; }
  std::int64_t id(std::string_view token) const;  // −1: none, also for ""
  // Of the tokens that begin a word, or of those within one.
  Piece longest(std::span<const char32_t> text, bool within) const noexcept;

 private:
  struct Slot {
    std::uint32_t tag = 0;                // some more bits of the hash
    std::uint32_t begin = 0, length = 0;  // in codes_; length 0: the slot is free
    std::int32_t id = -1;
  };
  struct Table {
    std::uint64_t seed = 0;
    std::size_t longest = 0;
    int shift = 0;
    std::vector<Slot> slots{};
  };

  static Table make_table(std::size_t count, std::uint64_t which);
  void place(std::vector<VocabularyEntry>& entries);
  std::size_t copy_codes(std::int64_t id);
  void add(Table& table, std::size_t begin, std::int64_t id);
  const Slot* find(const Table& table, std::uint64_t hash, std::span<const char32_t> text) const noexcept;

  std::vector<std::string> tokens_{};  // by id; a gap is empty
  std::vector<bool> taken_{};          // by id
  std::vector<char32_t> codes_{};
  Table starts_{}, within_{}, outside_{};
};

}  // namespace headwise
