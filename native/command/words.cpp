#include "native/command/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "native/base/require.hpp"

namespace hakaru::command {

bool read_words(CLI::App& declared, std::vector<std::string> words) {
  if (words == std::vector<std::string>{"help"}) words = {"--help"};
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
  try {
    declared.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", declared.help());
    return false;
  } catch (const CLI::ParseError& error) {
    std::string why = error.what();
    std::replace(why.begin(), why.end(), '\n', ' ');
    base::require(false, "the command line is not understood", why,
                  fmt::format("see {} --help", declared.get_name()));
  }
  return true;
}

int reported(const std::string& program, std::FILE* told, const std::function<int()>& body) {
  constexpr int environment = static_cast<int>(base::ExitCode::environment);
  try {
    return body();
  } catch (const base::UserError& error) {
    fmt::print(told, "{}: {}\n", program, error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(told, "{}: not enough memory; use fewer ranks or a machine with more\n", program);
    return environment;
  } catch (const std::exception& error) {
    fmt::print(told, "{}: {}; please report this\n", program, error.what());
    return environment;
  }
}

}  // namespace hakaru::command
