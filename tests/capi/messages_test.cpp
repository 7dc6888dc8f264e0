// Statuses and the message of each thread.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "boundary.hpp"
#include "c_objects.hpp"

using namespace headwise;

TEST_CASE("C messages: every status has its name") {
  const char* names[] = {"ok",       "invalid_argument", "unsupported", "bad_file", "io", "out_of_memory",
                         "internal", "cancelled",        "busy"};
  for (headwise_status status = HEADWISE_OK; status <= HEADWISE_BUSY; ++status) {
    CHECK(std::string(headwise_status_name(status)) == names[status]);
  }
  for (const headwise_status status : {-1, 9, INT32_MAX, INT32_MIN}) {
    CHECK(std::string(headwise_status_name(status)) == "unknown");
  }
}

TEST_CASE("C messages: every exception becomes a status, none passes") {
  const auto throwing = [](const auto& exception) { return capi::guard([&] { throw exception; }); };
  for (const ErrorCode code : {ErrorCode::invalid_argument, ErrorCode::unsupported, ErrorCode::bad_file, ErrorCode::io,
                               ErrorCode::out_of_memory, ErrorCode::internal, ErrorCode::cancelled, ErrorCode::busy}) {
    const headwise_status status = throwing(Error(code, "words"));
    CHECK(std::string(headwise_status_name(status)) == error_code_name(code));
    CHECK(std::string(headwise_last_error()) == "words");
  }
  check_refused(HEADWISE_OUT_OF_MEMORY, {"out of memory"}, throwing(std::bad_alloc()));
  check_refused(HEADWISE_INTERNAL, {"by the standard library"}, throwing(std::logic_error("by the standard library")));
  check_refused(HEADWISE_INTERNAL, {"without words"}, throwing(1));
}

TEST_CASE("C messages: a success clears the message, and what returns no status leaves it") {
  double number = 0;
  check_invalid({"config"}, headwise_rotary_magnitude(nullptr, &number));
  CHECK(headwise_version() != nullptr);
  headwise_tensor_free(nullptr);
  CHECK(std::string(headwise_last_error()) == "config is NULL");
  std::int64_t count = 0;
  check_ok(headwise_isa_count(&count));
  CHECK(std::string(headwise_last_error()).empty());
}

TEST_CASE("C messages: a long one is cut between characters") {
  for (const std::size_t more : {0, 1, 2, 3}) {
    const std::string words = std::string(more, 'x') + [] {
      std::string text;
      for (int i = 0; i < 3000; ++i) text += "é";
      return text;
    }();
    capi::guard([&] { throw Error(ErrorCode::io, words); });
    const std::string message = headwise_last_error();
    CHECK(message.size() <= 4095);
    CHECK(message.size() >= 4094);
    CHECK((message.size() - more) % 2 == 0);
    CHECK(words.compare(0, message.size(), message) == 0);
  }
  capi::guard([] { throw Error(ErrorCode::io, std::string(4095, 'a')); });
  CHECK(std::string(headwise_last_error()).size() == 4095);
  capi::guard([] { throw Error(ErrorCode::io, std::string(5000, '\x80')); });  // no character at all
  CHECK(std::string(headwise_last_error()).empty());
}

TEST_CASE("C messages: names that the caller gives are quoted, whatever they hold") {
  const auto check_quoted = [](headwise_status status) {
    const std::string message = headwise_last_error();
    CAPTURE(message);
    CHECK(status == HEADWISE_INVALID_ARGUMENT);
    CHECK(message.find("'a\\x1b[2J\\x0a\\xff'") != std::string::npos);
  };
  const char* name = "a\x1b[2J\n\xff";
  const headwise_named_view bad{name, {nullptr, 99, 0, {}, nullptr}};
  check_quoted(headwise_save_safetensors("t", &bad, 1, nullptr, 0, nullptr));
  const headwise_note notes[] = {{name, "x"}, {name, "y"}};
  check_quoted(headwise_save_safetensors("t", nullptr, 0, notes, 2, nullptr));
  OwnedTensor tensor;
  const auto fail = [](void*, std::size_t, void*) { return std::int64_t{-1}; };
  check_refused(HEADWISE_IO, {"'a\\x1b[2J\\x0a\\xff'", "-1"}, headwise_read_npy(fail, nullptr, name, tensor.to()));
}

TEST_CASE("C messages: each of eight threads keeps its own") {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const std::string isa = "isa of thread " + std::to_string(t);
      for (int call = 0; call < 200; ++call) {
        const char* resolved = nullptr;
        const headwise_status status = headwise_resolve_isa(isa.c_str(), &resolved);
        std::this_thread::yield();
        const bool named = std::string(headwise_last_error()).find(isa) != std::string::npos;
        wrong += status == HEADWISE_INVALID_ARGUMENT && named && resolved == nullptr ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
