#!/bin/sh
# Checksums of every record and trace, and one file to bring home.
set -u
cd "$(dirname "$0")" || exit 4
[ -f results/kit.json ] || { echo "pack: there are no results yet; run the probes or a trace first" >&2; exit 4; }
(cd results && find records traces -type f ! -name '*.part' 2> /dev/null | LC_ALL=C sort | while IFS= read -r file; do sha256sum "$file"; done > checksums)
tar -cf home.tar.part results && mv home.tar.part home.tar || exit 4
echo "home.tar holds results/; at home: tar xf home.tar; hakaru collect results"
