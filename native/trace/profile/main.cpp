// hakaru_trace_profile: the samples of a traced run, with names and lines.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/command/words.hpp"
#include "native/trace/profile/output.hpp"

namespace {

using namespace hakaru::trace::profile;

int tell(const std::string& folder) {
  namespace fs = std::filesystem;
  hakaru::base::require(fs::is_directory(folder), folder + " is no folder", "samples lie in one",
                        "give the folder raw/ of a trace");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".hks") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Process> processes;
  std::vector<std::string> refused;
  for (const fs::path& file : files) try {
      processes.push_back(read_samples(file));
    } catch (const hakaru::base::UserError& error) {
      refused.push_back(error.what());
    }
  std::stable_sort(processes.begin(), processes.end(),
                   [](const Process& a, const Process& b) { return a.rank < b.rank; });
  fmt::print("{}\n", as_json(processes, refused));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  constexpr const char* name = "hakaru_trace_profile";
  unsetenv("DEBUGINFOD_URLS");  // libdw would ask hosts for what is not here
  return hakaru::command::reported(name, stderr, [&] {
    CLI::App app("Says as JSON where the samples of a traced run were taken.", name);
    std::string folder;
    app.add_option("folder", folder, "folder of the .hks files")->required();
    return hakaru::command::read_words(app, {arguments + 1, arguments + count}) ? tell(folder) : 0;
  });
}
