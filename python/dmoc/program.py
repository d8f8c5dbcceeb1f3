"""Run the program dmoc as a process: arguments, answer, progress and exit status."""
import json
import os
import re
import signal
import subprocess
import sys
import threading

from .arrays import refuse_masked
from .errors import BadInput, Fault
from .places import find_program

MARK = "dmoc: "


class Answer:
    """The answer of a command: its exit status, its JSON object, and its error message."""

    def __init__(self, status, text, said):
        self.status = status
        try:
            self.found = json.loads(text) if text.strip() else {}
        except ValueError:
            self.found = {}
        self.words = (
            self.found.get("error")
            or self.last_words(said)
            or f"the program ended with status {status}"
        )
        self.warnings = self.found.get("warnings", [])

    @staticmethod
    def last_words(said):
        """The last sentence that it printed on stderr."""
        lines = [line[len(MARK) :] for line in said if line.startswith(MARK)]
        return lines[-1] if lines else ""


# options whose lists are not comma-separated
RANGES, AGAIN = ("xrange", "yrange"), ("vary", "hold_out")


def value_word(value):
    """Return a value as an argument: comma-separated numbers, or the folder of a result."""
    refuse_masked("an option", value)
    value = value.tolist() if hasattr(value, "tolist") else value
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ",".join(map(value_word, value))
    if isinstance(value, (bool, dict)):
        raise BadInput(f"found {value!r} among an option's values, expected numbers or text")
    return str(getattr(value, "folder", value))


def option_words(options):
    """Return command-line arguments for options: solver="ipopt", force=True, from_=folder,
    times=[0, 0.5], xrange=(0, None), vary={"horizon.time": [1, 2]}."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        name = name.strip("_")
        word = "--" + name.replace("_", "-")
        if value is True:
            words.append(word)
        elif isinstance(value, dict):
            for key, each in value.items():
                words += [word, f"{key}={value_word(each)}"]
        elif name in AGAIN and isinstance(value, (list, tuple)):
            for each in value:
                words += [word, value_word(each)]
        elif name in RANGES and isinstance(value, (list, tuple)):
            words += [word, ":".join(map(value_word, value))]
        else:
            words += [word, value_word(value)]
    return words


def show_line(progress, line):
    """Pass a line of the program to the progress callback."""
    if progress is True:
        print(line, file=sys.stderr, flush=True)
    elif callable(progress):
        progress(line[len(MARK) :] if line.startswith(MARK) else line)


def listen(stream, said, progress):
    """Read the program's stderr until it ends."""
    for line in stream:
        line = line.rstrip("\n")
        said.append(line)
        show_line(progress, line)


def wait_for(process):
    """Wait for its end. An interrupt is forwarded to the program, which keeps its best result; a
    second one ends it at once."""
    interrupted = None
    while True:
        try:
            process.wait()
            break
        except KeyboardInterrupt as why:
            interrupted = why
            process.send_signal(signal.SIGINT)
    return interrupted


def run(command, operand, options, progress=None, label=None, folder=None):
    """Run a command of the program; return its Answer.

    operand: a problem file or a result folder, or a tuple of these; label: name of the first in messages
    folder: the folder of results
    progress: None, silent; True, to stderr; a function of a line of text.
    """
    operands = operand if isinstance(operand, tuple) else (operand,)
    words = [find_program(), command, *map(os.fspath, operands), "--json", *option_words(options)]
    if folder:
        words += ["-o", folder]
    if not progress:
        words.append("--quiet")
    try:
        # its own session, so that an interrupt of the terminal arrives only once, from here
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            env={"DMOC_PYTHON": sys.executable, **os.environ},  # pictures are drawn by this one
        )
    except OSError as why:
        raise Fault(f"{words[0]} cannot be run: {why.strerror}") from None
    said, answer, threads = [], [], []
    readers = (
        (listen, (process.stderr, said, progress)),
        (lambda: answer.append(process.stdout.read()), ()),
    )
    for target, arguments in readers:
        threads.append(threading.Thread(target=target, args=arguments, daemon=True))
        threads[-1].start()
    interrupted = wait_for(process)
    for thread in threads:
        thread.join()
    process.stdout.close()
    process.stderr.close()
    if interrupted:
        raise interrupted

    # replace the name of a temporary file by the label
    text, first = answer[0], os.fspath(operands[0]) if operands else ""
    if label and first and label != first:
        text = text.replace(first, label)
        said = [line.replace(first, label) for line in said]
    return Answer(process.returncode, text, said)


def list_commands():
    """Return the names of the program's commands, from its help."""
    done = subprocess.run([find_program(), "--help"], capture_output=True, encoding="utf-8")
    return re.findall(r"^  ([a-z]+) +[A-Z]", done.stdout, re.M)


def main():
    """The program itself, as the command dmoc of this package."""
    program = find_program()
    os.environ.setdefault("DMOC_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])
