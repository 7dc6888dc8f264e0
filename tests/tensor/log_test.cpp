// The log handler of the process: set, exchanged and ended, from any thread.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "expect_error.hpp"
#include "logging.hpp"

using namespace headwise;

namespace {

struct NoHandlerAfterwards {
  ~NoHandlerAfterwards() { set_log_handler({}); }
};

void say(const std::string& text, LogLevel level = LogLevel::warning) {
  log(level, [&] { return text; });
}

}  // namespace

TEST_CASE("log: without a handler messages are not even made") {
  bool made = false;
  log(LogLevel::warning, [&] { return made = true, std::string(); });
  CHECK(!made);
  CHECK(!has_log_handler());
}

TEST_CASE("log: a handler gets level and words until another or none is set") {
  const NoHandlerAfterwards guard;
  std::vector<std::string> first, second;
  set_log_handler(
      [&](LogLevel level, const std::string& text) { first.push_back(log_level_name(level) + (": " + text)); });
  CHECK(has_log_handler());
  say("a");
  say("b", LogLevel::info);
  set_log_handler([&](LogLevel, const std::string& text) { second.push_back(text); });
  say("c");
  set_log_handler({});
  say("d");
  send_to_log(LogLevel::info, "e");
  CHECK(first == std::vector<std::string>{"warning: a", "info: b"});
  CHECK(second == std::vector<std::string>{"c"});
}

TEST_CASE("log: what a handler throws is dropped, and so is a message that can't be made") {
  const NoHandlerAfterwards guard;
  int calls = 0;
  set_log_handler([&](LogLevel, const std::string&) {
    ++calls;
    throw std::runtime_error("from a handler");
  });
  say("a");
  say("b");
  log(LogLevel::info, []() -> std::string { throw std::bad_alloc(); });
  CHECK(calls == 2);
}

TEST_CASE("log: inside a handler messages are dropped and handlers are not set") {
  const NoHandlerAfterwards guard;
  int calls = 0;
  set_log_handler([&](LogLevel, const std::string&) {
    ++calls;
    say("from inside");
    expect_error(ErrorCode::busy, {"from inside a log handler"}, [] { set_log_handler({}); });
  });
  say("a");
  CHECK(calls == 1);
}

TEST_CASE("log: a handler that was replaced is not running any more and is not called again") {
  const NoHandlerAfterwards guard;
  std::atomic<bool> done{false};
  std::atomic<int> heard{0}, late{0};
  std::vector<std::thread> speakers;
  for (int t = 0; t < 3; ++t) {
    speakers.emplace_back([&] {
      while (!done) say("a");
    });
  }
  for (int round = 0; round < 300; ++round) {
    auto alive = std::make_unique<std::atomic<bool>>(true);
    std::atomic<bool>* flag = alive.get();
    set_log_handler([&, flag](LogLevel, const std::string&) { ++(*flag ? heard : late); });
    if (round % 3 == 0) std::this_thread::yield();
    set_log_handler({});
    *alive = false;  // and then it is freed, which the sanitizers would see used
  }
  while (heard == 0) {
    set_log_handler([&](LogLevel, const std::string&) { ++heard; });
    std::this_thread::yield();
  }
  set_log_handler({});
  done = true;
  for (std::thread& speaker : speakers) speaker.join();
  CHECK(late == 0);
}
