#!/bin/sh
# Finds out what this machine's compilers can do; writes settings.mk, generated/ and configure.log. Runs nothing that it compiled.
# MPICC, MPICXX, ARCHITECTURE, BLAS, HWLOC and CXXSTD of the environment count before what is found.
set -u
cd "$(dirname "$0")" || exit 4
work=generated/configure
rm -rf "$work"
mkdir -p "$work" generated/native/base
: > configure.log

compiles() {  # compiles COMPILER SOURCE WORDS...
  echo "+ $*" >> configure.log
  compiler=$1 source=$2
  shift 2
  $compiler "$source" "$@" -o "$work/out" >> configure.log 2>&1
}
fail() { echo "kit: $1 ($2); $3" >&2; exit 4; }
first_of() {  # first_of SOURCE "WORDS"...: the first words with which C++ compiles and links
  from=$1
  shift
  for words in "$@"; do
    if compiles "$cxx" "$from" $standard $words; then echo "$words"; return 0; fi
  done
  return 1
}

printf '#include <mpi.h>\nint main(void) { return MPI_Initialized(0); }\n' > "$work/mpi.c"
cp "$work/mpi.c" "$work/mpi.cpp"
printf '#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n' > "$work/openmp.cpp"
printf 'int main() { return 0; }\n' > "$work/nothing.cpp"
printf '#include <filesystem>\nint main() { return std::filesystem::exists("x"); }\n' > "$work/files.cpp"
printf 'extern "C" void dgemm_();\nint main(int n, char**) { if (n > 9) dgemm_(); return 0; }\n' > "$work/blas.cpp"
printf '#include <charconv>\nint main() { char t[9]; double x = 0; std::to_chars(t, t + 9, x, std::chars_format::fixed, 1); return std::from_chars(t, t + 9, x).ec != std::errc(); }\n' > "$work/charconv.cpp"
printf '#include <hwloc.h>\nint main() { hwloc_topology_t t; return hwloc_topology_init(&t); }\n' > "$work/hwloc.cpp"

cc= cxx=
for name in "${MPICC:-mpicc}" cc "mpifcc -Nclang" mpiicx; do  # with words of its own where it is named
  if compiles "$name" "$work/mpi.c"; then cc=$name; break; fi
  [ -z "${MPICC:-}" ] || break
done
[ -n "$cc" ] || fail "no C compiler for MPI works here" "tried ${MPICC:-mpicc, cc, mpifcc -Nclang, mpiicx}; see configure.log" "load the modules of a compiler and of MPI, or name one: make MPICC=... MPICXX=..."
standard=
for name in "${MPICXX:-mpicxx}" mpic++ CC "mpiFCC -Nclang" mpiicpx; do
  if compiles "$name" "$work/mpi.cpp" -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX; then cxx=$name; break; fi
  [ -z "${MPICXX:-}" ] || break
done
[ -n "$cxx" ] || fail "no C++ compiler for MPI works here" "tried ${MPICXX:-mpicxx, mpic++, CC, mpiFCC -Nclang, mpiicpx}; see configure.log" "load the modules of a compiler and of MPI, or name one: make MPICC=... MPICXX=..."
standard=$(first_of "$work/nothing.cpp" ${CXXSTD:--std=c++17 -std=c++1z}) || fail "$cxx does not know C++17" "see configure.log" "load a newer compiler (GCC 8 and later know it)"
files=$(first_of "$work/files.cpp" "" -lstdc++fs -lc++fs) || fail "$cxx has no std::filesystem" "its library is older than C++17" "load a newer compiler (GCC 8 and later have it)"
openmp=$(first_of "$work/openmp.cpp" -fopenmp -qopenmp -Kopenmp) || fail "$cxx knows no OpenMP" "the probes need it; see configure.log" "load a compiler with OpenMP"
march=$(first_of "$work/nothing.cpp" ${ARCHITECTURE:--march=native -mcpu=native} "") || march=
# What sources ask of the optimiser is GCC's; loops shall stay loops, and not become calls of memcpy and memset.
refused= instead=
for word in $(sed -n 's/.*: OPTIONS := //p' sources.mk | tr ' ' '\n' | sort -u); do
  compiles "$cxx" "$work/nothing.cpp" $standard -Werror "$word" || refused="$refused $word"
done
case $refused in *distribute-patterns*) instead=$(first_of "$work/nothing.cpp" "-Werror -fno-builtin" "") ;; esac
instead=${instead#-Werror }
quiet=  # what is said of the sources for nothing
for word in -Wno-c++20-extensions -Wno-stringop-overflow; do
  compiles "$cxx" "$work/nothing.cpp" $standard -Werror $word && quiet="$quiet $word"
done
missing= without=
blas=${BLAS:-$(first_of "$work/blas.cpp" -lblis -lopenblas -lmkl_rt)} || blas=
[ "$blas" != none ] || blas=
[ -n "$blas" ] || { missing="blas" without="-DHAKARU_WITHOUT_BLAS"; }
hwloc=
{ [ "${HWLOC:-}" != none ] && hwloc=$(first_of "$work/hwloc.cpp" ${HWLOC:--lhwloc}); } || { hwloc=; missing="$missing hwloc" without="$without -DHAKARU_WITHOUT_HWLOC"; }
first_of "$work/charconv.cpp" "" > /dev/null || missing="$missing charconv"

kind=other
macros=$($cc -dM -E "$work/mpi.c" 2>> configure.log)
case $macros in
  *I_MPI_VERSION*) kind=intelmpi ;;
  *"#define OPEN_MPI "*) kind=openmpi ;;
  *"#define MPICH_VERSION"*) kind=mpich ;;
esac
# As the records of the full installation name it: GNU 12.2.0, Clang 14.0.6.
version=$(printf '%s\n' "$($cxx -dM -E -x c++ /dev/null 2>> configure.log)" | awk '
  $2 == "__clang_major__" { clang = $3 } $2 == "__clang_minor__" { clang2 = $3 } $2 == "__clang_patchlevel__" { clang3 = $3 }
  $2 == "__GNUC__" { gnu = $3 } $2 == "__GNUC_MINOR__" { gnu2 = $3 } $2 == "__GNUC_PATCHLEVEL__" { gnu3 = $3 }
  END { print clang != "" ? "Clang " clang "." clang2 "." clang3 : gnu != "" ? "GNU " gnu "." gnu2 "." gnu3 : "unknown" }')

{
  echo '// Made by configure.sh.'
  echo '#pragma once'
  echo 'namespace hakaru::base {'
  echo "inline constexpr const char* build_compiler = \"$version\";"
  echo "inline constexpr const char* build_flags = \"-O3 ${march:+$march }$openmp $standard\";"
  echo '}  // namespace hakaru::base'
} > generated/native/base/build_info.hpp
cat > settings.mk.part <<END
# Made by configure.sh.
CC_OF_MPI := $cc
CXX_OF_MPI := $cxx
STANDARD := $standard
MARCH := $march
OPENMP := $openmp
WITHOUT := $without
QUIET := $quiet
REFUSED := $refused
INSTEAD := $instead
MISSING := $missing
LIBRARIES := $files $blas $hwloc -ldl -lpthread -lrt
MPI_KIND := $kind
END
if cmp -s settings.mk.part settings.mk; then rm settings.mk.part; else mv settings.mk.part settings.mk; fi
rm -rf "$work"
echo "compilers: $cc, $cxx ($version), $standard${march:+ $march}; MPI: $kind; BLAS: ${blas:-none}; hwloc: ${hwloc:-none}"
