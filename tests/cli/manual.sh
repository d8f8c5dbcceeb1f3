#!/bin/sh
# The manual page and the completions: made from the tables of --help, so every command and every
# option of each stands in all of them; what reads such files takes them.
#   manual.sh DMOC SOURCE
set -u
dmoc=$(readlink -f "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 3
failed=0
wrong() {
  echo "not so: $1"
  [ ! -s log ] || sed 's/^/    /' log | head -n 10
  failed=1
}
# fact NAME COMMAND..: the command ends well
fact() {
  name=$1
  shift
  "$@" >log 2>&1 || wrong "$name"
}

"$dmoc" --man >dmoc.1 || wrong "the manual page is printed"
for shell in bash zsh fish; do
  "$dmoc" --completion "$shell" >"dmoc.$shell" || wrong "the completion of $shell is printed"
done

# a fact about a block of text: the lines of FILE from one that matches FIRST up to one that matches LAST
block() { sed -n "/$2/,/$3/p" "$1"; }
# has WHAT WORDS..: standard input has all of the words
has() {
  what=$1
  shift
  cat >block
  for word in "$@"; do
    grep -qE -e "(^|[^a-z-])$word([^a-z-]|\$)" block || wrong "$what has $word"
  done
}

commands=$("$dmoc" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 13 ] || wrong "the help has the commands"
for command in $commands; do
  options=$("$dmoc" "$command" --help | sed -n 's/^  \(--*[a-z][a-z]*\) .*/\1/p' | sort -u)
  own=$(echo "$options" | grep -vxE -e '--(json|quiet|help)')
  # shellcheck disable=SC2086 # words
  {
    sed 's/\\-/-/g' dmoc.1 | block /dev/stdin "^\.SS dmoc $command " '^\.S[SH] dmoc [^'"$(printf %.1s "$command")"']' |
      has "the manual of $command" "$command" $own
    grep "^    $command) .*options=" dmoc.bash | has "bash after $command" $options
    block dmoc.zsh "^    $command)" ';;$' | has "zsh after $command" $options
    grep "__fish_seen_subcommand_from $command'" dmoc.fish | sed 's/ -l / --/; s/ -s / -/' |
      has "fish after $command" $options
  }
done
sed 's/\\-/-/g' dmoc.1 | block /dev/stdin '^\.SH OPTIONS' '^\.SH EXIT' | has "the manual" --json --quiet --help --version --keys --results --elements --man --completion
plots=$("$dmoc" plot --help | sed -n '/^WHAT is/,$s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$plots" | wc -l)" -ge 12 ] || wrong "the help of plot has its plots"
# shellcheck disable=SC2086 # words
for file in dmoc.1 dmoc.bash dmoc.zsh dmoc.fish; do has "$file" $plots <$file; done

# a word of a value that the program would refuse is offered by none
methods=$(sed -n "s/.*descend:--method) .*words='\(.*\)'.*/\1/p" dmoc.bash)
for method in $methods; do
  "$dmoc" descend nosuch.yaml --method "$method" 2>&1 | grep -q -e --method && wrong "--method takes $method"
done

# what reads them
if command -v man >/dev/null && command -v groff >/dev/null; then
  man --warnings=w -l dmoc.1 >page 2>log </dev/null || wrong "man shows the page"
  [ ! -s log ] || wrong "without warnings"
  : >log
  grep -q -e '--vary KEY=VALUES' page || wrong "with an option and its value"
else
  echo "skipped: the page by man (needs man and groff)"
fi
if command -v mandoc >/dev/null; then
  fact "mandoc takes the page" mandoc -Tlint -Werror dmoc.1
else
  echo "skipped: the page by mandoc (not here)"
fi
for shell in zsh fish; do
  if command -v "$shell" >/dev/null; then
    fact "$shell reads its completion" "$shell" -n "dmoc.$shell"
  else
    echo "skipped: the completion by $shell (not here)"
  fi
done

# completed LAST WORD..: what bash offers for the last word of `dmoc WORD.. LAST`
completed() {
  # shellcheck disable=SC2016 # for that shell
  bash -c 'last=$1; shift; . ./dmoc.bash; COMP_WORDS=(dmoc "$@" "$last"); COMP_CWORD=$(($# + 1)); _dmoc; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$@" | sort | xargs
}
if command -v bash >/dev/null; then
  fact "bash reads its completion" bash -n dmoc.bash
  mkdir folder
  : >file.yaml
  [ "$(completed op)" = optimize ] || wrong "op becomes optimize"
  [ "$(completed --st sweep file.yaml)" = --starts ] || wrong "--st becomes --starts"
  [ "$(completed mon plot folder --what)" = monitors ] || wrong "mon becomes monitors"
  [ "$(completed c descend file.yaml --kkt)" = cholmod ] || wrong "c becomes cholmod"
  [ "$(completed f run)" = "file.yaml folder" ] || wrong "run is offered files and folders"
  [ "$(completed f run file.yaml --from)" = folder ] || wrong "--from is offered folders"
  [ "$(completed '' eval file.yaml --q)" = "" ] || wrong "numbers are not offered"
  [ "$(completed z --completion)" = zsh ] || wrong "z becomes zsh"
else
  echo "skipped: the completion by bash (not here)"
fi

# what is no shell is refused, with what was meant
"$dmoc" --completion fihs 2>log && wrong "fihs is no shell"
grep -q "found fihs, expected one of bash, zsh, fish; did you mean 'fish'" log || wrong "and it says which are"
: >log
"$dmoc" --completion >log 2>&1 && wrong "no shell is none"
"$dmoc" --keys | grep -q '^| `horizon.steps` | integer >= 1 | – | required without `knots` | Number N of steps, of equal length by default |$' || wrong "--keys has horizon.steps"
"$dmoc" --elements | grep -q '^| `screw_thread_pitch` | `value` | read | ' || wrong "--elements has screw_thread_pitch"
"$dmoc" --man --json 2>&1 | grep -q '"manual": "\.TH DMOC' || wrong "--man with --json is an object"
exit $failed
