#!/bin/sh
# Reproduce the study of docs/first-against-second.md: its figures on stdout, its picture in a folder.
#   benchmarks/descent.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
out=${1:-$root/docs}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# the curves of all methods, as in the paper's figure 3
"$root/dmoc" descend "$root/problems/pendulum/paper-001.yaml" --method steepest,quasi,newton --quasi 4 --tol 1e-6 --quiet -o "$dir/pendulum" >/dev/null
"$root/dmoc" plot "$dir/pendulum" --what descent -o "$out/descent-pendulum.svg" >/dev/null

"$root/dmoc" bench --filter descent
