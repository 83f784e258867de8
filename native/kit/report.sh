#!/bin/sh
# What was built and what was left out: report.sh "PROBES" "MISSING LIBRARIES" "PROBES THAT NEED THEM"
set -u
cd "$(dirname "$0")" || exit 4
: > left_out.txt
there=0
for name in $1; do
  if [ -x "bin/$name" ]; then there=$((there + 1)); continue; fi
  case " $3 " in
    *" $name "*) echo "$name: needs a library that is not here ($2)" >> left_out.txt ;;
    *) echo "$name: did not compile (see what make printed)" >> left_out.txt ;;
  esac
done
case " $2 " in *" blas "*) echo "arithmetic: DGEMM, since no BLAS was found (make BLAS=-l...)" >> left_out.txt ;; esac
[ -f lib/libhakaru_trace.so ] || echo "tracer: did not compile (see what make printed)" >> left_out.txt
echo "built: $there of $(echo "$1" | wc -w) probes$([ -f lib/libhakaru_trace.so ] && echo ", the tracer")"
[ ! -s left_out.txt ] || { echo "left out:"; sed 's/^/  /' left_out.txt; }
[ "$there" -gt 0 ] || { echo "kit: no probe could be built (see above); load another compiler and say: make clean all" >&2; exit 4; }
