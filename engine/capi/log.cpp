#include "headwise/log.hpp"
#include "boundary.hpp"
#include "headwise/c/system.h"

using namespace headwise::capi;

static_assert(HEADWISE_LOG_WARNING == static_cast<int>(headwise::LogLevel::warning));

const char* headwise_log_level_name(headwise_log_level level) {
  if (level < HEADWISE_LOG_INFO || level > HEADWISE_LOG_WARNING) return "unknown";
  return headwise::log_level_name(static_cast<headwise::LogLevel>(level));
}

headwise_status headwise_set_log_handler(headwise_log_handler handler, void* user) {
  return guard([&] {
    if (handler == nullptr) return headwise::set_log_handler({});
    headwise::set_log_handler([=](headwise::LogLevel level, const std::string& message) {
      handler(static_cast<headwise_log_level>(level), message.c_str(), user);
    });
  });
}
