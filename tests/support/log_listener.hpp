// Hears what the library tells its log handler, as long as it lives.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "headwise/log.hpp"

struct LogListener {
  std::vector<std::string> heard;  // "warning: text"
  LogListener() {
    headwise::set_log_handler([this](headwise::LogLevel level, const std::string& text) {
      heard.push_back(std::string(headwise::log_level_name(level)) + ": " + text);
    });
  }
  ~LogListener() { headwise::set_log_handler({}); }
  LogListener(const LogListener&) = delete;
  LogListener& operator=(const LogListener&) = delete;

  std::int64_t count(const std::string& words) const {
    return std::count_if(heard.begin(), heard.end(),
                         [&](const std::string& text) { return text.find(words) != std::string::npos; });
  }
};
