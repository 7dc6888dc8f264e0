// A profile as a page that needs nothing else: no script, no network.
#pragma once

#include <string>

#include "profile_report.hpp"

namespace headwise::tools {

std::string profile_html(const ProfileReport& report);  // the machine must have been measured

}  // namespace headwise::tools
