#!/bin/sh
# The binary interface is stable: libdmoc.so.2 exports exactly the names in tests/house/symbols.txt. If a name is
# removed, or a function changes its arguments, the library becomes libdmoc.so.2.
#   symbols.sh BUILD [--renew]
set -u
here=${0%/*} build=$1
list=$here/symbols.txt
library=$build/libdmoc.so.2
[ -e "$library" ] || { echo "skipped: the names that libdmoc exports (this build has no shared library)"; exit 77; }
command -v nm >/dev/null || { echo "skipped: the names that libdmoc exports (needs binutils)"; exit 77; }
exported=$(mktemp)
trap 'rm -f "$exported"' EXIT
nm -D --defined-only "$library" | awk '$3 ~ /^(dm|fb|oc|pb)_/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$exported"
if [ "${2:-}" = --renew ]; then
  cp "$exported" "$list"
  exit
fi
failed=0
[ "$(wc -l <"$exported")" -gt 100 ] || { echo "few names are exported: is this the library?"; failed=1; }
diff "$list" "$exported" || { echo "renew the list where that is meant: sh tests/house/symbols.sh build --renew"; failed=1; }
command -v readelf >/dev/null && ! readelf -d "$library" | grep -qF 'soname: [libdmoc.so.2]' && {
  echo "the library is not called libdmoc.so.2"
  failed=1
}
exit $failed
