#!/bin/sh
# debian/ agrees with the source tree: the version, the build dependencies, and the files installed by `meson
# install`, each of which is in exactly one package. packages/try builds and installs the packages.
#   packages.sh SOURCE BUILD
set -u
command -v dpkg-query >/dev/null || { echo "skipped: the packages (no Debian)"; exit 77; }
source=$(readlink -f "$1") build=$2
here=$(readlink -f "${0%/*}")
failed=0
complain() {
  printf '%s\n' "$1"
  printf '%s\n' "$2" | sed 's/^/    /'
  failed=1
}
. "$here/installed.sh"
cd "$source" || exit 3

version=$(sed -n "s/^project(.*version: '\([0-9.]*\)'.*/\1/p" meson.build)
said=$(sed -n '1s/^dmoc (\([^)]*\)).*/\1/p' debian/changelog)
[ "$said" = "$version" ] || complain "debian/changelog does not begin with version $version:" "$said"

# one maintainer, who signs the newest entry
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
signed=$(sed -n 's/^ -- \(.*>\)  .*/\1/p' debian/changelog | head -n 1)
[ "$signed" = "$maintainer" ] || complain "debian/changelog is not signed by the maintainer of debian/control:" "$signed"

# the launcher's libraries are the build dependencies of the packages
bad=$(sed -n '/^packages=/,/"$/p' dmoc | tr -d '\\"' | tr ' ' '\n' | grep -E -- '-dev$|^libjs-' |
  grep -vE '^(libc6|dpkg)-dev$' | while read -r package; do
    sed -n '/^Build-Depends/,/^Standards/p' debian/control | grep -qE "^(Build-Depends:)? +$package( <!nocheck>)?,?\$" || echo "$package"
  done)
[ -z "$bad" ] || complain "packages that the launcher installs, and Build-Depends lacks:" "$bad"

# the Python module is packaged, and depends on the packages that it imports and runs
bad=$(for package in 'dmoc (>=' 'libdmoc2 (>=' python3-numpy '${python3:Depends}'; do
  sed -n '/^Package: python3-dmoc/,/^Description/p' debian/control | grep -qF " $package" || echo "$package"
done)
[ -z "$bad" ] || complain "python3-dmoc does not depend on:" "$bad"

# one list of all patterns; debian/rules moves the completions of zsh to Debian's folder
prefix=$(find "$dir/root" -type f -path '*/bin/dmoc')
prefix=${prefix%/bin/dmoc}
mkdir -p "$dir/usr"
cp -RP "$prefix/." "$dir/usr/"
mv "$dir/usr/share/zsh/site-functions" "$dir/usr/share/zsh/vendor-completions"
# files installed directly from the sources have a destination after them: FOLDER DESTINATION
sort debian/*.install | grep -v ' ' >"$dir/patterns"
grep -h ' ' debian/*.install | while read -r folder place; do
  [ -d "$folder" ] || echo "$folder ($place)"
done >"$dir/bad"
[ ! -s "$dir/bad" ] || complain "in a package, but not in the sources:" "$(cat "$dir/bad")"

find "$dir/usr" ! -type d | sed "s|^$dir/||" | sort >"$dir/files"
while read -r file; do
  hits=0
  while read -r pattern; do
    # shellcheck disable=SC2254 # a pattern, or a folder
    case $file in $pattern | $pattern/*) hits=$((hits + 1)) ;; esac
  done <"$dir/patterns"
  [ $hits = 1 ] || echo "$file (in $hits)"
done <"$dir/files" >"$dir/bad"
[ ! -s "$dir/bad" ] || complain "installed, but not in one package:" "$(cat "$dir/bad")"

# and every pattern matches a file; not every build has the static library
while read -r pattern; do
  bad=
  while read -r file; do
    # shellcheck disable=SC2254
    case $file in $pattern | $pattern/*) bad=no && break ;; esac
  done <"$dir/files"
  [ -n "$bad" ] || [ "$pattern" = 'usr/lib/*/libdmoc.a' ] || echo "$pattern"
done <"$dir/patterns" >"$dir/bad"
[ ! -s "$dir/bad" ] || complain "in a package, but not installed:" "$(cat "$dir/bad")"

# the library package is named after its soname
soname=$(find "$dir/usr" -name 'libdmoc.so.[0-9]' | sed 's|.*/libdmoc.so.||')
[ "$(sed -n 's/^Package: libdmoc\([0-9].*\)/\1/p' debian/control)" = "$soname" ] ||
  complain "no package is called after the library's soname:" "libdmoc$soname"

for script in packages/tarball packages/try debian/tests/swing-up debian/tests/pendulum debian/tests/python; do
  sh -n "$script" || failed=1
done
# the bill of materials lists every library that the program loads; the libraries of a sanitizer belong to the
# compiler
if ldd "$build/cli/dmoc" >"$dir/loaded" 2>/dev/null; then
  python3 packages/sbom.py "$build/cli/dmoc" </dev/null >"$dir/bill" || failed=1
  for name in libyaml-0-2 liblapacke; do
    grep -q "\"name\": \"$name\"" "$dir/bill" || complain "the bill of materials lacks $name:" "$(head -c 300 "$dir/bill")"
  done
else
  echo "skipped: the bill of materials (ldd cannot run the program)"
fi
exit $failed
