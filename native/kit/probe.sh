#!/bin/sh
# Runs the probes on this machine; records go to results/records.
#
#   sh probe.sh [--small] [--nodes N] [PROBE...]
#
# --small: quick and rough. --nodes: nodes that exchange messages (usual: those of the job). Within a job of Slurm srun starts the
# ranks, else mpirun; HAKARU_LAUNCH='words' says other words, in which %n is the number of ranks and %N that of nodes.
# Files that ranks of several nodes write lie in this folder, which all nodes must see. HAKARU_TIMEOUT: seconds after which a probe is ended (usual: 600).
set -u
kit=$(cd "$(dirname "$0")" && pwd) || exit 4
cd "$kit" || exit 4
preset= nodes= chosen=
while [ $# -gt 0 ]; do
  case $1 in
    --small) preset="--preset small" ;;
    --nodes) shift; nodes=${1:-} ;;
    -*) echo "probe.sh: there is no option $1 (--small and --nodes N); see the head of this file" >&2; exit 2 ;;
    *) chosen="$chosen $1" ;;
  esac
  shift
done
[ -f settings.mk ] || { echo "probe.sh: nothing is built (settings.mk is missing); say make first" >&2; exit 4; }
value() { sed -n "s/^$1 := //p" settings.mk; }
kind=$(value MPI_KIND)
serial=$(sed -n 's/^SERIAL := //p' sources.mk)
parallel=$(sed -n 's/^PARALLEL := //p' sources.mk)

nodes_of_job() {
  if [ -n "${SLURM_JOB_NUM_NODES:-}" ]; then echo "$SLURM_JOB_NUM_NODES"
  elif [ -n "${PJM_NODE:-}" ]; then echo "$PJM_NODE"
  elif [ -f "${PBS_NODEFILE:-}" ]; then sort -u "$PBS_NODEFILE" | wc -l | tr -d ' '
  else echo 1; fi
}
nodes=${nodes:-$(nodes_of_job)}
case $nodes in '' | *[!0-9]* | 0) echo "probe.sh: --nodes $nodes is no number of nodes; give 1 or more" >&2; exit 2 ;; esac
for name in $chosen; do
  case " $serial $parallel " in
    *" $name "*) ;;
    *) echo "probe.sh: there is no probe '$name'; there are: $serial $parallel" >&2; exit 2 ;;
  esac
done

binds=
# Words that start so many ranks on so many nodes, and what hakaru calls their launcher.
launch() {
  if [ "$1" = 0 ]; then launcher=direct words=; return; fi
  if [ -n "${HAKARU_LAUNCH:-}" ]; then
    words=$(printf '%s' "$HAKARU_LAUNCH" | sed "s/%n/$1/g; s/%N/$2/g")
    case $words in srun*) launcher=srun ;; *) launcher=$kind ;; esac
  elif [ -n "${SLURM_JOB_ID:-}" ] && command -v srun > /dev/null; then
    launcher=srun words="srun --ntasks=$1 --nodes=$2 --cpus-per-task=1 --hint=nomultithread --cpu-bind=cores"
  else
    launcher=$kind
    start=$(command -v "$(value CC_OF_MPI | cut -d ' ' -f 1)") && start=$(dirname "$start")/mpirun
    [ -x "$start" ] || start=mpirun
    case $kind in openmpi | mpich) ! command -v "$start.$kind" > /dev/null || start=$start.$kind ;; esac
    case $kind in
      openmpi) words="$start -n $1 --map-by ppr:$(($1 / $2)):node --bind-to core" ;;
      mpich)
        [ -n "$binds" ] || { $start -n 1 -bind-to core true > /dev/null 2>&1 && binds=yes; } || binds=no  # some are built without
        words="$start -n $1 -ppn $(($1 / $2))$([ $binds = no ] || echo ' -bind-to core')" ;;
      *) words="$start -n $1" ;;
    esac
    [ "$kind" != openmpi ] || [ "$(nproc)" -ge "$(($1 / $2))" ] || words="$start -n $1 --oversubscribe --bind-to none"
  fi
  [ "$launcher" != other ] || launcher=mpich  # the words stand in the record; the name only says who reads them
}

json() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g' | tr '\n\t' '  '; }
line_of() { if [ -r "$1" ]; then head -n 1 "$1"; else echo "$2"; fi; }
processors() {  # 0-2,5 as 0, 1, 2, 5
  sed -n 's/^Cpus_allowed_list:[ \t]*//p' /proc/self/status | awk -F, '{
    for (i = 1; i <= NF; ++i) { n = split($i, ends, "-"); for (j = ends[1] + 0; j <= ends[n] + 0; ++j) printf "%s%d", (any++ ? ", " : ""), j } }'
}
cpu=/sys/devices/system/cpu
provenance="\"hakaru\": \"$(sed -n 's/.*"hakaru": "\([^"]*\)".*/\1/p' kit.json)\", \"git\": null,
 \"governor\": \"$(json "$(line_of $cpu/cpu0/cpufreq/scaling_governor 'not available here (no cpufreq)')")\",
 \"smt\": \"$(json "$(line_of $cpu/smt/active unknown)")\",
 \"transparent_huge_pages\": \"$(json "$(line_of /sys/kernel/mm/transparent_hugepage/enabled unknown)")\",
 \"clock_source\": \"$(json "$(line_of /sys/devices/system/clocksource/clocksource0/current_clocksource unknown)")\",
 \"usable_processors\": [$(processors)],
 \"kit\": \"$(sed -n 's/.*"sources": "\([^"]*\)".*/\1/p' kit.json)\""

mkdir -p results/records results/logs || exit 4
cp kit.json results/kit.json || exit 4
[ ! -f left_out.txt ] || cp left_out.txt results/left_out.txt
campaign="kit-$(hostname)-$(date -u +%Y%m%dT%H%M%S)"
export OMP_NUM_THREADS=1
bad=0

run_one() {  # run_one PROBE RANKS NODES; RANKS 0: without MPI
  launch "$2" "$3"
  id="$(date -u +%Y%m%dT%H%M%S).000Z-$1-$(od -An -N3 -tx1 /dev/urandom | tr -d ' \n')"
  ranks=$2
  [ "$ranks" != 0 ] || ranks=1
  typed=
  for word in $words; do typed="$typed${typed:+, }\"$(json "$word")\""; done
  printf '{%s,\n "launch_line": "%s",\n "launch": {"launcher": "%s", "ranks": %d, "threads": 1%s%s}}\n' "$provenance" \
    "$(json "OMP_NUM_THREADS=1 $words bin/$1 run")" "$launcher" "$ranks" "$([ "$3" = 1 ] || echo ", \"nodes\": $3")" \
    "${typed:+, \"typed\": [$typed]}" > results/context.json
  printf '%s (%s %s): ' "$1" "$ranks" "$([ "$ranks" = 1 ] && echo rank || echo ranks)$([ "$3" = 1 ] || echo " on $3 nodes")"
  place=
  if [ "$3" != 1 ] && "bin/$1" describe 2> /dev/null | grep -q '"name": "folder"'; then place="folder=$kit/results"; fi
  limit=
  if command -v timeout > /dev/null; then limit="timeout ${HAKARU_TIMEOUT:-600}"; fi
  $limit $words "$kit/bin/$1" run $preset $place --threads 1 --campaign "$campaign" --record "$kit/results/records/$id.json" \
    --context "$kit/results/context.json" > "results/logs/$id.txt" 2>&1
  status=$?
  if [ -f "results/records/$id.json" ]; then
    (cd results && sha256sum "records/$id.json" >> checksums)
  else
    echo "$id $status" >> results/without_record.txt
  fi
  if [ $status = 0 ]; then echo "done"; else bad=$((bad + 1)); echo "ended with status $status: $(tail -n 1 "results/logs/$id.txt")"; fi
}

for name in ${chosen:-$serial $parallel}; do
  if [ ! -x "bin/$name" ]; then echo "$name: left out (not built: see left_out.txt)"; continue; fi
  case " $parallel " in
    *" $name "*)
      run_one "$name" 2 1
      [ "$nodes" = 1 ] || run_one "$name" "$nodes" "$nodes" ;;
    *) run_one "$name" 0 1 ;;
  esac
done
rm -f results/context.json
echo "records: $kit/results/records; bring $kit/results home (make pack first), and say there: hakaru collect FOLDER"
[ $bad = 0 ] || exit 4
