# Sourced by the scripts that work in a bare Debian tree: $tree is its folder.

mirror() {
  if [[ -n ${DEBIAN_MIRROR:-} ]]; then echo "$DEBIAN_MIRROR"; else
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1
  fi
}

configuration_of_this_host() {  # certificates, name resolution and apt's options are this host's own affair
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf" 2>/dev/null || true
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$tree/etc/hosts"  # as the installer writes it
  grep -lsE 'Acquire::' /etc/apt/apt.conf.d/* | xargs -r cp -t "$tree/etc/apt/apt.conf.d/"
  if compgen -G '/usr/local/share/ca-certificates/*' >/dev/null; then
    cp -rL /usr/local/share/ca-certificates/. "$tree/usr/local/share/ca-certificates/"
  fi
  mkdir -p "$tree/etc/ssl/certs"
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
    ip link set lo up 2>/dev/null || true  # MPI wants to see this one at least
    exec chroot "$tree" setpriv --reuid "$id" --regid "$id" --clear-groups --inh-caps=-all bash -c "cd \"\$1\" && shift && exec \"\$@\"" bash "$folder" "$@"
  ' bash "$tree" "$id" "$folder" env -i "${variables[@]}" "$@"
}
