#!/bin/sh
# A program of examples/, compiled against the installed library, prints the output given in its first comment.
#   example.sh BUILD SANITIZERS SOURCE WORDS COMPILER...
set -eu
here=${0%/*} build=$1 sanitize=$2 source=$3 words=$4
shift 4
. "$here/installed.sh"
flags="-Wall -Wextra -Wpedantic -Werror"
[ "$sanitize" = none ] || flags="$flags -fsanitize=$sanitize"
# shellcheck disable=SC2086 # flags are words
"$@" -std=c11 $flags "$source" -o "$dir/example" $cflags $libs -lm
awk '!/^\/\// { exit } sub(/^\/\/   /, "")' "$source" >"$dir/expected"
# shellcheck disable=SC2086
(cd "$dir" && ./example $words >printed) || { echo "status $?"; cat "$dir/printed"; exit 1; }
diff "$dir/expected" "$dir/printed"
