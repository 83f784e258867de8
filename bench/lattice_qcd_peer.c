/* Seconds a site of openQCD's hopping term (Dwoe and Dweo, even and odd sites once each), one core.
 *
 * lattice_qcd_peer single|double SAMPLES: a line a sample. One pair of fields at random links;
 * bench/lattice_qcd.py compiles it with openQCD's modules, for the local lattice of its global.h.
 */
#define MAIN_PROGRAM
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "su3.h"
#include "flags.h"
#include "random.h"
#include "lattice.h"
#include "uflds.h"
#include "sflds.h"
#include "utils.h"
#include "dirac.h"
#include "global.h"

enum { least_passes = 2 };
static const double least_seconds = 0.1;

static spinor *from, *to;
static spinor_dble *from_dble, *to_dble;

static void pass_single(void) {
  Dwoe(from, to);
  Dweo(to, from);
}

static void pass_double(void) {
  Dwoe_dble(from_dble, to_dble);
  Dweo_dble(to_dble, from_dble);
}

static double seconds(void (*pass)(void), int passes) {
  const double begin = MPI_Wtime();
  int i;
  for (i = 0; i < passes; ++i) pass();
  return MPI_Wtime() - begin;
}

static void random_links(void) {
  double phi[2] = {0.0, 0.0}, phi_prime[2] = {0.0, 0.0}, theta[3] = {0.0, 0.0, 0.0};
  set_lat_parms(6.0, 1.0, 0, NULL, 1.0);
  set_bc_parms(3, 1.0, 1.0, 1.0, 1.0, phi, phi_prime, theta); /* 3: periodic */
  start_ranlux(0, 12345);
  geometry();
  random_ud();
  set_ud_phase();
  assign_ud2u();
}

static void random_fields(void) {
  spinor **fields;
  spinor_dble **fields_dble;
  alloc_ws(2);
  alloc_wsd(2);
  fields = reserve_ws(2), from = fields[0], to = fields[1];
  fields_dble = reserve_wsd(2), from_dble = fields_dble[0], to_dble = fields_dble[1];
  random_s(VOLUME, from, 1.0f);
  random_s(VOLUME, to, 1.0f);
  random_sd(VOLUME, from_dble, 1.0);
  random_sd(VOLUME, to_dble, 1.0);
}

int main(int argc, char *argv[]) {
  void (*pass)(void);
  int samples, passes = least_passes, i;
  MPI_Init(&argc, &argv);
  if (argc != 3 || (samples = atoi(argv[2])) < 1) return 2;
  pass = strcmp(argv[1], "single") == 0 ? pass_single : pass_double;
  random_links();
  random_fields();
  while (seconds(pass, passes) < least_seconds) passes *= 2;
  for (i = 0; i < samples; ++i)
    printf("%.6e\n", seconds(pass, passes) / ((double)passes * VOLUME));
  MPI_Finalize();
  return 0;
}
