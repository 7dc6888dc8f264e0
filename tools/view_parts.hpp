// The files of tools/view, as they were when the command was built.
#pragma once

namespace headwise::tools {

struct ViewPart {
  const char* text = "";
  const char* sha256 = "";  // of the text, in hexadecimal
};

// The script is all of the .js files, one after the other.
extern const ViewPart view_html, view_style, view_script;

}  // namespace headwise::tools
