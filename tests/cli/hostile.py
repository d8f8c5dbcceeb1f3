#!/usr/bin/env python3
"""Result folders from strangers: links, journals, pipes, sparse files, names that lead elsewhere.

    hostile.py DMOC SOURCE [SANITIZER]

Each row of HARMS does something to a result folder. Commands that read it, and dmoc.load in Python, then say what
is wrong; none of them changes a file, and what lies outside of the folder is neither changed nor shown, whoever writes.
"""
import hashlib
import json
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

SECRET = "SECRET-OF-THE-USER"
READERS = ["plot {d} -o out.svg --what moving", "report {d} -o out.html", "convert {d} --to npz -o out.npz",
           "gains {d} -o other", "linearize {d} -o other", "export {d} -o other", "verify {d} -o other",
           "optimize task.yaml --from {d} -o other"]
WRITERS = ["gains {d}", "verify {d}", "export {d}", "linearize {d} --knot 0", "finish {d}", "report {d}",
           "convert {d} --to npz", "simulate swing.yaml -o {d}", "run task.yaml -o {d}",
           "sweep task.yaml --vary cost.input=1,2 --threads 1 -o {d}"]
FEW = [READERS[1], READERS[3], READERS[7]]
PHASED_READERS = READERS[1:3]  # they go through phases
SOME_WRITERS = [WRITERS[0], WRITERS[4], WRITERS[5], WRITERS[7]]
PATIENCE, MEMORY = 60, 400  # s, MiB
MODEL = """model: {bodies: [{name: bob, joints: [{name: arm, type: ry, effort: 20}], mass: 1, centre: [0, 0, -1]}]}
"""
TASK = MODEL + """horizon: {steps: 6, time: 1}
start: {q: 0, v: 0}
goal: {q: 1, v: 0}
cost: {input: 1}
feedback: {Q: {q: 10, p: 1}, R: 1}
verify: {samples: 2, seed: 1, spread: {q: 0.01, v: 0.01}, tolerance: 0.5, required: 0}
"""
SWING = MODEL + "simulate: {steps: 4, step: 0.01, start: {q: {arm: 1}}}\n"
PHASED = MODEL + """cost: {input: 1}
phases:
  - {name: up, horizon: {steps: 4, time: 0.5}, start: {q: 0, v: 0}}
  - {name: down, horizon: {steps: 4, time: 0.5}, goal: {q: 0.5, v: 0}}
"""


# -- what is done to a folder

def put(path, text, mode="w"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode) as f:
        f.write(text)


