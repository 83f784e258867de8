#!/usr/bin/env bash
# Shows a kit in a bare Debian tree with a compiler and one MPI library only, as a plain user without network. Not part of ./hakaru test:
# it needs root, debootstrap, a package mirror, about 1.5 GB and ten minutes.
#
#   tests/end_to_end/kit_debian.sh KIT.tar.gz FOLDER CODENAME MPI COMPILER
#
#   KIT.tar.gz  what `hakaru kit` wrote          CODENAME  bookworm or bullseye
#   FOLDER      is made, and stays for a look    MPI       openmpi or mpich       COMPILER  gcc or clang
#
# Afterwards the results are in FOLDER/home/plain/results: hakaru collect FOLDER/home/plain/results
# Mounts live in a mount namespace of their own and end with it.
set -euo pipefail

[[ $# -eq 5 ]] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
kit=$(realpath -- "$1"); tree=$(realpath -m -- "$2"); codename=$3 mpi=$4 compiler=$5
checkout=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
user=1000
# shellcheck source=tests/end_to_end/debian_tree.sh
. "$checkout/tests/end_to_end/debian_tree.sh"

declare -A packages=([openmpi]="openmpi-bin libopenmpi-dev" [mpich]="mpich libmpich-dev" [gcc]="g++" [clang]="clang libomp-dev")
if [[ ! -e $tree/etc ]]; then
  debootstrap --variant=minbase "$codename" "$tree" "$(mirror)" >"$tree.debootstrap.log" 2>&1 || { tail -n 20 "$tree.debootstrap.log"; exit 1; }
fi
if [[ ! -e $tree/usr/bin/make ]]; then
  configuration_of_this_host
  chroot "$tree" id plain >/dev/null 2>&1 || chroot "$tree" useradd --uid $user --create-home plain
  # shellcheck disable=SC2086
  chroot "$tree" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends make ${packages[$compiler]} ${packages[$mpi]} \
    >"$tree.packages.log" 2>&1 || { tail -n 20 "$tree.packages.log"; exit 1; }
fi
for absent in cmake pkg-config git; do [[ ! -e $tree/usr/bin/$absent ]] || echo "attention: $absent is in the tree"; done
for absent in fmt nlohmann otf2 hwloc.h hwy; do [[ ! -e $tree/usr/include/$absent ]] || echo "attention: $absent is in the tree"; done

rm -rf "$tree"/home/plain/hakaru-kit-* "$tree/home/plain/results"
cp "$kit" "$tree/home/plain/kit.tar.gz"
cat >"$tree/home/plain/program.c" <<'END'
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
END
wrapped=(export LC_ALL=C)
if [[ $compiler == clang ]]; then wrapped+=(OMPI_CC=clang OMPI_CXX=clang++ MPICH_CC=clang MPICH_CXX=clang++); fi
if [[ $codename-$mpi == bullseye-openmpi ]]; then wrapped+=(OMPI_MCA_osc=^ucx); fi  # its 4.1.0 makes no window through UCX here
inside --offline $user /home/plain bash -c "set -eu; ${wrapped[*]}
  tar xf kit.tar.gz; cd hakaru-kit-*
  make -j 2
  sh probe.sh --small || echo 'some probes ended without success'
  mpicc -o program ../program.c; mpirun -n 2 ./trace ten ./program
  make pack; cp -r results .."
ls "$tree/home/plain/results/records" | wc -l
