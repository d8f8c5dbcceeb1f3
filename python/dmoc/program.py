"""The program dmoc as a process: its words in, its answer, progress and exit status out."""
import json
import os
import signal
import subprocess
import sys
import threading

from .arrays import refuse_masked
from .errors import BadInput, Fault
from .places import find_program

MARK = "dmoc: "


class Answer:
    """What a command came to: its exit status, its JSON object, the sentence of its error."""

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
        """The last sentence that it printed for people."""
        lines = [line[len(MARK) :] for line in said if line.startswith(MARK)]
        return lines[-1] if lines else ""


# options whose lists are no words between commas
RANGES, AGAIN = ("xrange", "yrange"), ("vary",)


def value_word(value):
    """Return a value as a word: numbers between commas, of a result its folder."""
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
    """Return command line words of options: solver="ipopt", force=True, from_=folder,
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
    """Hand a line of the program to who wants to see it."""
    if progress is True:
        print(line, file=sys.stderr, flush=True)
    elif callable(progress):
        progress(line[len(MARK) :] if line.startswith(MARK) else line)


def listen(stream, said, progress):
    """Read what the program says on stderr, until it ends."""
    for line in stream:
        line = line.rstrip("\n")
        said.append(line)
        show_line(progress, line)


def wait_for(process):
    """Wait for its end. An interrupt goes on to the program, which keeps the best it has; a second
    one ends it at once."""
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

    operand: a problem file or a result folder, or a tuple of these; label: what stands for it in
    messages
    folder: where results go
    progress: None, silent; True, to stderr; a function of a line of text.
    """
    operands = operand if isinstance(operand, tuple) else (operand,)
    words = [find_program(), command, *map(os.fspath, operands), "--json", *option_words(options)]
    if folder:
        words += ["-o", folder]
    if not progress:
        words.append("--quiet")
    try:
        # a session of its own: the interrupt of a terminal reaches it once, from here
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

    # a file of the while is called by its label
    text = answer[0]
    if label and label != os.fspath(operand):
        text = text.replace(os.fspath(operand), label)
        said = [line.replace(os.fspath(operand), label) for line in said]
    return Answer(process.returncode, text, said)


def main():
    """The program itself, by the name dmoc: a command that comes with this package."""
    program = find_program()
    os.environ.setdefault("DMOC_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])
