#!/usr/bin/env python3
"""The discrete map in Python is the map that the program optimizes, over any axes and threads."""
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import unittest

from support import main, problem

import numpy as np

import dmoc

SWING = problem("cart-pole", "swing-up.yaml")


def states(m, *front, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(*front, m.nx)), random.normal(size=(*front, m.nu))


class Maps(unittest.TestCase):
    def test_every_knot_of_a_plan_steps_onto_the_next(self):
        for path in (
            SWING,
            problem("cart-pole", "minimum-time.yaml"),
            problem("six-axis-arm", "reach.yaml"),
            problem("quadrotor", "flip.yaml"),
            problem("two-string-load", "winches.yaml"),
        ):
            result = dmoc.optimize(path)
            with result.map() as m:
                x, u = result.x, result.u
                self.assertLess(
                    np.abs(m.step(x[:-1], u) - x[1:]).max(), 1e-9 * (1 + np.abs(x).max()), path
                )
                # what was stored of impulses is what the step returns
                _, impulses = m.step(x[:-1], u, impulses=True)
                if m.nc:
                    stored = result.trajectory["lambda"][:-1]
                    self.assertLess(
                        np.abs(impulses - stored).max(), 1e-8 * (1 + np.abs(stored).max())
                    )

    def test_matrices_are_those_that_the_program_writes(self):
        result = dmoc.linearize(SWING)
        table = result.linearization
        with result.map() as m:
            _, A, B = m.linear(result.x[:-1], result.u)
            names = [f"{what}.{name}" for what in "qp" for name in m.coordinates]
            for i, row in enumerate(names):
                for j, column in enumerate(names):
                    np.testing.assert_allclose(A[:, i, j], table[f"A.{row}.{column}"], atol=1e-9)
                np.testing.assert_allclose(B[:, i, 0], table[f"B.{row}.{m.inputs[0]}"], atol=1e-9)

    def test_the_map_is_symplectic(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 50)
            _, A, _ = m.linear(x, u)
        zero, one = np.zeros((2, 2)), np.eye(2)
        J = np.block([[zero, one], [-one, zero]])
        np.testing.assert_allclose(
            np.swapaxes(A, 1, 2) @ J @ A, np.broadcast_to(J, A.shape), atol=1e-11
        )

    def test_axes_in_front_are_kept(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 3, 5)
            x1, A, B = m.linear(x, u)
            self.assertEqual((x1.shape, A.shape, B.shape), ((3, 5, 4), (3, 5, 4, 4), (3, 5, 4, 1)))
            np.testing.assert_array_equal(x1[1, 2], m.step(x[1, 2], u[1, 2]))
            # one input for all, states that do not lie one after the other, and integers
            np.testing.assert_array_equal(
                m.step(x, u[0, 0]), m.step(x, np.broadcast_to(u[0, 0], u.shape))
            )
            np.testing.assert_array_equal(m.step(x[:, ::2], u[:, ::2]), x1[:, ::2])
            self.assertEqual(m.step([0, 3, 0, 0], [1]).shape, (4,))
            xx, xu, uu = m.hessian(x, u)
            self.assertEqual(
                (xx.shape, xu.shape, uu.shape), ((3, 5, 4, 4, 4), (3, 5, 4, 4, 1), (3, 5, 4, 1, 1))
            )

    def test_impulses_have_derivatives_too(self):
        with dmoc.Map(problem("double-spherical-pendulum", "dsp.yaml")) as m:
            self.assertEqual((m.nu, m.nc, m.constraints), (0, 2, ("first rod", "second rod")))
            start = dmoc.simulate(problem("double-spherical-pendulum", "dsp.yaml")).x[0]
            x1, A, B, by_x, by_u = m.linear(start, impulses=True)
            self.assertEqual(
                (A.shape, B.shape, by_x.shape, by_u.shape), ((12, 12), (12, 0), (2, 12), (2, 0))
            )
            np.testing.assert_array_equal(m.linear(start)[1], A)
            # along a direction, by central differences
            d = np.random.default_rng(0).normal(size=12)
            high, low = (m.step(start + sign * 1e-6 * d, impulses=True) for sign in (1, -1))
            np.testing.assert_allclose((high[0] - low[0]) / 2e-6, A @ d, atol=1e-5)
            np.testing.assert_allclose((high[1] - low[1]) / 2e-6, by_x @ d, atol=1e-4)
            self.assertEqual(m.hessian(start)[0].shape, (12, 12, 12))

    def test_a_hessian_is_the_tensor_contracted(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 7)
            z = states(m, 7, seed=1)[0]
            for whole, part in zip(m.hessian(x, u), m.hessian(x, u, z)):
                np.testing.assert_allclose(np.einsum("ki,ki...->k...", z, whole), part, atol=1e-12)
            self.assertEqual(m.hessian(x, u, z[0])[0].shape, (7, 4, 4))

    def test_a_rollout_is_its_steps(self):
        with dmoc.Map(SWING, threads=3) as m:
            x, _ = states(m, 40)
            u = np.random.default_rng(2).normal(size=(40, 6, 1))
            path = m.rollout(x, u)
            self.assertEqual(path.shape, (40, 7, 4))
            for k in range(6):
                np.testing.assert_allclose(m.step(path[:, k], u[:, k]), path[:, k + 1], atol=1e-11)
            np.testing.assert_array_equal(m.rollout(x, u[0])[0], path[0])

    def test_threads_do_not_change_a_bit(self):
        with dmoc.Map(SWING) as one, dmoc.Map(SWING, threads=4) as many:
            x, u = states(one, 1000)
            for a, b in zip(one.linear(x, u), many.linear(x, u)):
                np.testing.assert_array_equal(a, b)

    def test_threads_of_python_may_share_a_map(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 5000)
            wanted, found = m.step(x, u), {}
            workers = [
                threading.Thread(target=lambda i=i: found.update({i: m.step(x, u)}))
                for i in range(4)
            ]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            for got in found.values():
                np.testing.assert_array_equal(got, wanted)
            self.assertEqual(len(found), 4)

    def test_processes_that_fork_have_maps_of_their_own(self):
        with dmoc.Map(SWING, threads=2) as m:
            x, u = states(m, 200)
            wanted = m.step(x, u)
            read, write = os.pipe()
            child = os.fork()
            if not child:
                same = np.array_equal(m.step(x, u), wanted)
                os.write(write, b"same" if same else b"other")
                os._exit(0)
            os.waitpid(child, 0)
            self.assertEqual(os.read(read, 5), b"same")
            os.close(read)
            os.close(write)

    def test_velocities_and_energies(self):
        with dmoc.Map(SWING) as m:
            random = np.random.default_rng(3)
            q, v = random.normal(size=(2, 20, 2))
            x = m.state(q, v)
            back = m.velocity(x)
            np.testing.assert_allclose(back[0], q)
            np.testing.assert_allclose(back[1], v, atol=1e-12)
            kinetic, potential = m.energy(x)
            np.testing.assert_allclose(2 * kinetic, np.sum(x[:, 2:] * v, axis=1), atol=1e-12)
            self.assertEqual(potential.shape, (20,))

    def test_names_units_limits(self):
        with dmoc.Map(SWING) as m:
            self.assertEqual((m.n, m.nx, m.nu, m.nc, m.h, m.threads), (2, 4, 1, 0, 0.02, 1))
            self.assertEqual(
                (m.coordinates, m.inputs, m.constraints), (("slider", "pole"), ("slider",), ())
            )
            self.assertEqual(m.units["p"], ("N s", "N m s"))
            np.testing.assert_array_equal(m.limits["u"], [[-20], [20]])
            np.testing.assert_array_equal(m.limits["q"], [[-2, -np.inf], [2, np.inf]])
            self.assertFalse(m.limits["q"].flags.writeable)

    def test_values_and_steps_are_chosen(self):
        with dmoc.Map(SWING, step=0.001, replace={"model.damping.pole": 10}) as damped, dmoc.Map(
            SWING, step=0.001
        ) as m:
            self.assertEqual(m.h, 0.001)
            x = m.state([0, 0.5], [0, 1])
            self.assertLess(
                damped.velocity(damped.step(x, [0]))[1][1], m.velocity(m.step(x, [0]))[1][1]
            )

    def test_a_pickled_map_is_the_same_map_in_another_process(self):
        changed = dmoc.Problem(SWING, horizon={"steps": 50})
        result = dmoc.optimize(SWING)
        maps = [
            dmoc.Map(SWING, step=0.01, threads=2, failed="nan"),
            dmoc.Map(changed, replace={"model.damping.pole": 0.3}),
            result.map(),
        ]
        del result
        gc.collect()  # the map keeps the temporary folder that it is opened from
        x, u = states(maps[0], 5)
        x[1, 0] = np.nan
        for m in maps:
            at = x if m.failed == "nan" else np.delete(x, 1, axis=0)
            of = u[: len(at)]
            code = (
                "import pickle, sys\n"
                "m, x, u = pickle.load(sys.stdin.buffer)\n"
                "pickle.dump((m.linear(x, u), m.h, m.threads, m.failed), sys.stdout.buffer)"
            )
            done = subprocess.run(
                [sys.executable, "-c", code], input=pickle.dumps((m, at, of)), capture_output=True
            )
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            there, *numbers = pickle.loads(done.stdout)
            self.assertEqual(numbers, [m.h, m.threads, m.failed])
            for one, other in zip(there, m.linear(at, of)):
                np.testing.assert_array_equal(one, other)

        # a copy has a handle of its own
        with copy.copy(maps[1]) as other:
            x1 = other.step(x[0], u[0])
        np.testing.assert_array_equal(maps[1].step(x[0], u[0]), x1)
        with self.assertRaises(dmoc.BadInput):
            pickle.dumps(other)

    def test_a_list_of_one_is_not_one_number_for_all(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 3)
            for call, words in (
                (lambda: m.state(x[:, :2], [0.1]), "v: found the shape (1,), expected"),
                (lambda: m.state(x[:, :2], x[:2, 2:]), "v: found the shape (2, 2), expected"),
                (lambda: m.hessian(x, u, [1.0]), "z: found the shape (1,), expected"),
            ):
                with self.assertRaises(dmoc.BadInput) as told:
                    call()
                self.assertIn(words, str(told.exception))
            np.testing.assert_array_equal(m.state(x[:, :2], 0.1), m.state(x[:, :2], [0.1, 0.1]))

    def test_masked_entries_are_refused(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 5)
            hidden = np.ma.array(x, mask=np.arange(x.size).reshape(x.shape) == 3)
            for call, words in (
                (lambda: m.step(hidden, u), "x: found 1 masked entries of"),
                (lambda: m.step(x, np.ma.masked_equal(u, u[0, 0])), "u: found"),
                (lambda: m.state(x[:, :2], hidden[:, 2:]), "v: found 1 masked"),
                (lambda: m.hessian(x, u, hidden), "z: found 1 masked"),
            ):
                with self.assertRaises(dmoc.BadInput) as told:
                    call()
                self.assertIn(words, str(told.exception))
            np.testing.assert_array_equal(m.step(np.ma.array(x), u), m.step(x, u))

    def test_what_cannot_be_stepped_is_told(self):
        with dmoc.Map(SWING) as m:
            x, u = states(m, 5)
            x[2, 0] = np.nan
            with self.assertRaises(dmoc.NotSolved) as told:
                m.step(x, u)
            self.assertEqual(
                str(told.exception), "state 2: no step from knot 0: a number is not finite"
            )
            self.assertEqual(told.exception.status, 1)
        with dmoc.Map(SWING, failed="nan") as m:
            x1 = m.step(x, u)
            self.assertTrue(np.isnan(x1[2]).all())
            self.assertTrue(np.isfinite(np.delete(x1, 2, axis=0)).all())

    def test_wrong_arguments_are_refused(self):
        with dmoc.Map(SWING) as m:
            for words, call in (
                ("x: found the shape (3,), expected (..., 4)", lambda: m.step(np.zeros(3), [0])),
                ("u: found the shape (2,), expected (..., 1)", lambda: m.step(np.zeros(4), [0, 0])),
                ("in front", lambda: m.step(np.zeros((2, 4)), np.zeros((3, 1)))),
                ("with a step at least", lambda: m.rollout(np.zeros(4), [0])),
                ("of the type complex128", lambda: m.step(1j * np.zeros(4), [0])),
                ("threads: found 2.5, expected an integer", lambda: dmoc.Map(SWING, threads=2.5)),
                ("threads: found 0, expected one", lambda: dmoc.Map(SWING, threads=0)),
                ("step: found 'a', expected a number", lambda: dmoc.Map(SWING, step="a")),
                ("step: found -1, expected a number", lambda: dmoc.Map(SWING, step=-1)),
                ("failed: found 'x'", lambda: dmoc.Map(SWING, failed="x")),
                ("of the type <U1", lambda: m.step(np.zeros(4), ["a"])),
                ("u: found the shape (), expected", lambda: m.step(np.zeros(4), 0)),
            ):
                with self.assertRaises(dmoc.BadInput) as told:
                    call()
                self.assertIn(words, str(told.exception))
        with self.assertRaises(dmoc.BadInput):
            m.step(np.zeros(4), [0])
        for path, words in (
            (problem("contact", "ball.yaml"), "contacts make no smooth map"),
            (problem("throw", "throw.yaml"), "phases"),
            ("/nowhere.yaml", "cannot be read"),
        ):
            with self.assertRaises(dmoc.BadInput) as told:
                dmoc.Map(path)
            self.assertIn(words, str(told.exception))


main()
