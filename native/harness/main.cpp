// The only main() of all apps and probes.
#include <fmt/format.h>
#include <omp.h>

#include <cstdio>
#include <string>
#include <vector>

#include "native/base/blas_kernel.hpp"
#include "native/harness/execution.hpp"
#include "native/harness/help.hpp"
#include "native/harness/record.hpp"
#include "native/harness/schedule_command.hpp"

namespace hakaru::harness {

namespace {

void print_description(const Program& program, const base::Description& description,
                       const CommandLine& line) {
  base::json out = description.to_json();
  out["kind"] = kind_of_program();
  out["needs_mpi"] = uses_mpi();
  const UsualRun usual = usual_run(kind_of_program());
  out["usual"] = {{"repetitions", usual.repetitions}, {"warmup", usual.warmup}};
  out["evaluated"] = evaluate(program, description, line.parameters, {line.ranks, line.threads});
  fmt::print("{}\n", out.dump(1));
}

int start(int argument_count, char** arguments) {
  auto program = make_program();
  const base::Description description = program->describe();
  const std::vector<std::string> words(arguments + 1, arguments + argument_count);
  CommandLine line = parse_command_line(description, words);
  if (line.command == Command::help) {
    fmt::print("{}", help_text(description, uses_mpi()));
    return 0;
  }
  line.parameters = program->complete(line.parameters);
  if (line.command == Command::describe) {
    print_description(*program, description, line);
    return 0;
  }
  if (line.command == Command::schedule) {
    write_schedule(*program, description, line);
    return 0;
  }
  omp_set_dynamic(0);
  omp_set_num_threads(line.threads);
  const int started = launcher_view().size;
  const auto ranks = start_ranks(argument_count, arguments, line.threads);
  require_one_program(description.name(), started, ranks->size(), uses_mpi());
  const base::ExitCode code = execute(*program, description, line, *ranks);
  program.reset();  // before MPI ends: a leaf may own MPI objects
  return static_cast<int>(code);
}

}  // namespace
}  // namespace hakaru::harness

int main(int argument_count, char** arguments) {
  using namespace hakaru;
  base::choose_blas_kernel();
  try {
    return harness::start(argument_count, arguments);
  } catch (const base::UserError& error) {
    if (harness::launcher_view().rank == 0) fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(base::ExitCode::environment);
  }
}
