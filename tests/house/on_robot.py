#!/usr/bin/env python3
"""An example of examples/robot, with the controller that it is for, does what its first comment says.

    on_robot.py DMOC SOURCE control_loop|cortex_m4 COMPILER...

control_loop prints those lines, also as a program for an application core (arm-linux-gnueabihf-gcc, qemu-arm); there
the trace of its controller is replayed bit for bit. cortex_m4.py prints those figures within 20 %: they are of one
compiler.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DMOC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
ROBOT = os.path.join(SOURCE, "examples", "robot")
STRICT = "-std=c99 -O2 -Wall -Wextra -Wconversion -pedantic -Werror".split()


def run(*words, **more):
    """Return the output of a program; its failure ends this test."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def lacks(what, *programs):
    """Return the programs that are absent, and print the name of the skipped test."""
    absent = [program for program in programs if not shutil.which(program)]
    if absent:
        print(f"skipped: {what} ({', '.join(absent)} is not here)")
    return absent


def export(problem, *words):
    """Verify a problem and export its controller, in the folder `out`."""
    said = subprocess.run([DMOC, "run", problem, "-o", "out"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if "no IPOPT" in said.stdout:
        print("skipped: a controller of a motion that is optimized (built without IPOPT)")
        sys.exit(77)
    run(DMOC, "export", "out", "--mpc", *words)


def compare(wanted, said):
    """Whether two texts are the same."""
    if wanted != said:
        sys.exit(f"expected\n{wanted}\nfound\n{said}")


def control_loop(compiler):
    """On this machine, and on an application core."""
    export(os.path.join(ROBOT, "balance.yaml"))
    source = os.path.join(ROBOT, "control_loop.c")
    with open(source, encoding="utf-8") as file:
        wanted = "".join(re.findall(r"^//   (.*\n)", file.read(), flags=re.M))
    run(*compiler, *STRICT, "-Iout", source, "out/controller.c", "-lm", "-o", "loop")
    compare(wanted, run("./loop"))
    if not lacks("the loop on an application core", "arm-linux-gnueabihf-gcc", "qemu-arm"):
        core = ("arm-linux-gnueabihf-gcc", "-static", "-mcpu=cortex-a7", "-mfpu=neon-vfpv4")
        run(*core, *STRICT, "-Iout", source, "out/controller.c", "-lm", "-o", "loop")
        compare(wanted, run("qemu-arm", "./loop"))
        run(*core, "-std=c99", "-O2", "out/controller.c", "out/controller_replay.c", "-o", "replay")
        run("qemu-arm", "../replay", cwd="out")


def cortex_m4(_):
    """Sizes, stack, replay and instructions on a Cortex-M4."""
    if lacks("a controller on a Cortex-M4", "arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm"):
        sys.exit(77)
    if not os.path.isabs(run("arm-none-eabi-gcc", "-print-file-name=rdimon.specs").strip()):
        print("skipped: a controller on a Cortex-M4 (arm-none-eabi-gcc has no newlib)")
        sys.exit(77)
    export(os.path.join(SOURCE, "problems", "cart-pole", "far-starts.yaml"), "--single")
    program = os.path.join(ROBOT, "cortex_m4.py")
    said = run(sys.executable, program, "out")
    with open(program, encoding="utf-8") as file:
        wanted = file.read().split('"""')[1].split("\n\n")[-1]
    number = r"\d+"
    compare(re.sub(number, "N", re.sub("^    ", "", wanted, flags=re.M)), re.sub(number, "N", said))
    for a, b in zip(re.findall(number, wanted), re.findall(number, said)):
        if abs(int(a) - int(b)) > 0.2 * int(a):
            sys.exit(f"found {b}, expected {a} within 20 %:\n{said}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    {"control_loop": control_loop, "cortex_m4": cortex_m4}[sys.argv[3]](sys.argv[4:])
