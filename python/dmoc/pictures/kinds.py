"""The table of the kinds of pictures: a row per word of `dmoc plot --what`.

A row says which tables a result folder must have one of, and which function draws. A new kind is a
function that begins panels on the sheet and puts curves on them, a row here, and a row with its help
and its options in cli/pictures/plots.c.
"""
from . import compare, curves, moving, order, profiles, space

# word: (the tables of which there must be one, or none; the function that draws)
KINDS = {
    "trajectory": ((), curves.draw_trajectory),
    "inputs": ((), curves.draw_inputs),
    "outputs": ((), curves.draw_outputs),
    "gains": (("gains.csv",), curves.draw_gains),
    "loop": (("fan.csv",), curves.draw_loop),
    "error": (("response.csv",), curves.draw_error),
    "convergence": (("convergence.csv",), curves.draw_convergence),
    "descent": (("descent.csv",), curves.draw_descent),
    "compare": (("compare.csv",), profiles.draw_compare),
    "energy": ((), curves.draw_energy),
    "momenta": (("momenta.csv",), curves.draw_momenta),
    "contacts": (("contacts.csv", "schedule.csv"), curves.draw_contacts),
    "monitors": ((), curves.draw_monitors),
    "robustness": (("robustness.csv", "region.csv"), curves.draw_robustness),
    "difference": ((), compare.draw_difference),
    "columns": ((), compare.draw_columns),
    "phase": ((), curves.draw_phase),
    "path": ((), space.draw_path),
    "frames": ((), space.draw_frames),
    "moving": ((), moving.draw_moving),
    "order": ((), order.draw_order),
}
