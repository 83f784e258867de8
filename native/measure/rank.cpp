// hakaru_rank FOLDER PROGRAM [ARGUMENTS...]: starts one rank of anybody's program and writes what it took to
// FOLDER/HOST-PID.rank, one `name value` a line, when it has ended:
//
//   rank N               as the launcher's environment says; 0 without a launcher
//   host NAME
//   began_s, ended_s     seconds since 1970 (CLOCK_REALTIME)
//   wall_s, user_s, system_s
//   peak_bytes N         largest resident set of the program, or of one of the processes that it waited for
//   major_faults N, voluntary_switches N, involuntary_switches N
//   allowed N,N,...      processors that the kernel lets it run on
//   status N             exit status, 128 + signal where a signal ended it
//
// It ends as the program ended. Without MPI, so that it starts programs of any library and of none.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

pid_t child = 0;

void hand_on(int number) {
  if (child > 0) kill(child, number);
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

int rank_of_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID",
                           "MV2_COMM_WORLD_RANK", "PALS_RANKID"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

std::string allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::string text;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return text;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) text += (text.empty() ? "" : ",") + std::to_string(processor);
  return text;
}

struct Times {
  double began_s, ended_s, wall_s;
};

// False when it could not be written whole; then nothing is left.
bool write_report(const std::string& folder, const Times& times, const rusage& used, int status) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string path = folder + "/" + host + "-" + std::to_string(getpid()) + ".rank";
  const std::string part = path + ".part";
  FILE* file = std::fopen(part.c_str(), "w");
  if (!file) return false;
  std::fprintf(file, "rank %d\nhost %s\nbegan_s %.6f\nended_s %.6f\nwall_s %.9f\n",
               rank_of_environment(), host, times.began_s, times.ended_s, times.wall_s);
  std::fprintf(file, "user_s %.6f\nsystem_s %.6f\npeak_bytes %lld\nmajor_faults %ld\n",
               seconds(used.ru_utime), seconds(used.ru_stime),
               static_cast<long long>(used.ru_maxrss) * 1024, used.ru_majflt);
  std::fprintf(file, "voluntary_switches %ld\ninvoluntary_switches %ld\nallowed %s\nstatus %d\n",
               used.ru_nvcsw, used.ru_nivcsw, allowed().c_str(), status);
  const bool whole = std::fflush(file) == 0 && !std::ferror(file);
  if (std::fclose(file) == 0 && whole && std::rename(part.c_str(), path.c_str()) == 0) return true;
  std::remove(part.c_str());
  return false;
}

[[noreturn]] void become(char** words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execvp(words[0], words);
  std::fprintf(stderr, "hakaru_rank: %s cannot be started (%s)\n", words[0], std::strerror(errno));
  _exit(127);
}

int ended_by(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "hakaru_rank: nothing to start (FOLDER PROGRAM [ARGUMENTS...] are needed)\n");
    return 2;
  }
  const double began_s = seconds(CLOCK_REALTIME), began = seconds(CLOCK_MONOTONIC);
  child = fork();
  if (child == 0) become(words + 2);
  if (child < 0) {
    std::perror("hakaru_rank: fork");
    return 4;
  }
  for (int number : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) std::signal(number, hand_on);
  std::signal(SIGINT, SIG_IGN);  // the terminal sends it to the program, too
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  const Times times{began_s, seconds(CLOCK_REALTIME), seconds(CLOCK_MONOTONIC) - began};
  if (!write_report(words[1], times, used, ended_by(status)))
    std::fprintf(stderr, "hakaru_rank: %s cannot be written (%s)\n", words[1], std::strerror(errno));
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit no_core{0, 0};  // the program has left its own
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return ended_by(status);
}
