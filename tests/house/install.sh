#!/bin/sh
# The files installed by `meson install` are sufficient: ten lines of C outside the tree compile and link against them
# by pkg-config alone, and the program runs.
#   install.sh BUILD SANITIZERS COMPILER...
set -eu
here=${0%/*} build=$1 sanitize=$2
shift 2
. "$here/installed.sh"
cat >"$dir/ten.c" <<'C'
#include <dmoc/dmoc.h>
#include <stdio.h>
int main(void) {
  dm_coordinate hinge = {.name = "hinge", .axis = {0, 1, 0}, .limit = {-9, 9}, .mimic = -1, .ratio = 1};
  dm_body bob = {.name = "bob", .parent = -1, .offset = dm_identity, .ncoord = 1, .mass = 1, .centre = {0, 0, -1}};
  dm_tree tree = {.nbody = 1, .ncoord = 1, .body = &bob, .coord = &hinge, .gravity = {0, 0, -9.8}};
  dm_model *m; dm_del *w; dm_del_info info; double q = 0.2, p = 0.5, q1 = 0.2;
  if (dm_model_new(&m, &tree, NULL)) return 1;
  dm_system s = dm_system_of(m);
  if (dm_del_new(&w, &s, NULL) || dm_del_step(w, &q, &p, NULL, 0.1, &q1, &p, &info)) return 1;
  printf("%s %.4f %.4f\n", DMOC_VERSION, q1, p);
  return dm_del_free(w), dm_model_free(m), 0;
}
C
flags=
[ "$sanitize" = none ] || flags="-fsanitize=$sanitize"
# shellcheck disable=SC2086 # flags are words
"$@" -std=c11 $flags "$dir/ten.c" -o "$dir/ten" $cflags $libs
# one step of the pendulum (m = l = 1, g = 9.8, h = 0.1) from q = 0.2, p = 0.5, without input
out=$("$dir/ten")
[ "$out" = "$(pkg-config --modversion dmoc) 0.2393 0.2865" ] || { echo "the program printed: $out"; exit 1; }
"$(find "$dir" -path '*/bin/dmoc' -type f)" --version
# the static library gives the same result, if the build has one
archive=$(find "$dir/root" -name libdmoc.a)
if [ -n "$archive" ]; then
  # shellcheck disable=SC2086,SC2046 # flags are words
  "$@" -std=c11 $flags "$dir/ten.c" -o "$dir/ten-static" $cflags \
    $(pkg-config --static --libs dmoc | sed 's/-ldmoc\b/-l:libdmoc.a/')
  ! ldd "$dir/ten-static" | grep -q libdmoc || { echo "linked to the shared library in place of the static one"; exit 1; }
  [ "$("$dir/ten-static")" = "$out" ] || { echo "with the static library the program prints: $("$dir/ten-static")"; exit 1; }
else
  echo "skipped: the static library (not in this build)"
fi
# the build folder has no dangling links
bad=$(find "$build" -maxdepth 1 -name 'libdmoc.so*' -type l ! -exec test -e {} \; -print)
[ -z "$bad" ] || { echo "links that lead nowhere: $bad"; exit 1; }
# a build of the program alone also builds the library, whose links exist in the build folder from the start
[ ! -L "$build/libdmoc.so" ] || ninja -C "$build" -t query cli/dmoc | grep -q 'libdmoc\.so\.' || {
  echo "cli/dmoc does not depend on the shared library: libdmoc.so leads nowhere"
  exit 1
}
