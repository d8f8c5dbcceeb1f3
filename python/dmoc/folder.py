"""Safe reading of files in folders from untrusted sources: by descriptor, without following links,
and with digests."""
import contextlib
import fcntl
import hashlib
import os
import re
import stat

from .errors import BadInput

LARGEST = 1 << 30  # bytes of a result file, as in the program
KINDS = ((stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"))


def is_name(name):
    """Return whether a name is valid for a file or folder in a result folder, and stays inside
    it."""
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,254}", name)


def describe(mode):
    """Return a description of a file that is not a regular file."""
    return next((text for is_kind, text in KINDS if is_kind(mode)), "a device")


def read_at(folder, name, path):
    """Return the bytes of a regular file in an open folder, without following links."""
    try:
        # check the kind first, because opening a device may have effects
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode):
            raise BadInput(f"{path} cannot be read: found {describe(mode)}, expected a file")
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(file, "rb") as stream:
            size = os.fstat(file).st_size
            if size > LARGEST:
                raise BadInput(
                    f"{path} cannot be read: found {size / 2**20:.4g} MiB, expected at most {LARGEST >> 20} MiB"
                )
            return stream.read(size)  # limits the memory
    except OSError as why:
        raise BadInput(f"{path} cannot be read: {why.strerror}") from None


def read_file(path):
    """Return the bytes of a regular file, which may not be a link."""
    above = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        return read_at(above, os.path.basename(path), path)
    finally:
        os.close(above)


class Held:
    """An open folder: no command commits files to it meanwhile."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def has(self, name):
        """Return whether a file of this name exists."""
        try:
            os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except OSError:
            return False
        return True

    def read(self, name, digest=None):
        """Return the bytes of a file; if its SHA-256 is given, it must match."""
        path = os.path.join(self.path, name)
        data = read_at(self.folder, name, path)
        if digest is not None and hashlib.sha256(data).hexdigest() != digest:
            raise BadInput(
                f"{path} is not the file that the result was read with: it has changed since, or is "
                "damaged; load the folder again"
            )
        return data


@contextlib.contextmanager
def hold(path, below=False):
    """Open a folder for reading, waiting for a commit in progress; below: it is inside another one,
    and may not be a link. A folder with an unfinished commit is refused."""
    how = os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if below else 0)
    try:
        folder = os.open(path, how)
    except OSError as why:
        kind = "found a link" if below and os.path.islink(path) else why.strerror
        raise BadInput(f"{path} cannot be read: {kind}, expected a result folder") from None
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(folder, fcntl.LOCK_SH)
        held = Held(path, folder)
        if held.has(".dmoc-new/commit"):
            raise BadInput(
                f"{path} is unfinished: a dmoc command was killed while it put files in their places; "
                f"'dmoc finish {path}' does the rest"
            )
        yield held
    finally:
        os.close(folder)
