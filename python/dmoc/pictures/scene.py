"""The robot in space: its points at the times of the facts, and the view of them."""
import numpy as np

from .facts import floats, near, refuse

AXES = "xyz"
LOOKS = 200  # times at which a scene is measured, about
STILL, NARROW = 1e-3, 0.2  # of what is wide and does not move; of what does not fill space


class Scene:
    """A robot at the times of its facts: `place` brings a point that a joint carries to the world."""

    def __init__(self, exhibit, request):
        self.of, self.facts = exhibit, exhibit.scene
        self.t = np.array(self.facts["t"])
        # columns x, y, z and the origin of each joint's frame [times x joints x 4 x 3]
        self.poses = floats(self.facts["poses"]).reshape(len(self.t), -1, 4, 3)
        self.carriers = self.facts["carriers"]
        self.points = self.named(request) if request.points else self.ends()

    def place(self, joint, at, k=slice(None)):
        """Return where a point of a joint's frame (-1: the world's) is, [times x 3]."""
        at = np.asarray(at, float)
        if joint < 0:
            return np.broadcast_to(at, (len(self.t[k]), 3)) if isinstance(k, slice) else at
        frame = self.poses[k, joint]
        return at[0] * frame[..., 0, :] + at[1] * frame[..., 1, :] + at[2] * frame[..., 2, :] + frame[..., 3, :]

    def line(self, line, k=slice(None)):
        """Return the two ends of a line of the outline."""
        return [self.place(line[end]["joint"], line[end]["at"], k) for end in ("from", "to")]

    def ends(self):
        """Return where chains end: (joint, point, name of the first body there)."""
        names = {}
        for body in self.facts["bodies"]:
            names.setdefault(body["joint"], body["name"])
        return [
            (j, each["tip"], names.get(j, "")) for j, each in enumerate(self.carriers) if each["last"]
        ]

    def named(self, request):
        """Return the points that --points names: origins of bodies, or BODY:X:Y:Z in their frames."""
        bodies = {body["name"]: body for body in self.facts["bodies"]}
        found = []
        for word in request.points:
            name, at = word, [0.0, 0.0, 0.0]
            if name not in bodies:
                name, *rest = word.rsplit(":", 3)
                try:
                    at = [float(x) for x in rest]
                except ValueError:
                    at = []
            if name not in bodies or len(at) != 3 or not np.isfinite(at).all():
                refuse(
                    f"--points takes bodies, or BODY:X:Y:Z, got '{word}', which {self.of.path} has "
                    f"not{near(word, list(bodies))}"
                )
            pose = np.array(bodies[name]["pose"]).reshape(4, 3)
            found.append((bodies[name]["joint"], at @ pose[:3] + pose[3], word))
        return found

    def all_points(self, boxes):
        """Return all that is shown [points x looks x 3]: points, and ends of lines; and which of them
        count by how far they go: not the corners of a body's cuboid, unless `boxes`."""
        k = slice(None, None, len(self.t) // LOOKS + 1)
        lines = [line for line in self.facts["lines"] if boxes or line["kind"] != "box"]
        tracks = [self.place(joint, at, k) for joint, at, _ in self.points]
        ends = [end for line in lines for end in self.line(line, k)]
        return tracks + ends, len(tracks) + (len(ends) if boxes else 0)

    def vertical(self):
        """Return the axis along which gravity pulls the most; -1: there is none."""
        pull = np.abs(self.facts["gravity"])
        return int(pull.argmax()) if pull.max() > 0 else -1


def measure(scenes, boxes):
    """Return of all that scenes show the low and high corners, and how far it goes along each axis."""
    low, high, way = np.full(3, np.inf), np.full(3, -np.inf), np.zeros(3)
    for scene in scenes:
        tracks, moving = scene.all_points(boxes)
        for i, x in enumerate(tracks):
            low, high = np.minimum(low, x.min(axis=0)), np.maximum(high, x.max(axis=0))
            if i < moving:
                way = np.maximum(way, abs(x - x[0]).max(axis=0))
    return low, high, way


def choose_plane(scenes, request):
    """Return the axes of the world to the right and up: those of --plane; else the two along which points
    move the most, that of gravity among them where something happens along it."""
    if request.plane:
        return [int(axis) for axis in request.plane]
    low, high, way = measure(scenes, False)
    if not way.max() > 1e-6:
        low, high, way = measure(scenes, True)
    span = way + STILL * (high - low)
    upright, narrow = scenes[0].vertical(), 1
    for i in range(3):  # all but the narrowest, of equals y
        kept = i == upright and span[i] > 0.25 * way.max()
        if not kept and span[i] < 0.999 * span[narrow]:
            narrow = i
        if i == 1 and kept and narrow == 1:
            narrow = 0
    return [axis for axis in range(3) if axis != narrow]


class View:
    """A view of the world from far away, by two unit vectors; deep: it looks down on the ground from one
    side, `rise` points up and `ground` is how high the lowest of all that moves is."""

    def __init__(self, scenes, request):
        plane = choose_plane(scenes, request)
        self.right, self.up = np.eye(3)[plane]
        low, high, _ = measure(scenes, False)
        if not (high - low).max() > 1e-6:
            low, high, _ = measure(scenes, True)
        least, middle, _ = np.sort(high - low)
        self.deep = not request.plane and least > NARROW * middle
        if self.deep:
            self.look_down(scenes)

    def look_down(self, scenes):
        """From between the two other axes, the wider of which goes across, and from above."""
        low, high, _ = measure(scenes, True)
        vertical = scenes[0].vertical()
        up = 2 if vertical < 0 else vertical
        falls = vertical >= 0 and scenes[0].facts["gravity"][up] > 0
        self.rise = np.eye(3)[up] * (-1 if falls else 1)
        self.ground = -high[up] if falls else low[up]
        a, b = (up + 1) % 3, (up + 2) % 3
        turn, tilt = np.pi / 3, np.pi / 8
        angle = -turn if high[a] - low[a] >= high[b] - low[b] else np.pi / 2 - turn
        x = np.eye(3)[a]
        y = np.cross(self.rise, x)
        away = -np.cos(angle) * x - np.sin(angle) * y
        self.right = -np.sin(angle) * x + np.cos(angle) * y
        self.up = np.sin(tilt) * away + np.cos(tilt) * self.rise

    def project(self, x):
        """Return points of the world in the view, [.. x 2]."""
        return np.stack([x @ self.right, x @ self.up], axis=-1)

    def shadow(self, x):
        """Return the points of the ground below points."""
        return x - ((x @ self.rise) - self.ground)[..., None] * self.rise
