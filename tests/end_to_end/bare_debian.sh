#!/usr/bin/env bash
# Shows the first use of hakaru in a bare Debian 12 tree (bash and python3 only). Not part of ./hakaru test: it needs root, debootstrap,
# a package mirror and about 4 GB and a quarter of an hour.
#
#   tests/end_to_end/bare_debian.sh FOLDER [STEP ...]       FOLDER is made, and stays for a look; remove it afterwards
#
# Steps (all of them, in this order, when none is named):
#   tree      debootstrap into FOLDER with the mirror of this machine's apt (DEBIAN_MIRROR overrides)
#   copy      copy the checkout into it: what git would commit
#   refuse    as a plain user without sudo: exit code 4 and the one line that would install what is missing
#   run       as root: the main job, which installs and builds what it needs; the seconds since its start before every line
#   help      as root: ./hakaru --help, and how long it takes
#   doctor    as root: ./hakaru doctor
#   test      as root: runs every test
#   again     a plain user in a fresh copy of the checkout, the packages being there: sets up without root
#   offline   no network at all: everything present, ./hakaru still starts
#
# Mounts live in a mount namespace of their own and end with it.
set -euo pipefail

[[ $# -ge 1 ]] || { sed -n '2,20s/^# \{0,1\}//p' "$0"; exit 2; }
tree=$(realpath -m -- "$1"); shift
checkout=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
steps=("$@"); [[ ${#steps[@]} -gt 0 ]] || steps=(tree copy refuse run help doctor test again offline)
user=1000

say() { printf '\n==== %s\n' "$*"; }

. "$checkout/tests/end_to_end/debian_tree.sh"

copy_step() { copy_checkout hakaru; }

copy_checkout() {  # what git would commit, into a folder of the tree
  mkdir -p "$tree/$1"
  (cd "$checkout" && git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf -) | tar -C "$tree/$1" --no-same-owner -xf -
}

tree_step() {
  [[ ! -e $tree/etc ]] || { echo "$tree is not empty; name another folder" >&2; exit 2; }
  debootstrap --variant=minbase --include=python3,ca-certificates bookworm "$tree" "$(mirror)" >"$tree.debootstrap.log" 2>&1 || { tail -n 20 "$tree.debootstrap.log"; exit 1; }
  configuration_of_this_host
  chroot "$tree" useradd --uid $user --create-home plain
  echo "programs there: $(for name in bash python3 g++ cmake ninja mpirun git sudo; do command -v "$tree/usr/bin/$name" >/dev/null && printf '%s ' "$name"; done)"
}

refuse_step() {
  chown -R $user:$user "$tree/hakaru"
  local code=0 output
  output=$(inside $user /hakaru ./hakaru test 2>&1) || code=$?
  chown -R 0:0 "$tree/hakaru"
  printf '%s\nexit code %s\n' "$output" "$code"
  [[ $code == 4 && $output == *"apt-get install"*libfftw3-dev* ]] || { echo "expected exit code 4 and the line that installs" >&2; exit 1; }
  [[ ! -e $tree/hakaru/.venv ]] || { echo "a refused set-up left an environment" >&2; exit 1; }
}

help_step() { inside 0 /hakaru ./hakaru --help; inside 0 / bash -c 'time /hakaru/hakaru --help >/dev/null'; }
doctor_step() { inside 0 /hakaru ./hakaru doctor; }
run_step() {
  local begin=$SECONDS line
  inside 0 /hakaru ./hakaru run 2>&1 | while IFS= read -r line; do printf '%4d s  %s\n' $((SECONDS - begin)) "$line"; done
}
test_step() { inside 0 /hakaru ./.ci/run; }

again_step() {
  copy_checkout home/plain/again
  chown -R $user:$user "$tree/home/plain/again"
  inside $user /home/plain ./again/hakaru test --only native
}

offline_step() { inside --offline 0 /tmp /hakaru/hakaru bench startup; }

for step in "${steps[@]}"; do
  say "$step"
  "${step}_step"
done
