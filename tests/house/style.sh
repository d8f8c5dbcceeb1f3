#!/bin/sh
# Rules that a program checks: includes point one way, every header compiles alone, nothing outside cli prints or
# ends the program, file sizes, plain words, commit subjects, the format.
#   style.sh SOURCE BUILD COMPILER...
set -u
source=$1 build=$2
shift 2
cd "$source" || exit 3
export LC_ALL=C # bytes, which grep finds a hundred times as fast
failed=0

complain() {
  printf '%s\n' "$1"
  printf '%s\n' "$2" | sed 's/^/    /'
  failed=1
}

# every folder depends only on those before it
wings="lib/base lib/mechanics lib/multibody lib/discrete lib/second lib/contact lib/studies
  control/onboard control/feedback control/loop control/codegen optim/nlp optim/interior optim/task optim/rows optim/program optim/starts
  optim/descent optim/second optim/identification optim
  problems/readers/format problems/readers/model problems/readers/task problems/map problems/run
  cli/console cli/mpi cli/results cli/stages cli/report cli/pictures cli/exchange cli/commands"
sources=$(find lib control optim problems/readers problems/map problems/run cli -name '*.[ch]' | sort)
strangers=$(printf '%s\n' $sources | sed 's|/[^/]*$||' | sort -u | while read -r wing; do
  case " $(echo $wings) lib cli " in *" $wing "*) ;; *) echo "$wing" ;; esac
done)
[ -z "$strangers" ] || complain "rooms that stand in no order (see style.sh):" "$strangers"
below=
for wing in $wings; do
  below="$below${below:+|}$wing"
  bad=$(grep -nE '^#include "' "$wing"/*.c "$wing"/*.h |
    grep -vE "#include \"($below)/[a-z_0-9]*\.(h|inc)\"" | grep -v '#include "config.h"')
  [ -z "$bad" ] || complain "$wing includes what stands above it, or leaves out the room:" "$bad"
done

# no cyclic includes: a source and its header count as one
bad=$(printf '%s\n' $sources | xargs grep -HoE '^#include "[a-z_/0-9]*\.h"' |
  sed -E 's/\.[ch]:#include "/ /; s/\.h"$//' | grep -v ' config$' | tsort 2>&1 >/dev/null | grep -v 'tsort: -:')
[ -z "$bad" ] || complain "circles of files:" "$bad"

# a source includes its own header first, so building it compiles the header alone; the others are compiled here, and
# each has a guard against a second inclusion
bad=
flags=$(for p in json-c openblas expat yaml-0.1 ipopt; do pkg-config --cflags $p 2>/dev/null; done)
headers=$(printf '%s\n' $sources | grep '\.h$')
built=$({
  grep -m 1 -H '^#' $headers | sed -n 's/:#ifndef .*//p'
  grep -m 1 -H '^#include' $(printf '%s\n' $sources | grep '\.c$') | sed -n 's/^\(.*\)\.c:#include "\(\1\.h\)"$/\2/p'
} | sort | uniq -d)
for header in $(printf '%s\n' "$headers" "$built" | sort | uniq -u); do
  # shellcheck disable=SC2086 # flags are words
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
    "$@" -std=c11 -D_POSIX_C_SOURCE=200809L -I. -I"$build" $flags -Wall -Wextra -Werror \
      -fsyntax-only -x c - >/dev/null 2>&1 || bad="$bad $header"
done
[ -z "$bad" ] || complain "headers that do not compile alone:" "$bad"

# the loader of libraries does both, like the system's
bad=$(grep -nE '\b(f?printf|puts|putchar|perror|exit|abort)[ ]*\(' \
  $(printf '%s\n' $sources | grep -v '^cli/' | grep -v '^control/codegen/' | grep -vx 'lib/base/loaded_library.c') | grep -vE ':[ ]*//')
[ -z "$bad" ] || complain "printing or exiting outside cli:" "$bad"
# generated files are written to the caller's stream; strings with generated code are not checked
bad=$(for file in control/codegen/*.[ch]; do
  sed -E 's/"([^"\\]|\\.)*"//g' "$file" |
    grep -nE '\b(printf|puts|putchar|perror|exit|abort|fopen)[ ]*\(|\b(stdout|stderr)\b' |
    grep -vE '^[0-9]+:[ ]*//' | sed "s|^|$file:|"
done)
[ -z "$bad" ] || complain "control/codegen writes elsewhere than to the caller's stream:" "$bad"

all="$sources $(find tests benchmarks examples -name '*.[ch]' 2>/dev/null)"
bad=$(grep -nE '\bskip\(\)' $all | grep -v '^tests/support/skips.h:')
[ -z "$bad" ] || complain "tests that skip without a reason (see tests/support/skips.h):" "$bad"

bad=$(wc -l $all | awk '$2 != "total" && $1 > 700')
[ -z "$bad" ] || complain "files of more than 700 lines:" "$bad"

bad=$(grep -rnE '\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|/[h]ome/|/[r]oot/' lib control optim problems cli \
  tests benchmarks docs README.md CHANGELOG.md meson.build dmoc)
[ -z "$bad" ] || complain "unfinished marks, or paths of one machine:" "$bad"

# plain words in documents and comments
bad=$(python3 tests/house/words.py . 2>&1) || complain "phrases that are hard to read (see tests/house/words.py):" "$bad"

# subjects of the commits since this one; an exported or shallow tree does not have it
since=908fdc08a7ab3e73391471754c53cfe6d77353ac
if git cat-file -e "$since^{commit}" 2>/dev/null; then
  bad=$(git log --no-merges --format=%s "$since..HEAD" | LC_ALL=C.UTF-8 grep -E '^.{73,}')
  [ -z "$bad" ] || complain "subjects of commits longer than 72 columns:" "$bad"
fi

# one version: that of meson.build, at every place that states it
version=$(sed -n "s/^project(.*version: '\([0-9.]*\)'.*/\1/p" meson.build)
bad=$(grep -qF "\"$version\"" dmoc.h || echo dmoc.h
  grep -qx "version: $version" CITATION.cff || echo CITATION.cff
  grep -qxE "## ($version|Unreleased)" CHANGELOG.md || echo CHANGELOG.md)
[ -z "$bad" ] || complain "files that do not say version $version:" "$bad"

# the format of files that the last 50 commits changed or that are not yet committed; of all with DMOC_LONG, or where
# these commits are not there. Other versions format differently
formatted="$all $(find cli/report/page -name '*.js')"
if [ -z "${DMOC_LONG:-}" ] && git cat-file -e HEAD~50 2>/dev/null; then
  printf '%s\n' $formatted | sort >"$build/style.list"
  formatted=$({ git diff --name-only HEAD~50 -- && git ls-files --others --exclude-standard; } | sort | comm -12 - "$build/style.list")
fi
case $(clang-format --version 2>/dev/null) in
*' version 14.'*)
  bad=$(printf '%s\n' $formatted | xargs -r clang-format --dry-run -Werror 2>&1 | grep -E 'error|warning' | cut -d: -f1 | sort -u)
  [ -z "$bad" ] || complain "clang-format would change:" "$bad"
  ;;
*) echo "skipped: the format (needs clang-format 14)" ;;
esac
exit $failed
