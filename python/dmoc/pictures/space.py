"""Kinds of pictures in space: paths of points, and the robot at several times."""
import numpy as np

from .facts import numbers, refuse
from .scene import AXES, Scene, choose_plane
from .sheet import COLOURS

FRAMES, LONG = 9, 600  # frames where no times are chosen; knots of a path that winds, and is thin
LIGHT, DARK = np.array([178, 205, 228]), np.array([3, 38, 84])
LINES = {"link": 3.2, "box": 1.5, "rod": 1.5, "spring": 1.5}


def open_scenes(sheet):
    """Return the scenes of all folders, and the plane that shows them."""
    scenes = [Scene(exhibit, sheet.request) for exhibit in sheet.all]
    plane = choose_plane(scenes, sheet.request)
    sheet.across = f"{AXES[plane[0]]} [m]"
    return scenes, plane


def begin(sheet, label, plane):
    """Begin a panel with one unit of length on both axes."""
    panel = sheet.panel(f"{AXES[plane[1]]} [m]{label}")
    panel.equal = True
    return panel


# -- paths


def draw_path(sheet):
    """The paths of points of bodies in a plane of the world, and the path that the problem gives."""
    scenes, plane = open_scenes(sheet)
    for scene in scenes:
        if not scene.points:
            refuse(f"{scene.of.path} has no mass that its joints carry: --points names a body of it")
    panels = [begin(sheet, "", plane) for _ in (scenes if sheet.request.each else scenes[:1])]
    for i, scene in enumerate(scenes):
        panel = panels[i if sheet.request.each else 0]
        for k, (joint, at, body) in enumerate(scene.points):
            x = scene.place(joint, at)[:, plane]
            name = body
            if len(scenes) > 1:
                name = scene.of.name if len(scene.points) == 1 else f"{scene.of.name}: {body}"
            colour, dash = (i, k) if len(scenes) > 1 else (k, 0)
            width = 1 if len(x) > LONG else 1.6
            panel.curve(x[:, 0], x[:, 1], name, colour, dash=dash, width=width)
        draw_given(panel, scene, plane)
    sheet.across = "time [s]"


def draw_given(panel, scene, plane):
    """The paths that outputs are to follow, of those that are positions in the world."""
    rows = {each["column"]: each for each in scene.of.follow if each["shift"] is not None}
    for name in dict.fromkeys(column.rpartition(".")[0] for column in rows):
        axes = [rows.get(f"{name}.{AXES[axis]}") for axis in plane]
        if None not in axes:
            x, y = (numbers(each["curve"]) + each["shift"] for each in axes)
            panel.curve(x, y, "path", rgb="#000000", dash=1, width=1, line=True)


# -- frames


def draw_frames(sheet):
    """The robot at several times, with the paths of its ends; the later the darker."""
    scenes, plane = open_scenes(sheet)
    times = sheet.request.times
    for scene in scenes:
        end = scene.of.end
        for t in times:
            if not 0 <= t <= end * (1 + 1e-9):
                refuse(f"--times: {scene.of.path} goes from 0 to {end:g} s, got {t:g}")
    for scene in scenes:
        panel = begin(sheet, f", {scene.of.name}" if len(scenes) > 1 else "", plane)
        wanted = np.array(times or np.linspace(0, scene.of.end, FRAMES))
        shown = [int(abs(scene.t - t).argmin()) for t in wanted]
        span = slice(min(shown), max(shown) + 1)
        for i, (joint, at, _) in enumerate(scene.points):
            x = scene.place(joint, at, span)[:, plane]
            panel.curve(x[:, 0], x[:, 1], None, 1 + i % (len(COLOURS) - 1), width=0.9, line=True)
        for i, k in enumerate(shown):
            share = i / (len(shown) - 1) if len(shown) > 1 else 1
            rgb = "#%02X%02X%02X" % tuple(np.rint(LIGHT + share * (DARK - LIGHT)).astype(int))
            draw_outline(panel, scene, k, plane, rgb)
            panel.legend.append((f"{scene.t[k]:.3g} s", 0, {"rgb": rgb, "width": 3, "line": True}))
    sheet.across = "time [s]"


def draw_outline(panel, scene, k, plane, rgb):
    """The links, cuboids, rods and springs of a robot, and its axes, masses and carts, at one time."""
    for kind, width in LINES.items():
        pieces = [scene.line(line, k) for line in scene.facts["lines"] if line["kind"] == kind]
        if pieces:
            gap = np.full(3, np.nan)
            x = np.array([point for a, b in pieces for point in (a, b, gap)])[:, plane]
            panel.curve(x[:, 0], x[:, 1], None, rgb=rgb, width=width, line=True, dash=2 * (kind == "spring"))
    for kind, (width, marker) in {"axis": (2.5, "o"), "mass": (5.5, "o"), "cart": (9, "s")}.items():
        marks = [mark for mark in scene.facts["marks"] if mark_kind(scene, mark) == kind]
        if marks:
            x = np.array([scene.place(mark["joint"], mark["at"], k) for mark in marks])[:, plane]
            panel.curve(x[:, 0], x[:, 1], None, rgb=rgb, dots=True, width=width, marker=marker)


def mark_kind(scene, mark):
    """Return what a mark is: a mass that slides along something and carries more is a cart."""
    carrier = scene.carriers[mark["joint"]]
    if not mark["mass"] > 0:
        return "axis"
    return "cart" if carrier["slides"] and not carrier["last"] else "mass"