def replace(path, make):
    """Something else in the place of a file or folder."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)
    make(path)


def link(target):
    return lambda path: os.symlink(target, path)


def sparse(size):
    def make(path):
        with open(path, "wb") as f:
            f.truncate(size)
    return make


def null_device(path):
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


def bind(path):
    socket.socket(socket.AF_UNIX).bind(path)


def change_record(d, change):
    path = os.path.join(d, "result.json")
    with open(path) as f:
        record = json.load(f)
    change(record)
    put(path, json.dumps(record))


def renew(d, name):
    """The digest of a file as a stranger writes it."""
    with open(os.path.join(d, name), "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    change_record(d, lambda record: record["files"].update({name: digest}))


def journal(make):
    """A journal that is something else than a file."""
    def harm(d):
        os.mkdir(d + "/.dmoc-new")
        make(d + "/.dmoc-new/commit")
    return harm


def attack(d, key=""):
    """A journal that writes to, and removes from, a folder of the user."""
    os.symlink("../../.ssh", os.path.join(d, "link"))
    put(os.path.join(d, ".dmoc-new", "link@authorized_keys"), "THEIRS\n")
    put(os.path.join(d, ".dmoc-new", "commit"), key + "put link@authorized_keys link/authorized_keys\n"
        "put link/authorized_keys\nput ../../.ssh/x\nremove link/config\nremove gains.csv\n")


def forge(d):
    """The same with a key that fits but for the time that the system sets."""
    put(os.path.join(d, ".dmoc-new", "key"), "")
    key = os.stat(os.path.join(d, ".dmoc-new", "key"))
    attack(d, f"key {key.st_ino} {key.st_ctime_ns // 10**9} {(key.st_ctime_ns + 1) % 10**9}\n")


def large_inputs(d):
    replace(os.path.join(d, "inputs/task.yaml"), sparse(100 << 20))
    renew(d, "inputs/task.yaml")


def list_file(name):
    return lambda d: change_record(d, lambda record: record["files"].update({name: "0" * 64}))


def name_phase(name):
    return lambda d: change_record(d, lambda record: record.update(phases=[{"name": name, "time": 1}]))


UNFINISHED = "is unfinished: a dmoc command was killed .* 'dmoc finish .*' does the rest"
FOREIGN = "commit was not begun by this user in this folder, and nothing of it is done"
DAMAGED = "is damaged"
# name; what is done to the folder; what readers say; what writers of the folder say, where all say one thing
HARMS = [
    ("a journal", attack, UNFINISHED, FOREIGN),
    ("a forged key", forge, UNFINISHED, FOREIGN),
    ("a journal that is a pipe", journal(os.mkfifo), UNFINISHED,
     "commit cannot be read: found a pipe"),
    ("a journal that is a link", journal(link("../../../.ssh/config")),
     UNFINISHED, "commit cannot be read: found a link"),
    ("a journal of gigabytes", journal(sparse(8 << 30)), UNFINISHED,
     "commit cannot be read: found 8192 MiB, expected at most 1 MiB"),
    ("a staging folder that is a link", lambda d: os.symlink("../../.ssh", d + "/.dmoc-new"), None, None),
    ("a folder of inputs that is a link", lambda d: replace(d + "/inputs", link("../../.ssh")),
     "inputs/task.yaml cannot be read: Not a directory", None),
    ("a table that is a link", lambda d: replace(d + "/gains.csv", link("../../.ssh/config")),
     "gains.csv cannot be read: found a link, expected a file", None),
    ("an input that is a link", lambda d: replace(d + "/inputs/task.yaml", link("../../../.ssh/config")),
     "inputs/task.yaml cannot be read: found a link, expected a file", None),
    ("a record that is a link", lambda d: replace(d + "/result.json", link("../../.ssh/config")),
     "result.json cannot be read: found a link, expected a file", None),
    ("a link to itself", lambda d: replace(d + "/trajectory.csv", link("trajectory.csv")),
     "trajectory.csv cannot be read: found a link, expected a file", None),
    ("a table that is a pipe", lambda d: replace(d + "/trajectory.csv", os.mkfifo),
     "trajectory.csv cannot be read: found a pipe, expected a file", None),
    ("a record that is a pipe", lambda d: replace(d + "/result.json", os.mkfifo),
     "result.json cannot be read: found a pipe, expected a file", None),
    ("a table that is a socket", lambda d: replace(d + "/trajectory.csv", bind),
     "trajectory.csv cannot be read: found a \\(socket\\|device\\), expected a file", None),
    ("a table that is a device", lambda d: replace(d + "/trajectory.csv", null_device),
     "trajectory.csv cannot be read: found a device, expected a file", None),
    ("a table that is a folder", lambda d: replace(d + "/trajectory.csv", os.mkdir),
     "trajectory.csv cannot be read: \\(Is a directory\\|found a folder\\)", None),
    ("a table of gigabytes", lambda d: replace(d + "/trajectory.csv", sparse(8 << 30)),
     "trajectory.csv cannot be read: found 8192 MiB, expected at most 1024 MiB", None),
    ("a record of gigabytes", lambda d: replace(d + "/result.json", sparse(3 << 30)),
     "result.json cannot be read: found 3072 MiB, expected at most \\(64\\|1024\\) MiB", None),
    ("an input that is too large", large_inputs, "found 100 MiB, expected at most 64 MiB", None),
    ("another digest", lambda d: put(d + "/trajectory.csv", "0\n", "a"),
     "trajectory.csv is \\(damaged\\|not the file\\)", None),
    ("a file that is missing", lambda d: os.remove(d + "/trajectory.csv"),
     "trajectory.csv cannot be read: No such file\\|found no trajectory.csv", None),
    ("a name above", list_file("../../.ssh/config"), "result.json is damaged: found the file '../../.ssh/config'", None),
    ("a name from the root", list_file("/etc/hostname"), "result.json is damaged: found the file '/etc/hostname'", None),
    ("a hidden name", list_file("inputs/.config"), "result.json is damaged: found the file 'inputs/.config'", None),
    ("a name too deep", list_file("a/b/inputs/c"), "result.json is damaged: found the file 'a/b/inputs/c'", None),
    ("a record that is nested", lambda d: put(d + "/result.json", "[" * 100000), "result.json is damaged", None),
    ("a record that is no object", lambda d: put(d + "/result.json", "[1]"), "result.json is damaged", None),
    ("a phase above", name_phase("../../private"), "result.json is damaged: expected the name of a folder", None),
    ("a phase that is a link", lambda d: (os.symlink("../../private", d + "/up"), name_phase("up")(d)),
     "found a link, expected a \\(result \\)\\?folder", None),
]
# dmoc.load does not read by the list of files
LENIENT = {"a name above", "a name from the root", "a hidden name", "a name too deep"}
SOME = {"a journal": READERS, "another digest": READERS, "a phase above": PHASED_READERS,
        "a phase that is a link": PHASED_READERS, "an input that is too large": FEW[:2]}  # of others FEW


# -- what is there

def look(root):
    """All that is below a folder: kind, size, times, bytes; through no link."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            text = os.readlink(path) if stat.S_ISLNK(info.st_mode) else ""
            if stat.S_ISREG(info.st_mode) and info.st_size < 1 << 20:
                with open(path, "rb") as f:
                    text = f.read()
            found[os.path.relpath(path, root)] = (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, text)
    return found


