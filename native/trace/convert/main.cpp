// hakaru_trace_convert: raw traces into an OTF2 archive.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/command/words.hpp"
#include "native/trace/convert/convert.hpp"

namespace {

using hakaru::trace::Conversion;

constexpr const char* program = "hakaru_trace_convert";

void report(const Conversion& c, bool json, std::FILE* told) {
  const double per_event =
      c.events > 0 ? static_cast<double>(c.archive_bytes) / static_cast<double>(c.events) : 0;
  if (json) {
    const nlohmann::json object{{"ranks", c.ranks},
                                {"events", c.events},
                                {"raw_bytes", c.raw_bytes},
                                {"archive_bytes", c.archive_bytes},
                                {"warnings", c.warnings}};
    fmt::print("{}\n", object.dump());
    return;
  }
  for (const std::string& warning : c.warnings) fmt::print(told, "warning: {}\n", warning);
  fmt::print("{} ranks, {} events, {} bytes ({:.1f} per event)\n", c.ranks, c.events,
             c.archive_bytes, per_event);
}

// The OTF2 library frees twice and aborts when it cannot write: that happens in a child, whose
// words (and libc's) are not shown. Ours go to `told`.
template <typename Work>
int in_a_child(const std::string& archive, Work&& work) {
  std::FILE* const told = fdopen(dup(STDERR_FILENO), "w");
  setvbuf(told, nullptr, _IOLBF, 0);
  const pid_t child = fork();
  hakaru::base::require_environment(child >= 0, "the archive cannot be made", std::strerror(errno),
                                    "allow more processes");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(memfd_create("errors", MFD_CLOEXEC), STDERR_FILENO);
    const int code = hakaru::command::reported(program, told, [&] { return work(told); });
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::error_code ignored;
  std::filesystem::remove_all(hakaru::trace::unfinished_folder(archive, child), ignored);
  fmt::print(told,
             "hakaru_trace_convert: the archive cannot be written (the OTF2 library was ended by "
             "\"{}\"); see that the disk has room and can be written\n",
             strsignal(WTERMSIG(status)));
  return static_cast<int>(hakaru::base::ExitCode::environment);
}

struct Wanted {
  std::string raw, archive;
  bool json = false;
};

int convert_as_asked(const Wanted& wanted) {
  const bool terminal = isatty(STDERR_FILENO);
  return in_a_child(wanted.archive, [&](std::FILE* told) {
    auto shown = std::chrono::steady_clock::now();
    const auto progress = [&](std::int32_t done, std::int32_t ranks) {
      const auto now = std::chrono::steady_clock::now();
      if (!terminal || now - shown < std::chrono::milliseconds(500)) return;
      shown = now;
      fmt::print(told, "\rconverting rank {} of {} {}", done, ranks, done == ranks ? "\n" : "");
      std::fflush(told);
    };
    report(hakaru::trace::convert(wanted.raw, wanted.archive, progress), wanted.json, told);
    return 0;
  });
}

}  // namespace

int main(int count, char** words) {
  return hakaru::command::reported(program, stderr, [&] {
    CLI::App app("Makes an OTF2 archive of the raw traces (rank-*.hkr) that the tracer wrote.",
                 program);
    Wanted wanted;
    app.add_option("raw_folder", wanted.raw, "folder of the raw traces")->required();
    app.add_option("archive_folder", wanted.archive, "folder that is made")->required();
    app.add_flag("--json", wanted.json, "what was converted as JSON");
    const bool asked = hakaru::command::read_words(app, {words + 1, words + count});
    return asked ? convert_as_asked(wanted) : 0;
  });
}
