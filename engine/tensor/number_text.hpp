// Numbers in messages: with a decimal point, which printf and std::to_string take from the locale of the host.
#pragma once

#include <charconv>
#include <string>

namespace headwise {

// Six significant digits, as %g in the C locale: "0.5", "1e-05", "1234.5".
inline std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general, 6).ptr};
}

}  // namespace headwise