def differ(before, after):
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def shown(root):
    """Whether a secret has come into a file."""
    return [path for path, x in look(root).items() if isinstance(x[-1], bytes) and SECRET.encode() in x[-1]]


class Bench:
    """A home with secrets and downloads, and beside it a folder to work in."""

    def __init__(self, program, root):
        self.program, self.root, self.failed, self.tried = program, root, 0, 0
        self.home, self.work = os.path.join(root, "home"), os.path.join(root, "work")
        self.d = os.path.join(self.home, "Downloads", "r")
        os.makedirs(self.work)
        for name in ("authorized_keys", "config"):
            put(os.path.join(self.home, ".ssh", name), f"{SECRET} {name}\n")
        for name, text in (("task.yaml", TASK), ("swing.yaml", SWING), ("phased.yaml", PHASED)):
            put(os.path.join(self.work, name), text)
        self.good = os.path.join(root, "good")
        for words in (f"run task.yaml -o {self.good}", f"run task.yaml -o {self.home}/private/up",
                      f"optimize phased.yaml -o {root}/phased"):
            status, said = self.run(words)
            if status:
                raise SystemExit(f"{words}: exit status {status}: {said}")
        shutil.copytree(os.path.join(self.home, "private", "up"), os.path.join(self.home, "private"), dirs_exist_ok=True)
        put(os.path.join(self.home, "private", "trajectory.csv"), f"{SECRET}\n")

    def run(self, words):
        """Exit status, and all that it says."""
        process = subprocess.Popen([self.program, *words.split()], cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said = process.communicate(timeout=PATIENCE)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            return None, "it did not end"
        return process.returncode, said

    def fact(self, name, holds, more=""):
        self.tried += 1
        if not holds:
            self.failed += 1
            print(f"not so: {name}: {more[-600:]}")

    def spoil(self, harm):
        """The folder as a stranger has made it; false where this system cannot have it."""
        shutil.rmtree(self.d, ignore_errors=True)
        shutil.copytree(self.good, self.d)
        try:
            harm(self.d)
        except PermissionError:
            return False
        return True

    def clean(self):
        for name in os.listdir(self.work):
            path = os.path.join(self.work, name)
            if not name.endswith(".yaml"):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def says(pattern, text):
    return subprocess.run(["grep", "-q", "-e", pattern], input=text.encode()).returncode == 0


def read_all(bench, name, harm, pattern, commands):
    """No reader writes, follows a link, or takes the folder for whole."""
    if not bench.spoil(harm):
        print(f"skipped: {name} (not for this user)")
        return
    before = look(bench.home)
    for words in commands:
        status, said = bench.run(words.format(d=bench.d))
        what = f"{name}: {words}"
        report = words.startswith("report") and pattern not in (None, UNFINISHED)
        if pattern:
            right = says(pattern, said) and status in ((0, 2) if report else (2,))
            bench.fact(what, right, f"exit status {status}: {said}")
        else:
            bench.fact(what, status == 0, f"exit status {status}: {said}")
        bench.fact(f"{what} changes nothing", look(bench.home) == before, str(differ(before, look(bench.home))))
        bench.fact(f"{what} shows nothing of others", SECRET not in said and not shown(bench.work), said)
        if pattern and not report:
            left = [path for path in os.listdir(bench.work) if not path.endswith(".yaml")]
            bench.fact(f"{what} leaves nothing", not left, str(left))
        bench.clean()


def load_it(bench, name, harm, pattern):
    """The same of dmoc.load, and of each table."""
    import dmoc
    if not bench.spoil(harm):
        return
    before, said = look(bench.home), ""
    try:
        result = dmoc.load(bench.d)
        for table in ("trajectory", "gains"):
            result.table(table)
        [phase.trajectory for phase in result.phases.values()]
    except dmoc.BadInput as why:
        said = str(why)
    if pattern and "inputs" not in pattern and "100 MiB" not in pattern and name not in LENIENT:
        words = pattern.replace("expected the name of a folder", ".*expected a folder's name")
        bench.fact(f"{name}: dmoc.load", says(words, said), said)
    bench.fact(f"{name}: dmoc.load changes nothing", look(bench.home) == before)
    bench.fact(f"{name}: dmoc.load shows nothing of others", SECRET not in said)


def write_all(bench, name, harm, pattern, commands):
    """Whoever writes the folder: nothing outside of it is changed or shown."""
    for words in commands:
        if not bench.spoil(harm):
            return
        outside = {path: x for path, x in look(bench.home).items() if not path.startswith("Downloads/r/")}
        inside = look(bench.d)
        status, said = bench.run(words.format(d=bench.d))
        what = f"{name}: {words}"
        after = {path: x for path, x in look(bench.home).items() if not path.startswith("Downloads/r/")}
        # the folder itself has other times
        for one in (outside, after):
            one.pop("Downloads/r")
        bench.fact(f"{what} ends", status in (0, 1, 2), f"exit status {status}: {said}")
        bench.fact(f"{what} changes nothing outside", outside == after, str(differ(outside, after)))
        bench.fact(f"{what} shows nothing of others", SECRET not in said and not shown(bench.d), said)
        if pattern and not words.startswith(("report", "convert", "sweep")):
            bench.fact(f"{what} is refused", status == 2 and says(pattern, said), f"exit status {status}: {said}")
            bench.fact(f"{what} changes nothing", look(bench.d) == inside, str(differ(inside, look(bench.d))))
        bench.clean()


# what writes into a folder that holds a link: the command; the link; where it leads; what is said, or None: the link
# itself is replaced
LINKS = [
    ("run task.yaml -o {d}", "inputs", "../../.ssh", "/inputs cannot be written: Not a directory"),
    ("run task.yaml -o {d}", "trajectory.csv", "../../.ssh/config", None),
    ("gains {d}", "columns.txt", "../../.ssh/config", "columns.txt cannot be read: found a link"),
    ("report {d}", "report.html", "../../.ssh/config", None),
    ("report {d}", ".report.html.dmoc-new", "../../.ssh", "report.html.dmoc-new cannot be written: Not a directory"),
    ("convert {d} --to npz", "tables.npz", "../../.ssh/config", None),
    (WRITERS[-1], "finished.csv", "../../.ssh/config", "finished.csv cannot be written"),
    ("optimize phased.yaml -o {d}", "up", "../../.ssh", "/up cannot be written: found a link, expected a folder"),
]


def write_links(bench):
    for words, name, target, pattern in LINKS:
        bench.spoil(lambda d: replace(os.path.join(d, name), link(target)))
        before = look(os.path.join(bench.home, ".ssh"))
        status, said = bench.run(words.format(d=bench.d))
        what = f"{words} where {name} is a link"
        bench.fact(f"{what} changes nothing outside", look(os.path.join(bench.home, ".ssh")) == before)
        bench.fact(f"{what} shows nothing of others", not shown(bench.d))
        if pattern:
            bench.fact(what, status == 2 and says(pattern, said), f"exit status {status}: {said}")
        else:
            right = status == 0 and not os.path.islink(os.path.join(bench.d, name))
            bench.fact(what, right, f"exit status {status}: {said}")
        bench.clean()
    # another name of a file is no file of the folder alone
    bench.spoil(lambda d: os.link(os.path.join(bench.home, ".ssh", "config"), d + "/finished.csv"))
    status, said = bench.run(LINKS[-2][0].format(d=bench.d))
    bench.fact("a journal with another name", status == 2 and says("that has no other name", said), said)


def find_python(source):
    """Whether dmoc can be imported; by Debian's Python where this one has no numpy."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        debian = "/usr/bin/python3"
        if os.path.exists(debian) and os.path.realpath(sys.executable) != os.path.realpath(debian):
            os.execv(debian, [debian, *sys.argv])
        return False
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(source, "python"))
    return True


def main():
    program, source = (os.path.realpath(path) for path in sys.argv[1:3])
    python = find_python(source)
    if not python:
        print("skipped: dmoc.load (needs numpy)")
    with tempfile.TemporaryDirectory() as root:
        bench = Bench(program, root)
        for name, harm, pattern, refusal in HARMS[::int(os.environ.get("DMOC_SHARE", "1"))]:
            read_all(bench, name, harm, pattern, SOME.get(name, FEW))
            if python:
                load_it(bench, name, harm, pattern)
            write_all(bench, name, harm, refusal, WRITERS if name == "a journal" else SOME_WRITERS)
        write_links(bench)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        if sys.argv[3:] in ([], ["none"]):
            bench.fact(f"no command takes more than {MEMORY} MiB", most < MEMORY, f"{most:.0f} MiB")
        print(f"{bench.tried} facts, {bench.failed} not so")
    return bool(bench.failed)


if __name__ == "__main__":
    sys.exit(main())
