#!/usr/bin/env python3
"""Build an exported controller for a Cortex-M4 and run it in QEMU.

    ./dmoc run problems/cart-pole/far-starts.yaml -o far
    ./dmoc export far --mpc --single
    examples/robot/cortex_m4.py far

This needs arm-none-eabi-gcc with newlib, and qemu-system-arm. The text is that of controller.c alone, with its
tables; the stack is that of its deepest call, by gcc's call graph. With gcc 12.2:

    text          24280 bytes, data 0, bss 0; the caller keeps 7120
    stack         1384 bytes at most
    replay        130 rows, 0 numbers differ
    prepare       285200 instructions at most
    call          38720 instructions at most with 1 sweeps
    call          132080 instructions at most with 2 sweeps
    call          78480 instructions at most with 3 sweeps
    worst case    1953160 instructions: a call with 20 sweeps of the whole horizon, each with 100760
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CPU = "-std=c99 -O2 -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard".split()


def run(*words, **more):
    """Return the output of a program."""
    return subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **more).stdout


def deepest_stack(graph):
    """Largest sum of frames along a path of the call graph [bytes]; gcc counts what a call pushes."""
    frames = {title: int(size) for title, size in re.findall(
        r'node: \{ title: "([^"]*)" label: "[^"]*?(\d+) bytes \(static\)', graph)}
    calls = re.findall(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', graph)

    def depth(at):
        return frames.get(at, 0) + max((depth(to) for by, to in calls if by == at), default=0)
    return max(map(depth, frames))


def main(folder, build):
    """Print sizes and the output of the program; return its status."""
    cc = ["arm-none-eabi-gcc", *CPU, "-I" + folder]
    run(*cc, "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic", "-fcallgraph-info=su", "-c",
        folder + "/controller.c", "-o", build + "/controller.o")
    sizes = run("arm-none-eabi-size", build + "/controller.o").split("\n")[1].split()
    memory = re.search(r"Memory, which the caller keeps: (\d+) bytes", open(folder + "/controller.h").read()).group(1)
    print(f"text          {sizes[0]} bytes, data {sizes[1]}, bss {sizes[2]}; the caller keeps {memory}")
    with open(build + "/controller.ci", encoding="utf-8") as f:
        print(f"stack         {deepest_stack(f.read())} bytes at most")
    run(*cc, "-Wno-unused-function", "--specs=rdimon.specs", "-Wl,--section-start=.vectors=0",
        "-Wl,-Tdata=0x20000000", HERE + "/cortex_m4.c", "-o", build + "/robot.elf")
    done = subprocess.run("qemu-system-arm -M mps2-an386 -display none -monitor none -serial null -icount shift=0 "
                          "-semihosting-config enable=on,target=native -kernel".split() + [build + "/robot.elf"],
                          cwd=folder, stdin=subprocess.DEVNULL, timeout=100, check=False)
    return done.returncode


with tempfile.TemporaryDirectory() as temporary:
    sys.exit(main(os.path.abspath(sys.argv[1]), temporary))
