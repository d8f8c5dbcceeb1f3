"""A law that is far too soft is tuned for what it has to survive: a heavier pole, a damped rail.

    score 0.65, at first 0.25
    gain on fresh draws 0.40 +- 0.07
    R = 100 at first; as good up to R = 0.02
    the largest gain is 11 times what it was
"""
import os

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

soft = dmoc.Problem(
    os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"),
    feedback={
        "Q": {"q": 1, "p": 1},
        "R": 100,
        "tune": {"tries": 30, "seed": 3, "vary": ["feedback.Q", "feedback.R"]},
    },
    verify={
        "samples": 1,
        "tolerance": 0.3,
        "criteria": [
            {"vary": "mass", "of": "pole", "from": 1, "to": 1.5, "levels": 20},
            {"vary": "damping", "of": "slider", "to": 1, "levels": 20},
        ],
    },
)
tuned = dmoc.tune(soft)
print(f"score {tuned.score:.2f}, at first {tuned.before:.2f}")
print(f"gain on fresh draws {tuned.gain:.2f} +- {tuned.gain_error:.2f}")

# each try is a row of a table: of those that are as good the one whose R changes least
tries = tuned.tries
good = tries["score"] > tuned.score - 1e-9
R = tries["feedback.R"]
print(f"R = {R[0]:g} at first; as good up to R = {R[good].max():.1g}")

# the problem with these numbers is one as any other; dmoc.show(tuned) draws the search
largest = [abs(dmoc.gains(problem).K).max() for problem in (soft, tuned.problem)]
print(f"the largest gain is {largest[1] / largest[0]:.0f} times what it was")
