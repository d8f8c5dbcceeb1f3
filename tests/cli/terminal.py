#!/usr/bin/env python3
"""What a terminal is shown, and what a pipe is.

    terminal.py DMOC ROOT

A terminal of a given width gets a progress line that is written over and never as wide, with the
time that is left; a summary with its status in a colour and the motion in blocks. NO_COLOR, a
terminal without UTF-8 and a pipe get less. Ends with 1 where that is not so.
"""
import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios

ESCAPE = "\x1b"


def show(words, width, enough=None, **env):
    """What a program writes to a terminal of that width: all, or what is enough, and then it is killed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **env})
        sys.stdin.read(1)  # until the terminal has its width
        os.execv(words[0], words)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.write(fd, b"\n")
    said = b""
    while True:
        try:
            part = os.read(fd, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
        if enough and enough(said.decode(errors="replace")):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return said.decode(errors="replace")
    if os.waitpid(pid, 0)[1] != 0:
        raise SystemExit(f"{words} failed: {said.decode()}")
    return said.decode()


def progress_lines(said):
    """What stood on the line that is written over, one after another."""
    return [line for line in re.findall(r"\r\x1b\[K([^\r\n\x1b]*)", said) if line]


def blocks(said):
    return [line for line in said.splitlines() if "▁" in line and "█" in line]


def check(what, holds, said=""):
    print(("ok: " if holds else "FAILED: ") + what)
    if not holds:
        print(repr(said[-3000:]))
        check.failed = True


check.failed = False


def main(dmoc, root):
    home = tempfile.TemporaryDirectory()
    folder = pathlib.Path(home.name)
    problem = pathlib.Path(root) / "problems/cart-pole/swing-up.yaml"
    run = [dmoc, "optimize", str(problem), "-o", str(folder / "r")]

    # 1  a summary
    said = show(run, 90)
    check("a status in green", f"{ESCAPE}[32msolved{ESCAPE}[0m" in said, said)
    check("two coordinates and an input in blocks", len(blocks(said)) == 3, said)
    check("no line of them as wide as the terminal", all(len(b) < 90 for b in blocks(said)), said)
    said = show(run, 60)
    check("narrower on a narrow terminal", blocks(said) and all(len(b) < 60 for b in blocks(said)), said)
    said = show(run, 90, NO_COLOR="1")
    check("NO_COLOR: no colour", ESCAPE + "[3" not in said and len(blocks(said)) == 3, said)
    said = show(run, 90, TERM="dumb")
    check("a dumb terminal: no colour", ESCAPE + "[3" not in said, said)
    said = show(run, 90, LC_ALL="C")
    check("without UTF-8: no blocks", not blocks(said) and "solved" in said, said)
    piped = subprocess.run(run, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    check("a pipe: neither", ESCAPE not in piped.stdout + piped.stderr and not blocks(piped.stdout),
          piped.stdout)

    # 2  progress, of more samples than are waited for
    many = folder / "many.yaml"
    words = problem.read_text().replace("samples: 200", "samples: 100000")
    many.write_text(words.replace("cart-pole.urdf", str(problem.parent / "cart-pole.urdf")))
    for width in (100, 40):
        lines = progress_lines(show([dmoc, "run", str(many), "-o", str(folder / f"m{width}")], width,
                                    lambda said: len(progress_lines(said)) > 4 and
                                    (width < 100 or progress_lines(said)[-1].endswith("left"))))
        check(f"progress in {width} columns", len(lines) > 2, repr(lines))
        check("never as wide", all(len(line) < width for line in lines), repr(lines))
        if width == 100:
            check("with the time left", any(re.search(r"ran \d+ of 100000 .* (s|min|h) left", line) for line in lines),
                  repr(lines))
        else:
            check("cut with a mark", any(line.endswith("~") for line in lines), repr(lines))
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
