# to be sourced, with build=BUILD: the files installed by `meson install`, in a temporary folder, and the flags that a
# compiler needs to use them, from pkg-config alone
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$dir/root" >"$dir/log" 2>&1 </dev/null || {
  cat "$dir/log"
  exit 1
}
pc=$(find "$dir/root" -name dmoc.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$dir/root"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
cflags=$(pkg-config --cflags dmoc)
libs=$(pkg-config --libs dmoc)
library=$(find "$dir/root" -name 'libdmoc.so')
export LD_LIBRARY_PATH="${library%/*}"
