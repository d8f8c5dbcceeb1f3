#!/bin/sh
# The rules of the house that a machine can hold: includes point one way, every header compiles
# alone, nothing outside cli prints or ends the program, files stay one noun long, the format.
#   style.sh SOURCE BUILD COMPILER...
set -u
source=$1 build=$2
shift 2
cd "$source" || exit 3
failed=0

complain() {
  printf '%s\n' "$1"
  printf '%s\n' "$2" | sed 's/^/    /'
  failed=1
}

# lib <- control <- optim <- problems <- cli
below=
for room in lib control optim problems cli; do
  below="$below${below:+|}$room"
  bad=$(grep -nE '^#include "' $room/*.c $room/*.h |
    grep -vE "#include \"($below)/" | grep -v '#include "config.h"')
  [ -z "$bad" ] || complain "$room includes what stands above it, or leaves out the room:" "$bad"
done

bad=
flags=$(for p in json-c openblas libxml-2.0 yaml-0.1 ipopt; do pkg-config --cflags $p 2>/dev/null; done)
for header in lib/*.h control/*.h optim/*.h problems/*.h cli/*.h; do
  # shellcheck disable=SC2086 # flags are words
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
    "$@" -std=c11 -D_POSIX_C_SOURCE=200809L -I. -I"$build" $flags -Wall -Wextra -Werror \
      -fsyntax-only -x c - >/dev/null 2>&1 || bad="$bad $header"
done
[ -z "$bad" ] || complain "headers that do not compile alone:" "$bad"

bad=$(grep -nE '\b(f?printf|puts|putchar|perror|exit|abort)[ ]*\(' \
  lib/*.[ch] control/*.[ch] optim/*.[ch] problems/*.[ch] | grep -vE ':[ ]*//')
[ -z "$bad" ] || complain "printing or exiting outside cli:" "$bad"

bad=$(grep -nE '\bskip\(\)' tests/*.[ch] | grep -v '^tests/skips.h:')
[ -z "$bad" ] || complain "tests that skip without a reason (see tests/skips.h):" "$bad"

bad=$(wc -l lib/*.[ch] control/*.[ch] optim/*.[ch] problems/*.[ch] cli/*.[ch] tests/*.[ch] \
  benchmarks/*.[ch] | awk '$2 != "total" && $1 > 700')
[ -z "$bad" ] || complain "files of more than 700 lines:" "$bad"

bad=$(grep -rnE '\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|/[h]ome/|/[r]oot/' lib control optim problems cli \
  tests benchmarks docs README.md CHANGELOG.md meson.build dmoc)
[ -z "$bad" ] || complain "unfinished marks, or paths of one machine:" "$bad"

# another version formats otherwise
case $(clang-format --version 2>/dev/null) in
*' version 14.'*)
  bad=$(clang-format --dry-run -Werror lib/*.[ch] control/*.[ch] optim/*.[ch] problems/*.[ch] \
    cli/*.[ch] tests/*.[ch] benchmarks/*.[ch] 2>&1 | grep -E 'error|warning' | cut -d: -f1 | sort -u)
  [ -z "$bad" ] || complain "clang-format would change:" "$bad"
  ;;
*) echo "skipped: the format (needs clang-format 14)" ;;
esac
exit $failed
