"""The process that draws: facts on stdin, the picture on stdout, a reply on descriptor 3."""
import json
import os
import signal
import sys

REPLY, SYSTEM = 3, "/usr/bin/python3"


def reply(**members):
    """Leave the reply, and end: whoever asked has the words for people."""
    with os.fdopen(REPLY, "w", encoding="utf-8") as file:
        json.dump(members, file)
    sys.exit(0)


def main():
    """Draw what stdin asks for."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)

    # modules of this package by its name alone; no module and no setting of the folder at hand
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[0] = os.path.dirname(os.path.dirname(here))
    os.environ.pop("MPLBACKEND", None)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    at = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    os.chdir("/")
    try:
        from dmoc.errors import BadInput
        from dmoc.pictures.drawing import draw
    except ImportError as why:
        # another Python is before the system's, which has Debian's packages
        os.fchdir(at)
        if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM) and os.access(SYSTEM, os.X_OK):
            os.execv(SYSTEM, [SYSTEM, "-B", os.path.realpath(__file__)])
        reply(
            error=f"pictures are drawn by Python 3 with matplotlib, and {sys.executable} has no "
            f"{why.name}; please install it (Debian: apt-get install python3-matplotlib)"
        )
    os.fchdir(at)
    facts = json.load(sys.stdin.buffer)
    try:
        answer = draw(facts, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BadInput as why:
        reply(error=str(why))
    except OSError as why:
        reply(error=f"the picture cannot be written: {why.strerror or why}")
    reply(**answer)


if __name__ == "__main__":
    main()
