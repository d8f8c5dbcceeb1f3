"""Files of a folder that may come from a stranger: read by descriptor, through no link, whole."""
import contextlib
import fcntl
import hashlib
import os
import re
import stat

from .errors import BadInput

LARGEST = 1 << 30  # bytes of a file of results, as the program has it
KINDS = ((stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"))


def is_name(name):
    """Return whether a name is one of a file or folder in a result folder, and leads nowhere else."""
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,254}", name)


def describe(mode):
    """Return what a file is that is not a regular one."""
    return next((text for is_kind, text in KINDS if is_kind(mode)), "a device")


def read_at(folder, name, path):
    """Return the bytes of a regular file of an open folder; through no link."""
    try:
        # opening a device may do something: the kind before all else
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
            return stream.read(size)  # memory for no more than that
    except OSError as why:
        raise BadInput(f"{path} cannot be read: {why.strerror}") from None


def read_file(path):
    """Return the bytes of a regular file, which is not a link."""
    above = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        return read_at(above, os.path.basename(path), path)
    finally:
        os.close(above)


class Held:
    """A folder that is open: no command puts files in their places meanwhile."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def has(self, name):
        """Return whether there is anything by that name."""
        try:
            os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except OSError:
            return False
        return True

    def read(self, name, digest=None):
        """Return the bytes of a file; where their SHA-256 is known, only if they have it."""
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
    """Open a folder for reading, and wait for a command that puts files there; below: it stands in
    another one, and is not a link. A folder where such a command was killed is refused."""
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
