#!/usr/bin/env python3
"""A solver in Python finds what the program finds, and continues where it ended."""
import copy
import gc
import math
import threading
import unittest

from support import main, problem

import numpy as np

import dmoc

SWING = problem("cart-pole", "swing-up.yaml")


class Solvers(unittest.TestCase):
    def test_its_first_solution_is_that_of_the_program(self):
        for path in (SWING, problem("six-axis-arm", "reach.yaml")):
            plan = dmoc.optimize(path)
            with dmoc.Solver(path) as s:
                found = s.solve()
            self.assertAlmostEqual(found.objective, plan.objective, delta=1e-8 * plan.objective)
            np.testing.assert_allclose(found.q, plan.trajectory.q, atol=1e-7)
            np.testing.assert_allclose(found.u, plan.u, atol=1e-6 * (1 + np.abs(plan.u).max()))
            np.testing.assert_allclose(np.hstack([found.q, found.p]), plan.x, atol=1e-6)
            np.testing.assert_allclose(found.t, plan.trajectory.t, atol=1e-12)

    def test_it_continues_from_its_solution(self):
        with dmoc.Solver(SWING) as s:
            first = s.solve()
            again = s.solve()
            self.assertEqual((again.iterations, again.warm, again.status), (0, True, 0))
            np.testing.assert_allclose(again.u, first.u, atol=1e-7)
            x0, goal = s.x0, s.goal
            x0[1] += 0.01
            goal[0] -= 0.01
            near = s.solve(x0=x0)
            self.assertTrue(near.warm and 0 < near.iterations <= 4)
            np.testing.assert_allclose(near.q[0], x0[:2], atol=1e-12)
            both = s.solve(goal=list(goal))
            self.assertTrue(both.warm and 0 < both.iterations <= 4)
            np.testing.assert_allclose(both.q[[0, -1]], [x0[:2], goal[:2]], atol=1e-12)
            np.testing.assert_array_equal(s.x0, x0)
            # solutions are arrays of their own
            np.testing.assert_allclose(first.q[0], [0, 0], atol=1e-12)

            # a solver that begins there finds the same
            changed = dmoc.Problem(
                SWING,
                start={"q": {"pole": 0.01}},
                goal={"q": {"slider": 0.99}},
            )
            with dmoc.Solver(changed) as other:
                self.assertAlmostEqual(other.solve().objective, both.objective, delta=1e-7)

    def test_free_entries_are_nan(self):
        free = dmoc.Problem(SWING, goal={"q": {"slider": dmoc.free}})
        with dmoc.Solver(free) as s:
            s.solve()
            self.assertTrue(math.isnan(s.goal[0]) and s.goal[1] == -math.pi)
            with self.assertRaisesRegex(dmoc.BadInput, "goal position of slider: found 1,.*free"):
                s.solve(goal=[1, -math.pi, 0, 0])
            with self.assertRaisesRegex(dmoc.BadInput, "start velocity of pole: found nan"):
                s.solve(x0=[0, 0, 0, math.nan])
            with self.assertRaisesRegex(dmoc.BadInput, r"x0: found the shape \(3,\)"):
                s.solve(x0=[0, 0, 0])
            with self.assertRaisesRegex(dmoc.BadInput, r"goal: found the shape \(1, 4\)"):
                s.solve(goal=np.zeros((1, 4)))
            self.assertEqual(s.solve().iterations, 0)
        with self.assertRaisesRegex(dmoc.BadInput, "closed"):
            s.solve()

    def test_iterations_are_watched_and_stopped(self):
        seen = []
        s = dmoc.Solver(SWING, watch=seen.append)
        found = s.solve()
        self.assertEqual([it.iteration for it in seen], list(range(found.iterations + 1)))
        self.assertAlmostEqual(seen[-1].objective, found.objective, delta=1e-6)

        s = dmoc.Solver(SWING, watch=lambda it: it.iteration < 3)
        with self.assertRaises(dmoc.NotSolved) as stopped:
            s.solve()
        self.assertEqual(stopped.exception.result.iterations, 3)

        def fail(_):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            dmoc.Solver(SWING, watch=fail).solve()

    def test_derivatives_are_those_of_solutions(self):
        def order(path, by, **keys):
            with dmoc.Solver(dmoc.Problem(path, solver={"tol": 1e-11}, **keys)) as s:
                s.solve()
                plan = s.solve()
                ends, d = (s.x0, s.goal), s.sensitivity()
                move = [np.sin(np.arange(2 * s.n) + k) for k in range(2)]
                left = []
                for step in (by, by / 4):
                    x0, goal = (end + step * m for end, m in zip(ends, move))
                    moved = s.solve(x0=x0, goal=goal)
                    for name in ("q", "u", "h", "objective"):
                        slope = sum(
                            getattr(of, name) @ np.nan_to_num(m) for of, m in zip(d[:2], move)
                        )
                        off = getattr(moved, name) - getattr(plan, name) - step * slope
                        left.append(np.abs(off).max())
                return np.log(np.maximum(left[:4], 1e-16) / np.maximum(left[4:], 1e-16)) / np.log(4)

        np.testing.assert_allclose(order(SWING, 4e-3)[[0, 1, 3]], 2, atol=0.1)
        # limits of torques and speeds are active; a free final time has a derivative as well
        np.testing.assert_allclose(
            order(problem("six-axis-arm", "reach.yaml"), 2e-4)[[0, 1, 3]], 2, atol=0.1
        )
        np.testing.assert_allclose(
            order(problem("cart-pole", "minimum-time.yaml"), 1e-3), 2, atol=0.1
        )

    def test_derivatives_by_parameters_are_those_of_solutions(self):
        # gravity, weights, masses, lengths, damping, the time, and limits that are active, of inputs and of rows
        arm = problem("two-link", "descend.yaml")
        for path, values, by in (
            (SWING, {"model.gravity.z": -9.81, "cost.input": 1, "inputs.0.effort": 20}, 2e-3),
            (
                SWING,
                {"inputs.0.effort": 14.5, "model.damping.pole": 0.1, "bounds.v.slider": 4.0},
                2e-4,
            ),
            (arm, {"model.bodies.lower.mass": 1.5, "model.bodies.lower.offset.xyz.z": -1}, 1e-3),
            (arm, {"horizon.time": 1.5, "model.bodies.upper.centre.z": -0.5}, 1e-3),
            (problem("cart-pole", "minimum-time.yaml"), {"inputs.0.effort": 20}, 1e-3),
        ):
            for name in values:
                with dmoc.Solver(dmoc.Problem(path, solver={"tol": 1e-11}), replace=values) as s:
                    s.solve()
                    plan = s.solve()
                    slope = s.sensitivity([name]).parameters[name]
                    left = []
                    for step in (by * abs(values[name]), by / 4 * abs(values[name])):
                        moved = s.solve(parameters={name: values[name] + step})
                        for of in ("q", "u", "objective"):
                            off = getattr(moved, of) - getattr(plan, of)
                            left.append(np.abs(off - step * getattr(slope, of)).max())
                    size = np.array([1, np.abs(plan.u).max(), plan.objective])
                for j in range(3):
                    if left[j] > 1e-8 * size[j]:
                        order = math.log(left[j] / left[j + 3]) / math.log(4)
                        self.assertAlmostEqual(order, 2, delta=0.2, msg=f"{name} {j} {left}")
                self.assertGreater(np.abs(slope.u).max() + abs(slope.objective), 0)

    def test_what_has_no_derivatives_is_refused(self):
        with dmoc.Solver(problem("acrobot", "second-order.yaml")) as s:
            with self.assertRaisesRegex(dmoc.BadInput, "no solution with multipliers"):
                s.sensitivity()
        with dmoc.Solver(SWING, replace={"model.damping.pole": 0}) as s:
            s.solve()
            for paths, words in (
                (["inputs.0.effort"], "inputs.0.effort: found None, expected a number that was"),
                (["model.damping.pole"], "found the step 0.0, expected {path: step}"),
                ({"model.damping.pole": 1e-3}, "damping"),
            ):
                with self.assertRaisesRegex(dmoc.BadInput, words):
                    s.sensitivity(paths)

    def test_each_thread_has_its_own(self):
        starts = [[0, 0.02 * k, 0, 0] for k in range(8)]

        def run(found):
            with dmoc.Solver(SWING) as s:
                found += [s.solve(x0=x0).u for x0 in starts]

        lists = [[] for _ in range(3)]
        run(lists[0])
        threads = [threading.Thread(target=run, args=(found,)) for found in lists[1:]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for found in lists[1:]:
            np.testing.assert_array_equal(found, lists[0])

    def test_a_solve_is_one_call_of_the_library(self):
        with dmoc.Solver(SWING) as s:
            s.solve()
            real, calls = s.library, []

            class Counted:
                def __getattr__(self, name):
                    calls.append(name)
                    return getattr(real, name)

            s.library = Counted()
            s.solve(x0=[0, 0.01, 0, 0])
            self.assertEqual(calls, ["pb_solver_solve"])

    def test_values_are_replaced_and_copies_open_again(self):
        with dmoc.Solver(SWING, replace={"horizon.steps": 40}) as s:
            self.assertEqual((s.N, s.n, s.nu, s.nc), (40, 2, 1, 0))
            self.assertEqual((s.coordinates, s.inputs), (("slider", "pole"), ("slider",)))
            twin = copy.copy(s)
            self.assertEqual(twin.solve().objective, s.solve().objective)
            del twin
            gc.collect()

    def test_parameters_are_those_of_the_file(self):
        changes = {"inputs.0.effort": 18, "model.gravity.z": -9.9, "cost.input": 2}
        with dmoc.Solver(SWING) as s:
            first = s.solve()
            moved = s.solve(parameters=changes)
            self.assertTrue(moved.warm and 0 < moved.iterations <= 6)
            with dmoc.Solver(SWING, replace=changes) as other:
                found = other.solve()
            self.assertAlmostEqual(moved.objective, found.objective, delta=1e-8 * found.objective)
            np.testing.assert_allclose(moved.u, found.u, atol=1e-5)
            self.assertLessEqual(np.abs(moved.u).max(), 18 + 1e-7)

            # they stay, with the ends, until others replace them
            self.assertEqual((s.solve().iterations, s.parameters), (0, changes))
            x0 = s.x0
            x0[1] = 0.01
            s.solve(x0=x0)
            back = s.solve(
                x0=np.zeros(4),
                parameters={
                    "inputs.0.effort": 20, "model.gravity.z": -9.81, "cost.input": 1,
                },  # fmt: skip
            )
            self.assertTrue(back.warm)
            np.testing.assert_allclose(back.u, first.u, atol=1e-5)

            # a refused call changes nothing
            for wrong, words in (
                ({"start.q.pole": 1}, "another start or goal"),
                ({"horizon.steps": 40}, "other sizes"),
                ({"inputs.0.effort": -1}, "effort"),
                ({"bounds.v": 20}, "other rows|other sizes"),
            ):
                with self.assertRaisesRegex(dmoc.BadInput, words):
                    s.solve(parameters=wrong)
            self.assertEqual(s.solve().iterations, 0)

        # a problem without a file
        with dmoc.Solver(dmoc.Problem(SWING, horizon={"steps": 50})) as s:
            s.solve()
            self.assertTrue(s.solve(parameters={"inputs.0.effort": 19}).warm)

    def test_problems_that_it_cannot_have_are_refused(self):
        for path, words in (
            (problem("six-axis-arm", "eight.yaml"), "'starts', expected none"),
            (dmoc.Problem(SWING, horizon=None, start=None, goal=None, bounds=None, cost=None,
                          feedback=None, verify=None, simulate={"steps": 3, "step": 0.1}),
             "no task, expected 'horizon'"),
        ):  # fmt: skip
            with self.assertRaisesRegex(dmoc.BadInput, words):
                dmoc.Solver(path)

    def test_a_task_without_solution_says_so(self):
        with dmoc.Solver(SWING, replace={"inputs.0.effort": 0.1, "solver.max_iter": 30}) as s:
            with self.assertRaises(dmoc.NotSolved) as why:
                s.solve()
            self.assertGreater(why.exception.result.violation, 1e-3)
            self.assertRegex(str(why.exception), "iterations, with a violation of")


main()
