// Where the reference, Hugging Face's tokenizers (0.23.3), goes by other versions of Unicode than utf8proc (2.8.0:
// Unicode 15.0). A vocabulary was made with the reference's rules, so these are followed: categories of Unicode 8,
// canonical orders of Unicode 9, lower case of Unicode 17. tests/conformance/unicode_points.py looks at every code
// point.
#pragma once

namespace headwise {

// Marks, punctuation and format characters that came after Unicode 8; for the reference they are of no category.
bool is_newer_than_categories(char32_t c) noexcept;
// Marks that came after Unicode 9; the reference never puts them into canonical order.
bool is_newer_than_orders(char32_t c) noexcept;
// The lower case of capitals that came after Unicode 15.0, else c itself.
char32_t newer_lower(char32_t c) noexcept;

}  // namespace headwise
