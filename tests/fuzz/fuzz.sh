#!/bin/sh
# The fuzz program on each kind of input, from the corpus in the tree: worked problems, robots, and
# what was found once.
#   fuzz.sh PROGRAM SOURCE [SECONDS [KIND...]]
# With SECONDS the program is one of a build with -Dfuzz=true, and searches so long for each kind, or
# until RUNS inputs are tried; what it finds is left in ./fuzz-KIND. Without, it tries the corpus and a
# few changes of each file.
set -u
program=$(readlink -f "$1") source=$(readlink -f "$2") seconds=${3:-}
[ $# -ge 3 ] && shift 3 || shift $#
commands="problem solved robot table result motion words"
readers="yaml urdf mjcf include csv expression mesh tables record options folder"
writers="facts code page engine named-table json"
kinds=${*:-$commands $readers $writers}
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
work=$(mktemp -d "${TMPDIR:-/tmp}/dmoc-fuzz-XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
failed=0

# pictures are drawn by nobody: their facts are written, and a reply is read
printf '#!/bin/sh\ncat >/dev/null\necho x\necho "{}" >&3\n' >"$work/draws"
chmod +x "$work/draws"
export DMOC_PYTHON="$work/draws"

# what problems name stands beside them
mkdir "$work/files"
find "$source/problems" "$source/tests/robots" \( -name '*.urdf' -o -name '*.csv' -o -name '*.yaml' \) \
  -exec cp {} "$work/files" \;
cp "$source/tests/fuzz/full.yaml" "$work/files"

# whether a kind is in a list
is_of() {
  case " $2 " in *" $1 "*) ;; *) return 1 ;; esac
}

# the files that a kind begins with; what is solved begins small
corpus() {
  case $1 in
  yaml) find "$source/problems" "$source/tests/fuzz/corpus/solved" "$source/tests/fuzz/full.yaml" -name '*.yaml' ! -name 'expect.yaml' ;;
  urdf | mjcf) find "$source/problems" "$source/tests/robots/quirks" "$source/tests/robots/mjcf" -name "$([ "$1" = urdf ] && echo '*.urdf' || echo '*.xml')" ;;
  csv) find "$source/problems" -name '*.csv' -size -16k ;;
  tables) find "$work/headed" -type f ;;
  record) find "$work/full" -name result.json ;;
  problem) find "$source/problems" -name '*.yaml' ! -name 'expect.yaml' ;;
  robot) find "$source/problems" "$source/tests/robots/quirks" "$source/tests/robots/mjcf" \( -name '*.urdf' -o -name '*.xml' \) ;;
  table) find "$source/problems" -name '*.csv' ;;
  result | motion) find "$work/plan" -name "$([ "$1" = result ] && echo result.json || echo trajectory.csv)" ;;
  esac
  is_of "$1" "$writers" && set -- names
  find "$source/tests/fuzz/corpus/$1" -type f 2>/dev/null
}

# without end, or so many changes of each file that each kind takes half a second
search() {
  FUZZ_KIND=$1 FUZZ_FOLDER=$work/$1
  export FUZZ_KIND FUZZ_FOLDER
  cp -r "$work/files" "$FUZZ_FOLDER"
  if [ -n "$seconds" ]; then
    mkdir -p "fuzz-$1" "$work/grown-$1"
    is_of "$1" "$commands" && most=16384 || most=1024
    "$program" -max_total_time="$seconds" ${RUNS:+-runs="$RUNS"} -max_len="$most" -entropic=0 -timeout=60 -rss_limit_mb=4096 -close_fd_mask=2 \
      -artifact_prefix="$PWD/fuzz-$1/" -print_final_stats=1 "$work/grown-$1" "$work/from-$1" \
      >"fuzz-$1/log" 2>&1
  else
    # shellcheck disable=SC2046 # the corpus has no blanks
    "$program" "$(changes "$1")" $(find "$work/from-$1" -type f | sort) >"$work/log" 2>&1
  fi
}

changes() {
  is_of "$1" "$writers" && echo 75 && return
  case $1 in
  problem | robot | table) echo 3 ;;
  solved | yaml) echo 4 ;;
  urdf | csv) echo 10 ;;
  *) echo 25 ;;
  esac
}

# plans to read back, made as the program itself makes them: make KIND FOLDER
make() {
  mkdir "$work/seed" && cp "$work/files/full.yaml" "$work/seed"
  (cd "$work/seed" && FUZZ_KIND=$1 FUZZ_FOLDER=$work/seed "$program" \
    ${seconds:+-runs=0} $([ -n "$seconds" ] || echo 0 /dev/null) >/dev/null 2>&1)
  cp -r "$work/seed/result" "$work/$2" 2>/dev/null || mkdir "$work/$2"
  rm -rf "$work/seed"
}
make words plan
make json full

# each table says in its first line which it is
mkdir "$work/headed"
for file in "$work/full"/*.csv; do
  { echo "# $(basename "$file")"; cat "$file"; } >"$work/headed/$(basename "$file")"
done

for kind in $kinds; do
  mkdir "$work/from-$kind"
  for file in $(corpus "$kind"); do cp "$file" "$work/from-$kind/$(basename "$file")"; done
  if search "$kind"; then
    echo "$kind: $(grep -hE '^[0-9]+ inputs$|stat::number_of_executed_units' "$work/log" "fuzz-$kind/log" 2>/dev/null)"
  else
    echo "FAILED: $kind"
    tail -n 30 "$work/log" "fuzz-$kind/log" 2>/dev/null
    failed=1
  fi
done
exit $failed
