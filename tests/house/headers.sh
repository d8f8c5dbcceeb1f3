#!/bin/sh
# The public interface of the library: every installed header compiles alone, as C11 and as C++17, and is included by
# dmoc.h; the library exports the declared functions, under names that C++ finds, and nothing else.
#   headers.sh BUILD SANITIZERS COMPILER...
set -eu
here=${0%/*} build=$1 sanitize=$2
shift 2
[ "$1" != ccache ] || shift # it keeps no syntax checks
. "$here/installed.sh"
failed=0 share=${DMOC_SHARE:-1} # of the headers; at night each
strict="-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror"
door=$(find "$dir/root" -path '*/include/dmoc/dmoc.h')
headers=$(cd "${door%/dmoc/dmoc.h}" && find dmoc -name '*.h' | sort)
sanitizer=
[ "$sanitize" = none ] || sanitizer="-fsanitize=$sanitize"

complain() {
  printf '%s\n' "$1"
  printf '%s\n' "$2" | sed 's/^/    /'
  failed=1
}

# the headers that a compiler rejects in a language, each included twice, and why
refused() {
  language=$1
  shift
  number=0
  for header in $headers; do
    number=$((number + 1))
    [ $((number % share)) = $((1 % share)) ] || continue
    # shellcheck disable=SC2086 # flags are words
    printf '#include <%s>\n#include <%s>\ntypedef int something;\n' "$header" "$header" |
      "$@" $strict $cflags -fsyntax-only -x "$language" - >"$dir/log" 2>&1 || {
      echo "$header"
      grep -E 'error:' "$dir/log" | head -n 2
    }
  done
}

bad=$(refused c "$@" -std=c11)
[ -z "$bad" ] || complain "headers that are not C11 alone:" "$bad"

plus=
for word in clang++ g++; do
  command -v "$word" >/dev/null || continue
  plus=$word
  # dmoc.h includes all others, which C has compiled alone
  bad=$(headers=dmoc/dmoc.h && refused c++ "$word" -std=c++17)
  [ -z "$bad" ] || complain "headers that are not C++17 ($word):" "$bad"
done
[ -n "$plus" ] || echo "skipped: the headers as C++17 (needs g++ or clang++)"

bad=$(for header in $headers; do
  grep -qF "#include \"${header#dmoc/}\"" "$door" || [ "$header" = dmoc/dmoc.h ] || echo "$header"
done)
[ -z "$bad" ] || complain "headers that dmoc.h leaves out:" "$bad"

# every exported name is declared: a compiler that reads only the headers knows its size
nm -D --defined-only "$library" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" { sub(/@.*/, "", $3); print $3 }' |
  sort >"$dir/exported"
{
  echo '#include <dmoc/dmoc.h>'
  sed 's/.*/unsigned long size_of_&(void);\nunsigned long size_of_&(void) { return sizeof \&&; }/' "$dir/exported"
} >"$dir/sizes.c"
# shellcheck disable=SC2086
"$@" -std=c11 $cflags -fsyntax-only "$dir/sizes.c" 2>"$dir/log" ||
  complain "exported, but declared in no installed header:" "$(grep -oE "[^a-z_](dm|fb|oc|pb)_[a-z_0-9]*.? undeclared" "$dir/log")"

# every declared function is exported: GCC lists the functions it has seen
if "$@" -std=c11 $cflags -aux-info "$dir/seen" -fsyntax-only "$door" 2>/dev/null && [ -s "$dir/seen" ]; then
  grep -F /include/dmoc/ "$dir/seen" | grep -v '\*/ static' | grep -oE '\b(dm|fb|oc|pb)_[a-z_0-9]+ \(' |
    tr -d ' (' | sort -u >"$dir/declared"
  [ "$(wc -l <"$dir/declared")" -gt 100 ] || complain "the compiler's list of functions is short:" "$(cat "$dir/declared")"
  bad=$(comm -13 "$dir/exported" "$dir/declared")
  [ -z "$bad" ] || complain "declared in an installed header, but not exported:" "$bad"
else
  echo "skipped: whether all that is declared is exported (needs GCC)"
fi

# C++ links with the whole library
if [ -n "$plus" ]; then
  {
    printf '#include <dmoc/dmoc.h>\nconst volatile void *const all[] = {\n'
    sed 's/.*/    (const volatile void *)\&&,/' "$dir/exported"
    printf '};\nint main(int argc, char **) { return !all[argc]; }\n'
  } >"$dir/all.cc"
  # shellcheck disable=SC2086
  bad=$("$plus" -std=c++17 $sanitizer $cflags "$dir/all.cc" -o "$dir/all" $libs 2>&1 && "$dir/all" 2>&1) ||
    complain "a C++ program does not link with all of the library:" "$bad"
fi
exit $failed
