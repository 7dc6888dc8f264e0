// The library, the machine and the log through C.
#include "c_objects.hpp"
#include "logging.hpp"

using namespace headwise;

TEST_CASE("C system: version and build are those of C++") {
  CHECK(std::string(headwise_version()) == version());
  auto info = ready<headwise_build_info>();
  check_ok(headwise_build_info_get(&info));
  const BuildInfo build = build_info();
  CHECK(info.version == build.version);
  CHECK(info.commit == build.commit);
  CHECK(info.compiler == build.compiler);
  CHECK(info.type == build.type);
  CHECK(info.onednn == build.onednn);
  CHECK(info.isas == build.isas);
  CHECK(build.version == version());
  CHECK(build.onednn == onednn_version());
  CHECK(!build.commit.empty());
  CHECK(build.compiler.find('.') != std::string::npos);
  CHECK(build.isas.find("reference") != std::string::npos);
}

TEST_CASE("C system: threads and instruction sets") {
  CHECK(headwise_default_threads() == default_threads());
  std::int64_t count = 0;
  check_ok(headwise_isa_count(&count));
  const std::vector<IsaInfo> isas = list_isas();
  REQUIRE(count == std::int64_t(isas.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    auto isa = ready<headwise_isa_info>();
    check_ok(headwise_isa_get(i, &isa));
    CHECK(isa.name == isas[std::size_t(i)].name);
    CHECK((isa.compiled == 1) == isas[std::size_t(i)].compiled);
    CHECK((isa.present == 1) == isas[std::size_t(i)].present);
  }
  const char* resolved = nullptr;
  for (const char* isa : {(const char*)nullptr, "", "auto", "reference"}) {
    check_ok(headwise_resolve_isa(isa, &resolved));
    CHECK(resolved == resolve_isa(isa == nullptr ? "" : isa));
  }
  check_invalid({"avx9000"}, headwise_resolve_isa("avx9000", &resolved));
}

TEST_CASE("C system: what the default number of threads rests on") {
  const ThreadLimits expected = thread_limits();
  auto limits = ready<headwise_thread_limits>();
  check_ok(headwise_thread_limits_get(&limits));
  CHECK(limits.threads == expected.threads);
  CHECK(limits.affinity_cpus == expected.affinity_cpus);
  CHECK(limits.online_cpus == expected.online_cpus);
  CHECK(limits.openmp_threads == expected.openmp_threads);
  CHECK(limits.quota_cpus == expected.quota_cpus);
  CHECK(expected.reason.compare(0, 255, limits.reason) == 0);
  CHECK(expected.quota_file.compare(0, 255, limits.quota_file) == 0);
}

TEST_CASE("C system: limits of the machine") {
  auto options = ready<headwise_limit_options>();
  options.seconds = 0.005;
  double figure = 0;
  check_ok(headwise_measure_fma_peak(&options, &figure));
  CHECK(figure > 1e8);
  check_ok(headwise_measure_read_bandwidth(1 << 14, &options, &figure));
  CHECK(figure > 1e8);
  check_invalid({}, headwise_measure_read_bandwidth(-1, &options, &figure));
  options.threads = -1;
  check_invalid({"threads"}, headwise_measure_fma_peak(&options, &figure));
  options.threads = 1;
  options.seconds = 61;
  check_invalid({"seconds"}, headwise_measure_fma_peak(&options, &figure));
  options.seconds = 0.005;
  options.isa = "avx9000";
  check_invalid({"avx9000"}, headwise_measure_fma_peak(&options, &figure));
  std::int64_t count = 0;
  check_ok(headwise_memory_level_count(2, &count));
  const std::vector<MemoryLevel> levels = memory_levels(2);
  REQUIRE(count == std::int64_t(levels.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    auto level = ready<headwise_memory_level>();
    check_ok(headwise_memory_level_get(2, i, &level));
    CHECK(level.name == levels[std::size_t(i)].name);
    CHECK(level.capacity == levels[std::size_t(i)].capacity);
    CHECK(level.bytes_per_thread == levels[std::size_t(i)].bytes_per_thread);
  }
  check_invalid({"threads"}, headwise_memory_level_count(0, &count));
}

namespace {

struct Heard {
  std::vector<std::string> words;
  headwise_status inside = HEADWISE_OK;
};

void listen(headwise_log_level level, const char* message, void* user) {
  auto& heard = *static_cast<Heard*>(user);
  heard.words.push_back(std::string(headwise_log_level_name(level)) + ": " + message);
  heard.inside = headwise_set_log_handler(nullptr, nullptr);
}

}  // namespace

TEST_CASE("C log: a handler hears what is said until it is taken away") {
  Heard heard;
  check_ok(headwise_set_log_handler(listen, &heard));
  const OwnedModel model = c_model(random_weights(grouped_config(), 1), {.isa = "reference"});
  log(LogLevel::warning, [] { return std::string("careful"); });
  check_ok(headwise_set_log_handler(nullptr, nullptr));
  log(LogLevel::warning, [] { return std::string("unheard"); });
  CHECK(heard.words == std::vector<std::string>{"info: a layer of 4 heads runs on reference", "warning: careful"});
  CHECK(heard.inside == HEADWISE_BUSY);
  CHECK(std::string(headwise_log_level_name(2)) == "unknown");
  CHECK(std::string(headwise_log_level_name(-1)) == "unknown");
}
