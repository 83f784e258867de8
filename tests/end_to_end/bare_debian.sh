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

mirror() {
  if [[ -n ${DEBIAN_MIRROR:-} ]]; then echo "$DEBIAN_MIRROR"; else
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1
  fi
}

copy_step() { copy_checkout hakaru; }

copy_checkout() {  # what git would commit, into a folder of the tree
  mkdir -p "$tree/$1"
  (cd "$checkout" && git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf -) | tar -C "$tree/$1" --no-same-owner -xf -
}

configuration_of_this_host() {  # certificates, name resolution and apt's options are this host's own affair
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf" 2>/dev/null || true
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$tree/etc/hosts"  # as the installer writes it
  grep -lsE 'Acquire::' /etc/apt/apt.conf.d/* | xargs -r cp -t "$tree/etc/apt/apt.conf.d/"
  if compgen -G '/usr/local/share/ca-certificates/*' >/dev/null; then
    cp -rL /usr/local/share/ca-certificates/. "$tree/usr/local/share/ca-certificates/"
  fi
  cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/ca-certificates.crt"
  if [[ -f /etc/pip.conf ]]; then cp -L /etc/pip.conf "$tree/etc/pip.conf"; fi
}

inside() {  # inside [--offline] USER-ID FOLDER COMMAND...: as that user in that folder of the tree, with a clean environment
  local namespaces=(--mount --pid --fork)
  if [[ $1 == --offline ]]; then namespaces+=(--net); shift; fi
  local id=$1 folder=$2; shift 2
  local variables=(HOME=/home/plain PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb) name
  if [[ $id == 0 ]]; then variables+=(HOME=/root); fi
  while read -r name; do variables+=("$name=${!name}"); done < <(compgen -e | grep -E '^(PIP_|https?_proxy$|HTTPS?_PROXY$|no_proxy$|NO_PROXY$|SSL_CERT_FILE$)')
  unshare "${namespaces[@]}" --propagation private bash -c '
    set -euo pipefail
    tree=$1; id=$2; folder=$3; shift 3
    mount -t proc proc "$tree/proc"; mount --rbind /dev "$tree/dev"; mount --rbind /sys "$tree/sys"
    mount -t tmpfs tmpfs "$tree/dev/shm" -o mode=1777
    exec chroot "$tree" setpriv --reuid "$id" --regid "$id" --clear-groups --inh-caps=-all bash -c "cd \"\$1\" && shift && exec \"\$@\"" bash "$folder" "$@"
  ' bash "$tree" "$id" "$folder" env -i "${variables[@]}" "$@"
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
