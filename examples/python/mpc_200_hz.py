"""Receding-horizon control at 200 Hz: the exported C, compiled and called from Python.

The plan has 400 steps of 5 ms, and each call looks 60 steps ahead. The robot is the discrete map, which starts
far off the plan; on a robot, read its sensors instead, and call `step` when a period begins. This needs a C
compiler.

    started 0.40 m and 0.50 rad off the plan
    0.004 m and 0.005 rad off after 2.6 s, at most 13.8 N
    520 calls, 520 of them solved
"""
import ctypes
import os
import subprocess
import tempfile

import numpy as np

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
SIZE = """#include "controller.h"
#include <stddef.h>
size_t controller_size(void);
size_t controller_size(void) { return sizeof(controller_horizon); }
"""


class Controller:
    """The controller in a folder of `dmoc.export(.., mpc=True)`, for measurements of q and v."""

    def __init__(self, folder, inputs):
        with open(os.path.join(folder, "size.c"), "w", encoding="utf-8") as f:
            f.write(SIZE)
        subprocess.run(
            "cc -std=c99 -O2 -shared -fPIC controller.c size.c -o controller.so".split(), cwd=folder, check=True
        )
        self.library = ctypes.CDLL(os.path.join(folder, "controller.so"))
        self.library.controller_size.restype = ctypes.c_size_t
        self.memory = ctypes.create_string_buffer(self.library.controller_size())
        self.u = np.zeros(inputs)
        self.library.controller_begin(self.memory)

    def prepare(self, k):
        """Before the measurement of knot k."""
        self.library.controller_prepare(self.memory, k)

    def step(self, k, q, v):
        """The status of the call, and u."""
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (q, v, self.u)]
        return self.library.controller_velocity(self.memory, k, *pointers), self.u


problem = dmoc.Problem(
    os.path.join(PROBLEMS, "cart-pole", "far-starts.yaml"),
    horizon={"steps": 400, "time": 2},
    mpc={"horizon": 60, "measure": "velocity"},
    verify={"law": "mpc", "samples": 5, "spread": {"q": 0.1}},
)
with tempfile.TemporaryDirectory() as folder:
    plan = dmoc.export(dmoc.run(problem, out=os.path.join(folder, "plan")), mpc=True)
    controller = Controller(plan.folder, len(plan.u[0]))
    with plan.map() as m:
        q, v = m.velocity(plan.x[0])
        x = m.state(q + [0.4, -0.5], v)
        ended, most = [], 0
        controller.prepare(0)
        for k in range(520):
            q, v = (np.ascontiguousarray(a) for a in m.velocity(x))
            how, u = controller.step(k, q, v)
            x = m.step(x, u)  # apply u
            controller.prepare(k + 1)
            ended.append(how)
            most = max(most, abs(u[0]))
        off = np.abs(x - plan.x[-1])
print("started 0.40 m and 0.50 rad off the plan")
print(f"{off[0]:.3f} m and {off[1]:.3f} rad off after 2.6 s, at most {most:.1f} N")
print(f"{len(ended)} calls, {ended.count(0)} of them solved")
