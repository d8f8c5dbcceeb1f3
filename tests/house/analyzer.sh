#!/bin/sh
# GCC's analyzer on all sources. Findings that are not in analyzer.known are errors, and so are entries of
# analyzer.known without a finding.
#   analyzer.sh SOURCE BUILD      BUILD is created if it does not exist
set -u
source=$(readlink -f "$1") build=$2
known=$source/tests/house/analyzer.known
off="-Wno-analyzer-null-dereference -Wno-analyzer-null-argument -Wno-analyzer-use-of-uninitialized-value"

# start from scratch, because files already built print no warnings
if [ -e "$build" ] && [ ! -d "$build/meson-private" ]; then
  echo "$build is no build folder: name another one"
  exit 2
fi
rm -rf "$build"
CC=gcc meson setup "$build" "$source" --buildtype=debugoptimized -Dc_args="-fanalyzer $off" >/dev/null || exit 1
ninja -C "$build" cli/dmoc >"$build/said" || {
  tail -n 20 "$build/said"
  exit 1
}

# FILE WARNING COUNT, of the findings and of the list
sed -n 's#^[^ ]*\(cli\|control\|lib\|optim\|problems\)/\([^: ]*\.c\):.*\[-Wanalyzer-\([a-z-]*\)\].*#\1/\2 \3#p' "$build/said" |
  sort | uniq -c | awk '{ print $2, $3, $1 }' >"$build/told"
sed 's/ *#.*//; /^$/d' "$known" | sort >"$build/known"
if diff "$build/known" "$build/told"; then
  echo "$(wc -l <"$build/known") places, all of them known"
else
  echo "< is known and not told, > is told and not known: mend it, or read it and say in $known why it is none"
  exit 1
fi
