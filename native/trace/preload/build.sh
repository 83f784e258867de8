#!/bin/sh
# build.sh MPICC OUTPUT_LIBRARY [CALLS_TOML]: the preloadable tracer for the MPI library of that compiler wrapper.
set -eu
compiler=$1 library=$2
here=$(cd "$(dirname "$0")" && pwd)
table=${3:-$here/calls.toml}
work=$(dirname "$library")/generated
mkdir -p "$work"
flags="-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
printf '#include <mpi.h>\n' > "$work/header.c"
$compiler $flags -E "$work/header.c" > "$work/mpi.i"
${PYTHON:-python3} "$here/generate.py" "$work/mpi.i" "$work" "$table" > "$work/coverage.txt"
$compiler $flags -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden -fno-strict-aliasing -Wall -Wno-deprecated-declarations \
  -I"$here" -I"$work" -Wl,-z,now -o "$library.part" \
  "$here/writer.c" "$here/clock.c" "$here/objects.c" "$here/requests.c" "$here/completion.c" "$here/transfers.c" \
  "$here/environment.c" "$work/wrappers.c" -ldl -lpthread
mv "$library.part" "$library"
