// A small program that starts processes and times them: LMbench's lat_proc. A fork copies the page
// tables of who forks, so that a large program would measure itself.
//   spawner                                 writes a line and ends with `done_status`
//   spawner fork|exec|shell SAMPLES LEAST_S  writes seconds of one start, a line a sample
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int done_status = 7;
char self[4096];

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[noreturn]] void become(char kind) {
  char* words[] = {self, nullptr};
  char* nothing[] = {nullptr};
  if (kind == 'f') exit(done_status);
  close(1);
  if (kind == 'e') execve(self, words, nothing);
  if (kind == 's') execlp("/bin/sh", "sh", "-c", self, static_cast<char*>(nullptr));
  _exit(1);
}

// Seconds of so many starts, one after the other; -1 when one did not do what it must.
double starts_s(char kind, long count) {
  const double start = now_s();
  for (long i = 0; i < count; ++i) {
    int status = 0;
    const pid_t child = fork();
    if (child < 0) return -1.0;
    if (child == 0) become(kind);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != done_status)
      return -1.0;
  }
  return now_s() - start;
}

}  // namespace

int main(int count_of_words, char** words) {
  if (count_of_words == 1) {
    puts("done");
    return done_status;
  }
  if (count_of_words != 4) return 2;
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return 4;
  const long samples = atol(words[2]);
  const double least_s = atof(words[3]);
  long count = 1;
  for (;;) {
    double seconds = starts_s(words[1][0], count);
    if (seconds >= least_s) {  // or was it interrupted?
      const double again = starts_s(words[1][0], count);
      if (again < seconds) seconds = again;
    }
    if (seconds < 0.0) return 3;
    if (seconds >= least_s || count > 100000) break;
    count = seconds > 0.1 * least_s
                ? static_cast<long>(1.1 * static_cast<double>(count) * least_s / seconds) + 1
                : 2 * count;
  }
  for (long i = 0; i < samples; ++i) {
    const double seconds = starts_s(words[1][0], count);
    if (seconds < 0.0) return 3;
    printf("%.9e\n", seconds / static_cast<double>(count));
    if (fflush(stdout) != 0) return 4;  // a child that ends would write it once more
  }
  return 0;
}
