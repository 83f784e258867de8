/* One loop: seconds of the processor for a call, and a number made of all that it may write.
 * program CALLS SAMPLES */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 2000, M = 44, K = 5 };
typedef double Row[M];
void loop(int n, int k, double* a, double* b, double* c, double* d, double* e, Row* aa, Row* bb,
          Row* cc, int* ip, int* jp, double s, double t, double* r);

static _Alignas(64) double a[N], b[N], c[N], d[N], e[N], r;
static _Alignas(64) Row aa[M], bb[M], cc[M];
static _Alignas(64) int ip[N], jp[N];

/* Values that keep their size: b in (0, 2), c of both signs and never 0, d close to 1; ip is a
 * permutation. */
static void prepare(void) {
  for (int i = 0; i < N; i++) {
    a[i] = 0.5 + i * 3 % 7 / 16.0;
    b[i] = 0.125 + i * 13 % 29 / 16.0;
    c[i] = (i * 5 % 11 - 5.5) / 8.0;
    d[i] = 1.0 + (i % 7 - 3) / 1024.0;
    e[i] = 0.25 + i * 11 % 13 / 16.0;
    ip[i] = (i * 7 + 3) % N;
    jp[i] = 0;
  }
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++) {
      aa[j][i] = (i * 3 + j * 5) % 13 / 16.0;
      bb[j][i] = (i * 7 + j * 3) % 17 / 16.0;
      cc[j][i] = (i * 5 + j * 11) % 19 / 16.0;
    }
  r = 0.0;
}

static double told(void) {
  double sum = r;
  for (int i = 0; i < N; i++) {
    const double weight = 1.0 + i % 17 / 16.0;
    sum +=
        weight * (a[i] + 3.0 * b[i] + 5.0 * c[i] + 7.0 * d[i] + 9.0 * e[i] + 11.0 * jp[i] + ip[i]);
  }
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++)
      sum += (1.0 + (i + 3 * j) % 17 / 16.0) * (aa[j][i] + bb[j][i] + cc[j][i]);
  return sum;
}

static void call(void) { loop(N, K, a, b, c, d, e, aa, bb, cc, ip, jp, 0.75, 0.25, &r); }

int main(int count, char** words) {
  if (count != 3) return 2;
  const int calls = atoi(words[1]), samples = atoi(words[2]);
  prepare();
  call();
  printf("result %.17g\n", told());
  for (int sample = 0; sample < samples; sample++) {
    struct timespec began, ended;
    prepare();
    call();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    for (int i = 0; i < calls; i++) call();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    const double took = (ended.tv_sec - began.tv_sec) + 1e-9 * (ended.tv_nsec - began.tv_nsec);
    printf("seconds %.9e\n", took / calls);
  }
  return 0;
}
