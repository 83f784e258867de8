#!/bin/sh
# What was built and what was left out: report.sh "PROBES" "MISSING LIBRARIES" "LIBRARY:PROBE THAT NEEDS IT ..."
set -u
cd "$(dirname "$0")" || exit 4
: > left_out.txt
there=0
for name in $1; do
  if [ -x "bin/$name" ]; then there=$((there + 1)); continue; fi
  needed=
  for pair in $3; do [ "${pair#*:}" != "$name" ] || needed="$needed${needed:+, }${pair%%:*}"; done
  case $needed in
    *charconv*) echo "$name: needs numbers with a point in <charconv>, which this compiler has not (GCC 11 and later have it)" >> left_out.txt ;;
    ?*) echo "$name: needs $needed, which is not here" >> left_out.txt ;;
    *) echo "$name: did not compile (see what make printed)" >> left_out.txt ;;
  esac
done
case " $2 " in *" blas "*) echo "arithmetic: DGEMM, since no BLAS was found (make BLAS=-l...)" >> left_out.txt ;; esac
[ -f lib/libhakaru_trace.so ] || echo "tracer: did not compile (see what make printed)" >> left_out.txt
echo "built: $there of $(echo "$1" | wc -w) probes$([ -f lib/libhakaru_trace.so ] && echo ", the tracer")"
[ ! -s left_out.txt ] || { echo "left out:"; sed 's/^/  /' left_out.txt; }
[ "$there" -gt 0 ] || { echo "kit: no probe could be built (see above); load another compiler and say: make clean all" >&2; exit 4; }
