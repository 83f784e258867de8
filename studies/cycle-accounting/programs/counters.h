/* Hardware events of this thread by perf_event_open(2), in groups that the kernel counts together.
 */
#ifndef COUNTERS_H
#define COUNTERS_H
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_EVENTS = 32 };

typedef struct {
  int count, group[MOST_EVENTS], file[MOST_EVENTS], leader[MOST_EVENTS], failed;
} Counters;

/* words: "GROUP:TYPE:CONFIG"; the first of a group leads it. failed: the error number, or 0. */
static Counters counters_open(int count, char** words) {
  Counters own = {0};
  for (int i = 0; i < count && i < MOST_EVENTS && !own.failed; i++) {
    unsigned long long config = 0;
    unsigned type = 0;
    if (sscanf(words[i], "%d:%u:%llx", &own.group[i], &type, &config) != 3) own.failed = EINVAL;
    int leader = -1;
    for (int before = 0; before < i && leader < 0; before++)
      if (own.group[before] == own.group[i]) leader = own.file[before];
    struct perf_event_attr wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.type = type;
    wanted.config = config;
    wanted.disabled = leader < 0;
    wanted.exclude_kernel = type != PERF_TYPE_SOFTWARE;
    wanted.exclude_hv = 1;
    wanted.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    own.file[i] = own.failed ? -1 : (int)syscall(SYS_perf_event_open, &wanted, 0, -1, leader, 0);
    if (own.file[i] < 0 && !own.failed) own.failed = errno;
    own.leader[i] = leader < 0;
    own.count = i + 1;
  }
  return own;
}

static void counters_switch(const Counters* own, int on) {
  for (int i = 0; i < own->count && !own->failed; i++)
    if (own->leader[i])
      ioctl(own->file[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

/* "count I VALUE": scaled by the share of time that its group was counted; a group that never was
 * counted, or an event that the kernel refuses, is "uncounted ERROR". */
static void counters_print(const Counters* own) {
  if (own->failed) printf("uncounted %d\n", own->failed);
  for (int i = 0; i < own->count && !own->failed; i++) {
    if (!own->leader[i]) continue;
    uint64_t read_[3 + MOST_EVENTS];
    if (read(own->file[i], read_, sizeof read_) < 0 || read_[2] == 0) {
      printf("uncounted %d\n", EBUSY);
      return;
    }
    int place = 3;
    for (int one = i; one < own->count; one++)
      if (own->group[one] == own->group[i])
        printf("count %d %.17g\n", one,
               (double)read_[place++] * ((double)read_[1] / (double)read_[2]));
  }
}
#endif
