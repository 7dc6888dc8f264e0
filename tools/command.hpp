// A sub-command: its parser, and what it does once the command line is parsed.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace headwise::tools {

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;  // returns the exit code; throws headwise::Error, UsageError or OutputError
};

Command add_inspect(CLI::App& app);
Command add_run(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_profile(CLI::App& app);
Command add_verify(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_embed(CLI::App& app);
Command add_similar(CLI::App& app);
Command add_view(CLI::App& app);
Command add_ask_heads(CLI::App& app);
Command add_info(CLI::App& app);
Command add_completion(CLI::App& app);  // keeps `app`, whose definitions it writes
Command add_man(CLI::App& app);         // the same

}  // namespace headwise::tools
