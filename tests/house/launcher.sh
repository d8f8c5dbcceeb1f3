#!/bin/sh
# The launcher on machines that lack something: what it installs, and its messages if it may not.
#   launcher.sh SOURCE
set -u
source=$(readlink -f "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
unset BUILD SETUP CC EXTRA DMOC_INSTALL
fact() {
  name=$1
  shift
  "$@" || {
    echo "not so: $name"
    head -c 600 "$dir/err"
    failed=1
  }
}

# a machine: only the named tools, each as a script (a link could be written through), and those created below
machine() {
  rm -rf "${dir:?}/bin" "$dir/tree"
  mkdir -p "$dir/bin" "$dir/tree"
  cp "$source/dmoc" "$dir/tree/"
  for name in sh cat grep readlink find mkdir mv rm basename tail env tr flock awk; do
    real=$(command -v $name) || continue
    printf '#!/bin/sh\nexec %s "$@"\n' "$real" | tool $name
  done
}
tool() { cat >"$dir/bin/$1" && chmod +x "$dir/bin/$1"; }
launch() {
  PATH="$dir/bin" "$dir/tree/dmoc" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  status=$?
}

# dpkg knows no packages; apt-get records its arguments
machine
tool dpkg-query <<'SH'
#!/bin/sh
exit 1
SH
tool apt-get <<SH
#!/bin/sh
echo "\$@" >>"$dir/asked"
exit 100
SH
tool id <<'SH'
#!/bin/sh
echo 0
SH
launch --version
fact "a failed installation ends with 3" [ $status = 3 ]
fact "and says so, with the packages" grep -q 'could not install .*libyaml-dev' "$dir/err"
fact "the lists are brought up to date first" grep -q update "$dir/asked"

# no root rights, no sudo
tool id <<'SH'
#!/bin/sh
echo 1000
SH
rm -f "$dir/asked"
launch --version
fact "without rights it ends with 3" [ $status = 3 ]
fact "and says what to do as root" grep -q 'As root: apt-get install .*meson' "$dir/err"
fact "and asks apt for nothing" [ ! -e "$dir/asked" ]

# with sudo, sudo is called
tool sudo <<SH
#!/bin/sh
echo sudo "\$@" >>"$dir/asked"
exit 1
SH
launch --version
fact "sudo is asked" grep -q '^sudo -n env .*apt-get' "$dir/asked"

# another operating system: names, no packages
machine
launch --version
fact "another system ends with 3" [ $status = 3 ]
fact "and names what is missing" grep -q 'please install .*Meson.*IPOPT' "$dir/err"

# the program alone is built without tests, so that `meson install` builds only installed files; a test adds them
tool ninja <<'SH'
#!/bin/sh
SH
tool meson <<SH
#!/bin/sh
echo "\$@" >>"$dir/asked"
SH
mkdir -p "$dir/tree/build/cli"
: >"$dir/tree/build/.built"
rm -f "$dir/asked"
launch --version
fact "the program is configured without tests" grep -q '^setup -Dtests=false ' "$dir/asked"
: >"$dir/tree/build/build.ninja"
launch --version
fact "and once" [ "$(grep -c -e '^setup' -e '^configure' "$dir/asked")" = 1 ]
launch test nosuch
fact "tests are added to that folder" grep -q '^configure -Dtests=true ' "$dir/asked"
rm -rf "$dir/tree/build" "$dir/asked"
mkdir -p "$dir/tree/build"
: >"$dir/tree/build/.built"
launch test nosuch
fact "or are there from the start" grep -q '^setup -Dtests=true ' "$dir/asked"

# an unknown test: meson runs none and exits with success
tool meson <<'SH'
#!/bin/sh
echo "No suitable tests defined."
SH
mkdir -p "$dir/tree/build"
: >"$dir/tree/build/.built"
: >"$dir/tree/build/build.ninja"
launch test nosuch
fact "no test of that name ends with 2" [ $status = 2 ]
fact "and says so" grep -q 'no test is called nosuch' "$dir/err"
fact "and counts nothing" [ ! -s "$dir/out" ]

# skipped in a run of tests: a whole test, part of a program, part of a script
tool meson <<'SH'
#!/bin/sh
cd "$2" 2>/dev/null || cd "$3" || exit 1
mkdir -p meson-logs
printf '%s\n' '{"name": "a", "result": "OK"}' '{"name": "b", "result": "SKIP"}' \
  '{"name": "c", "result": "OK"}' >meson-logs/testlog.json
cat >meson-logs/testlog.txt <<'LOG'
==================================== 1/3 =====================================
test:         dmoc:unit / a
result:       exit status 0
----------------------------------- stdout -----------------------------------
[ RUN      ] first_fact
[       OK ] first_fact
[ RUN      ] second_fact
skipped: this build has no wings
[  SKIPPED ] second_fact
[ RUN      ] third_fact
[  SKIPPED ] third_fact
----------------------------------- stderr -----------------------------------
[  SKIPPED ] 2 test(s), listed below:
skipped: not a reason
==================================== 2/3 =====================================
test:         b
result:       exit status 77
----------------------------------- stdout -----------------------------------
skipped: no b.urdf here
==================================== 3/3 =====================================
test:         c
result:       exit status 0
----------------------------------- stdout -----------------------------------
skipped: the format (needs a tool)
==============================================================================
LOG
SH
launch test
fact "a run that leaves something out ends with 0" [ $status = 0 ]
fact "it lists what, and why" [ "$(grep -c '^skipped: ' "$dir/out")" = 4 ]
fact "a part of a program" grep -qx 'skipped: a, second_fact: this build has no wings' "$dir/out"
fact "one without a reason" grep -qx 'skipped: a, third_fact: no reason given' "$dir/out"
fact "a whole test" grep -qx 'skipped: b: no b.urdf here' "$dir/out"
fact "a part of a script" grep -qx 'skipped: c: the format (needs a tool)' "$dir/out"
fact "the last line counts" [ "$(tail -n 1 "$dir/out")" = '2 passed, 0 failed, 4 skipped' ]

# all configurations are summed up in one line
mkdir "$dir/tree/.ci"
cp "$source/.ci/run" "$dir/tree/.ci/"
cat >"$dir/tree/dmoc" <<'SH'
#!/bin/sh
[ "$CC" != clang ] || {
  mkdir -p "$BUILD/meson-logs"
  echo '{"name": "d", "result": "TIMEOUT", "duration": 30.2, "stdout": "the last words"}' >"$BUILD/meson-logs/testlog.json"
}
[ "$CC" = clang ] && echo '3 passed, 1 failed' || echo '10 passed, 0 failed, 2 skipped'
SH
(cd "$dir/tree" && .ci/run) >"$dir/out" 2>"$dir/err"
status=$?
fact "one failure among the configurations is a failure" [ $status = 1 ]
fact "their numbers are added" [ "$(tail -n 1 "$dir/out")" = '13 passed, 1 failed, 2 skipped' ]
fact "what failed is told once more before" grep -q '^failed: d: TIMEOUT after 30 s' "$dir/out"
exit $failed
