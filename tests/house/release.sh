#!/bin/sh
# A release: one commit gives the same bytes in any folder, a bill of materials, and a signature that is valid until
# something is changed. Signs with a temporary key.
#   release.sh SOURCE
set -u
source=$(readlink -f "$1")
for tool in git xz sha256sum python3; do
  command -v $tool >/dev/null || { echo "skipped: releases (no $tool)"; exit 77; }
done
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: releases (no checkout of git)"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
# so NAME CONDITION...: the condition holds
so() {
  name=$1
  shift
  "$@" >"$dir/out" 2>&1 || {
    echo "not so: $name"
    head -c 600 "$dir/out"
    failed=1
  }
  cp "$dir/out" "$dir/said"
}

# two checkouts in separate folders, with this tree's scripts committed
for folder in "$dir/one" "$dir/a place/with another name"; do
  git clone -q --depth 1 "file://$source" "$folder" 2>"$dir/out" || { cat "$dir/out"; exit 3; }
  cp "$source/packages/release" "$source/packages/sbom.py" "$folder/packages/"
  git -C "$folder" add packages
  GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' git -C "$folder" \
    -c user.name=test -c user.email=test@localhost commit -q --allow-empty -m test
done
two="$dir/a place/with another name"
# with the time of one commit, and the settings of another machine
so "a release is made" env SOURCE_DATE_EPOCH=1700000000 "$dir/one/packages/release" "$dir/r1"
so "and another" sh -c "umask 077; TZ=Asia/Tokyo LC_ALL=C SOURCE_DATE_EPOCH=1700000000 '$two/packages/release' '$dir/r2'"
archive=$(basename "$dir"/r1/dmoc-*.tar.xz)
so "two builds are the same bytes" cmp "$dir/r1/$archive" "$dir/r2/$archive"
so "and the same digests" cmp "$dir/r1/SHA256SUMS" "$dir/r2/SHA256SUMS"
so "the commit's age is in it, too" env "$dir/one/packages/release" "$dir/r3"
so "without a key it says so" grep -q 'not signed' "$dir/said"
so "of another age other bytes" sh -c "! cmp -s '$dir/r1/$archive' '$dir/r3/$archive'"

# the bill of materials lists every file, and no other, with its digest
mkdir "$dir/open"
tar -C "$dir/open" -xf "$dir/r1/$archive"
so "the bill of materials is of these files" python3 - "$dir/open/${archive%.tar.xz}" <<'PYTHON'
import hashlib, json, os, sys
root = sys.argv[1]
bill = json.load(open(root + "/sbom.spdx.json"))
told = {f["fileName"][2:]: f["checksums"][1]["checksumValue"] for f in bill["files"]}
there = {os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names}
assert bill["spdxVersion"] == "SPDX-2.3" and bill["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
assert set(told) == there - {"sbom.spdx.json"} and "lib/base/block.c" in told, len(told)
assert all(hashlib.sha256(open(f"{root}/{name}", "rb").read()).hexdigest() == told[name] for name in told)
names = {p["name"] for p in bill["packages"]}
assert {"dmoc", "libyaml-dev", "meson"} <= names, names
PYTHON

# signed by a key file of OpenSSH
if command -v ssh-keygen >/dev/null && ssh-keygen -q -t ed25519 -N '' -C '' -f "$dir/key" </dev/null; then
  so "it is signed" env SOURCE_DATE_EPOCH=1700000000 "$dir/one/packages/release" --key "$dir/key" "$dir/signed"
  printf 'dmoc %s\n' "$(cat "$dir/key.pub")" >"$dir/signers"
  verify="ssh-keygen -Y verify -f '$dir/signers' -I dmoc -n dmoc-release -s SHA256SUMS.sig <SHA256SUMS && sha256sum --quiet -c SHA256SUMS"
  so "the signature holds" sh -c "cd '$dir/signed' && $verify"
  printf x >>"$dir/signed/$archive"
  so "not of a changed archive" sh -c "cd '$dir/signed' && ! { $verify; }"
  (cd "$dir/signed" && sha256sum -- *.tar.xz >SHA256SUMS)
  so "nor of changed digests" sh -c "cd '$dir/signed' && ! { $verify; }"
else
  echo "skipped: signatures by ssh-keygen (it is not here)"
fi
# or by a key of gpg
if command -v gpg >/dev/null; then
  mkdir -m 700 "$dir/gnupg"
  export GNUPGHOME="$dir/gnupg"
  if gpg --batch --quiet --passphrase '' --quick-gen-key release-test ed25519 sign never 2>"$dir/out"; then
    so "it is signed by gpg" env SOURCE_DATE_EPOCH=1700000000 "$dir/one/packages/release" --key release-test "$dir/pgp"
    so "that signature holds" sh -c "cd '$dir/pgp' && gpg --batch --verify SHA256SUMS.asc SHA256SUMS && sha256sum --quiet -c SHA256SUMS"
    so "it is one signature" [ ! -e "$dir/pgp/SHA256SUMS.sig" ]
    echo >>"$dir/pgp/SHA256SUMS"
    so "not of changed digests" sh -c "cd '$dir/pgp' && ! gpg --batch --verify SHA256SUMS.asc SHA256SUMS"
  else
    echo "skipped: signatures by gpg (it makes no key here)"
  fi
  so "an unknown key is refused" sh -c "! '$dir/one/packages/release' --key nobody-has-this '$dir/none'"
  so "and leaves nothing" [ -z "$(ls -A "$dir/none")" ]
  gpgconf --kill all 2>/dev/null
else
  echo "skipped: signatures by gpg (it is not here)"
fi

# uncommitted changes are not released
echo >>"$dir/one/README.md"
so "changes are refused" sh -c "! '$dir/one/packages/release' '$dir/none'"
so "with their file" grep -q 'not committed.*README.md' "$dir/said"
so "so are unknown options" sh -c "! '$dir/one/packages/release' --sign x"
exit $failed
