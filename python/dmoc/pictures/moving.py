"""A motion that moves, as SVG without a script: a path for each kind of stroke, whose shape goes through
frames in real time, and restarts after a rest.

A stroke is a straight line between two points that joints carry, or a dot at one. The picture has as few
frames as show them all, as places between two frames are on straight lines.
"""
import math
from html import escape

import numpy as np

from .facts import refuse
from .scene import Scene, View

LONGEST, MOST, SPARSE = 20, 60, 0.05  # s shown where no times are chosen; at most; between knots
WIDTH, HEIGHT, BESIDE, BELOW = 460, 300, 24, 26  # px: at most; around what is shown; for the clock
FINEST, ROOM, LETTERS = 0.25, 110000, 11  # px off a straight line; bytes, about; letters of a point
PAUSE, TAIL, SHORTEST = 1, 1, 3  # s of rest; s of a path that winds; px of a path that is drawn
SQUARES, HULL = 6, 32  # of the ground each way, about; points around an end of a cylinder
KINDS = ("rail", "kept", "spring", "rod", "box", "link", "cart", "mass", "axis")  # the furthest behind first
CART = 13  # half the length of a cart's dot, px

# light and dark: whatever is behind the picture, it has its own ground
STYLE = """<style>svg{--ground:#fff;--robot:#205080;--goal:#205080;--way:#d06010;--thing:#6b7785;--joint:#fff;fill:none;stroke-linecap:round;stroke-linejoin:round}
@media(prefers-color-scheme:dark){svg{--ground:#14181d;--robot:#8ab8e8;--goal:#8ab8e8;--way:#f09048;--thing:#8c98a6;--joint:#14181d}}
.link,.cart,.mass{stroke:var(--robot)}.link{stroke-width:6}.cart{stroke-width:20;stroke-linecap:butt}.mass{stroke-width:13}.axis{stroke:var(--joint);stroke-width:3.5}
.box{stroke:var(--robot);stroke-width:2}.rod{stroke:var(--robot);stroke-width:1.6}.spring{stroke:var(--way);stroke-width:2.5;stroke-dasharray:4 4;stroke-linecap:butt}
.kept{stroke:var(--thing);opacity:.35}.hull{fill:var(--thing);opacity:.5}.rail,.floor{stroke:var(--thing);stroke-width:2}.ground{stroke:var(--thing);opacity:.35}
.shadow{stroke:var(--thing);stroke-width:5;opacity:.3}.ghost{opacity:.22}.path,.way{stroke:var(--way);stroke-width:1.8}.path{opacity:.3}
.way{stroke-dasharray:0 2;stroke-linecap:butt}text{fill:var(--thing);font:11px sans-serif}</style>
"""  # noqa: E501


class Stroke:
    """A line or a dot: its two ends (joint, point), and how wide a shape is [m]."""

    def __init__(self, kind, a, b=None, width=0.0):
        self.kind, self.ends, self.dot, self.width = kind, (a, a if b is None else b), b is None, width


# -- what there is


def of_point(point):
    """Return a point of the facts as (joint, point)."""
    return point["joint"], np.array(point["at"])


def find_outline(scene):
    """Return the strokes of the robot."""
    facts, strokes = scene.facts, []
    own = {}  # of each joint the lines whose ends it carries alone
    for line in facts["lines"]:
        a, b = of_point(line["from"]), of_point(line["to"])
        if a[0] == b[0]:
            own.setdefault((a[0], line["kind"]), []).append((a[1], b[1]))
    longest = max(
        [np.linalg.norm(b - a) for (_, kind), each in own.items() if kind == "link" for a, b in each],
        default=0,
    )
    for line in facts["lines"]:
        a, b = of_point(line["from"]), of_point(line["to"])
        box = own.get((a[0], "box"), ()) if line["kind"] == "box" else ()
        # a cuboid longer than all links is no body's size, but a geared rotor's inertia
        if not (longest > 0 and any(np.linalg.norm(q - p) > longest for p, q in box)):
            strokes.append(Stroke(line["kind"], a, b))
    for mark in facts["marks"]:
        strokes += find_mark(scene, mark, own)
    return strokes


def find_mark(scene, mark, own):
    """Return the strokes of an axis, a cart with its rail, or another mass."""
    joint, at = of_point(mark)
    carrier, boxed = scene.carriers[joint], (joint, "box") in own
    if not mark["mass"] > 0:
        return [Stroke("axis", (joint, at))]
    if carrier["slides"] and not carrier["last"]:
        cart = [] if boxed else [Stroke("cart", (joint, at))]
        if carrier["parent"] >= 0:
            return cart
        x = scene.place(joint, at)
        along = x @ scene.poses[0, joint, 2]  # a joint slides along its own z
        rail = Stroke("rail", (-1, x[along.argmin()]), (-1, x[along.argmax()]))
        return [rail, *cart]
    # a mass on a link is at its end; one that nothing leads to is linked to the axis it turns about
    link = own.get((joint, "link"), [None])[0]
    if link is None and boxed:
        return []
    if link and np.linalg.norm(link[1] - at) > 0.02 * np.linalg.norm(link[0] - link[1]):
        return []
    lead = [Stroke("link", (joint, np.zeros(3)), (joint, at))] if not link and not carrier["slides"] else []
    return [*lead, Stroke("mass", (joint, at))]


def capsule(joint, a, b, radius):
    """Return a line as wide as a swept sphere."""
    dot = np.allclose(a, b, rtol=0, atol=0)
    return Stroke("kept", (joint, a), None if dot else (joint, b), 2 * radius)


def find_shape(shape, far, floors, hulls):
    """Return the strokes of a shape of keep_out; what stands goes to floors and hulls."""
    pose = np.array(shape["pose"]).reshape(4, 3)
    frame, at, joint, radius = pose[:3], pose[3], shape["joint"], shape["radius"]
    half = np.array([far if x is None else min(x, far) for x in shape["half"]])
    corners = [np.array([x, y, z]) * half @ frame + at for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    a, b = at - half[2] * frame[2], at + half[2] * frame[2]
    kind, stands = shape["kind"], joint < 0
    if kind == "half-space":
        if stands:
            add_floor(floors, at, frame[2])
        return []
    if kind == "sphere":
        return [capsule(joint, at, at, radius)]
    if kind == "capsule" or kind == "cylinder" and not stands:
        return [capsule(joint, a, b, radius)]
    if kind == "cylinder":
        turns = np.linspace(0, 2 * np.pi, HULL, endpoint=False)
        around = [radius * (np.cos(t) * frame[0] + np.sin(t) * frame[1]) for t in turns]
        hulls.append([end + off for off in around for end in (a, b)])
        return []
    if stands:
        hulls.append(corners)
        return []
    edges = [(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit]
    return [Stroke("box", (joint, corners[i]), (joint, corners[j])) for i, j in edges]


def add_floor(floors, at, normal):
    """Add a plane, once: feet share theirs."""
    for own_at, own in floors:
        if np.sum((own - normal) ** 2) < 1e-12 and abs(normal @ (own_at - at)) < 1e-6:
            return
    floors.append((at, normal))


def find_contact(scene, contact, strokes, floors, named):
    """Return the strokes of a contact: a ball above a floor, two balls, one in a cave; a foot is where
    its link and its path end."""
    (joint, at), (base, root) = (of_point(point) for point in contact["points"])
    length = contact["length"] or 0
    if contact["kind"] == "above":
        if base < 0:
            add_floor(floors, root, np.array(contact["axis"]))
        if length > 0:
            return [capsule(joint, at, at, length)]
        if joint >= 0 and scene.carriers[joint]["last"]:
            for stroke in strokes:
                if stroke.kind == "link" and stroke.ends[0][0] == joint == stroke.ends[1][0]:
                    stroke.ends = (stroke.ends[0], (joint, at))
            if not named:
                scene.points = [(j, at if j == joint else p, name) for j, p, name in scene.points]
        return []
    both = joint >= 0 and base >= 0 and contact["kind"] == "at-least"
    ends = ((joint, at), (base, root))
    return [capsule(j, p, p, length / 2 if both else length) for j, p in ends if both or j < 0]


class Part:
    """The motion of a folder in the picture: its strokes, and all its points at each time, in px."""

    def __init__(self, exhibit, request, begin):
        self.scene = Scene(exhibit, request)
        scene = self.scene
        self.t, self.begin = scene.t - scene.t[0], begin
        self.time = float(self.t[-1])
        reach = [end for line in scene.facts["lines"] for end in scene.line(line, 0)]
        far = 10 * max([1.0, *(float(np.linalg.norm(x)) for x in reach)])
        self.floors, self.hulls = [], []
        strokes = find_outline(scene)
        for shape in scene.facts["shapes"]:
            strokes += find_shape(shape, far, self.floors, self.hulls)
        for contact in scene.facts["contacts"]:
            strokes += find_contact(scene, contact, strokes, self.floors, request.points)
        self.strokes = sorted(strokes, key=lambda stroke: (KINDS.index(stroke.kind), stroke.width))
        self.ends = np.stack([scene.place(*end) for s in self.strokes for end in s.ends] or
                             [np.zeros((len(self.t), 3))], axis=1)  # fmt: skip
        self.frames = []

    def project(self, view):
        """Bring all points to the view: ends of strokes, their shadows, ends of chains."""
        ways = [self.scene.place(joint, at) for joint, at, _ in self.scene.points]
        parts = [view.project(self.ends)]
        if view.deep:
            parts.append(view.project(view.shadow(self.ends)))
        self.way = sum(part.shape[1] for part in parts)
        if ways:
            parts.append(view.project(np.stack(ways, axis=1)))
        self.at = np.concatenate(parts, axis=1)

    def choose_frames(self, off):
        """Choose as few times as leave all others that near to straight lines."""
        x, last, self.frames = self.at.reshape(len(self.t), -1), 0, [0]
        for k in range(2, len(self.t)):
            share = ((self.t[last + 1 : k] - self.t[last]) / (self.t[k] - self.t[last]))[:, None]
            if (abs(x[last + 1 : k] - x[last] - share * (x[k] - x[last])) > off).any():
                last = k - 1
                self.frames.append(last)
        self.frames.append(len(self.t) - 1)

    def measure_way(self, i):
        """Return how far point i has come along the frames by each of them, px."""
        x = self.at[self.frames, self.way + i]
        return np.append(0, np.cumsum(np.hypot(*np.diff(x, axis=0).T)))


# -- numbers and attributes


def number(x):
    """Return a number to a tenth, without zeros at its end."""
    text = f"{math.floor(10 * x + 0.5) / 10:.1f}"
    return "0" if text in ("0.0", "-0.0") else text[:-2] if text.endswith(".0") else text


def pixel(word, at):
    """Return a point of a path."""
    return f"{word}{number(at[0])} {number(at[1])}"


def polyline(points):
    """Return a path through points."""
    return "".join(pixel("L" if i else "M", x) for i, x in enumerate(points))


class Film:
    """The picture: parts one after another in one view."""

    def __init__(self, sheet):
        self.parts, self.time = [], 0.0
        for exhibit in sheet.all:
            self.parts.append(Part(exhibit, sheet.request, self.time))
            self.time += self.parts[-1].time
        self.rest = 0 if sheet.all[-1].periodic else PAUSE
        self.time += self.rest
        self.view = View([part.scene for part in self.parts], sheet.request)
        if self.view.deep:
            self.find_ground()
        for part in self.parts:
            part.project(self.view)
        self.fit()

    # -- its size

    def find_ground(self):
        """The lowest floor is the ground; squares of a round length on it, as many as hold all shadows."""
        view = self.view
        for part in self.parts:
            for at, normal in part.floors:
                if normal @ view.rise > 0.99:
                    view.ground = min(view.ground, at @ view.rise)
        x = np.array([0.0, 1, 0] if abs(view.rise[0]) > 0.5 else [1.0, 0, 0])
        self.axes = np.stack([x, np.cross(view.rise, x)])
        flat = np.concatenate([part.ends.reshape(-1, 3) for part in self.parts]) @ self.axes.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        wide = max(max(high - low), 1e-6) / (SQUARES - 2)
        power = 10.0 ** math.floor(math.log10(wide))
        self.step = power * max(each for each in (1, 2, 5) if wide / power >= each)
        self.squares = (np.floor(low / self.step), np.ceil(high / self.step))

    def ground_point(self, a, b):
        """Return a point on the ground in the view."""
        at = a * self.axes[0] + b * self.axes[1] + self.view.ground * self.view.rise
        return self.view.project(at)

    def fit(self):
        """The largest scale at which all is within the picture; points in px; the frames."""
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        for part in self.parts:
            room = np.zeros(part.at.shape[1])
            widths = np.repeat([stroke.width / 2 for stroke in part.strokes], 2)
            room[: len(widths)] = widths
            low = np.minimum(low, (part.at - room[:, None]).min(axis=(0, 1)))
            high = np.maximum(high, (part.at + room[:, None]).max(axis=(0, 1)))
        if self.view.deep:
            for a in (self.squares[0][0], self.squares[1][0]):
                for b in (self.squares[0][1], self.squares[1][1]):
                    at = self.ground_point(a * self.step, b * self.step)
                    low, high = np.minimum(low, at), np.maximum(high, at)
        span = np.maximum(high - low, 1e-9)
        self.scale = float(min((np.array([WIDTH, HEIGHT]) - 2 * BESIDE) / span))
        self.width, self.height = np.ceil(np.maximum(span * self.scale, [180, 60]) + 2 * BESIDE)
        more = np.array([self.width, self.height]) / self.scale - span
        self.low, self.high = low - more / 2, high + more / 2
        for part in self.parts:
            part.at = self.pixels(part.at)
        off, size = FINEST, math.inf
        while size > ROOM and off < 40:  # coarser where the picture would be too large
            for part in self.parts:
                part.choose_frames(off)
            size = sum(LETTERS * len(part.frames) * part.at.shape[1] for part in self.parts)
            off *= 1.5

    def pixels(self, at):
        """Return points of the view in px."""
        return np.stack([at[..., 0] - self.low[0], self.high[1] - at[..., 1]], axis=-1) * self.scale

    # -- what moves

    def animate(self, part, attribute, value):
        """Return an animation through the frames: a value of each."""
        shares = [(part.begin + part.t[k]) / self.time for k in part.frames]
        values = [value(k) for k in part.frames]
        if part.begin > 0:
            shares, values = [0, *shares], [values[0], *values]
        keys = ";".join(f"{share:.5g}" for share in [*shares, 1])
        return (
            f'<animate attributeName="{attribute}" dur="{self.time:g}s" repeatCount="indefinite" '
            f'keyTimes="{keys}" values="{";".join([*values, values[-1]])}"/>'
        )

    def strokes(self, part, which, k, first=0):
        """Return the path of strokes (their numbers) at a time; first: where their points begin."""
        text = []
        for i in which:
            a, b = part.at[k, first + 2 * i : first + 2 * i + 2]
            reach = CART if part.strokes[i].kind == "cart" else 0
            dot = part.strokes[i].dot
            text.append(pixel("M", a - [reach, 0]) + f"h{2 * reach}" if dot else pixel("M", a) + pixel("L", b))
        return "".join(text)

    def draw_strokes(self, part, which):
        """Return a path of strokes of one kind and width, and how it moves."""
        stroke = part.strokes[which[0]]
        wide = f' stroke-width="{stroke.width * self.scale:.1f}"' if stroke.width > 0 else ""
        x = part.at[:, 2 * which[0] : 2 * which[-1] + 2]
        still = not (abs(x - x[0]) > 0.05).any()
        move = "" if still else self.animate(part, "d", lambda k: self.strokes(part, which, k))
        return f'<path class="{stroke.kind}"{wide} d="{self.strokes(part, which, 0)}">{move}</path>\n'

    def draw_way(self, part, i):
        """Return the path of an end of a chain: faint, and drawn as far as the end has come."""
        along = part.measure_way(i)
        whole, t = along[-1], part.t[part.frames]
        if whole < SHORTEST:
            return ""
        winds = whole > 4 * (self.width + self.height)  # so often that its last second alone is to be seen

        def dashes(k):
            to = along[part.frames.index(k)] / whole
            back = np.searchsorted(t, part.t[k] - TAIL, side="right") - 1
            begin = along[max(back, 0)] / whole if winds else 0
            return "0 {:.4g} {:.4g} 2".format(*(math.floor(2000 * x + 0.5) / 2000 for x in (begin, to - begin)))

        d = polyline(part.at[part.frames, part.way + i])
        faint = "" if winds else f'<path class="path" d="{d}"></path>\n'
        move = self.animate(part, "stroke-dasharray", dashes)
        return f'{faint}<path class="way" pathLength="1" d="{d}">{move}</path>\n'

    def draw_part(self, part):
        """Return a motion: the paths of its ends, its shadow, its strokes by kinds."""
        text = [self.draw_way(part, i) for i in range(len(part.scene.points))]
        hidden = ' visibility="hidden"' if part.begin > 0 else ""
        text.append(f"<g{hidden}>{self.draw_turn(part)}")
        if self.view.deep:
            own = [i for i, s in enumerate(part.strokes) if not s.dot and s.kind != "kept"]
            first = part.ends.shape[1]
            move = self.animate(part, "d", lambda k: self.strokes(part, own, k, first))
            text.append(f'<path class="shadow" d="{self.strokes(part, own, 0, first)}">{move}</path>\n')
        groups = {}
        for i, stroke in enumerate(part.strokes):
            groups.setdefault((stroke.kind, stroke.width), []).append(i)
        text += [self.draw_strokes(part, which) for which in groups.values()]
        return "".join(text) + "</g>\n"

    def draw_turn(self, part):
        """Return the animation by which each of several parts is seen in its time alone."""
        if len(self.parts) == 1:
            return ""
        first, last = part is self.parts[0], part is self.parts[-1]
        keys = ["0"] + [f"{part.begin / self.time:.5g}"] * (not first)
        keys += [f"{(part.begin + part.time) / self.time:.5g}"] * (not last)
        values = ["hidden"] * (not first) + ["visible"] + ["hidden"] * (not last)
        return (
            f'<animate attributeName="visibility" calcMode="discrete" dur="{self.time:g}s" '
            f'repeatCount="indefinite" keyTimes="{";".join(keys)}" values="{";".join(values)}"/>\n'
        )

    # -- what stands

    def draw_floor(self, at, normal):
        """Return a floor that is seen from its side: its line across the picture."""
        n = self.view.project(normal)
        if self.view.deep or np.hypot(*n) < 0.9:
            return ""
        x, along = self.pixels(self.view.project(at)), (self.width + self.height) * n[::-1]
        return f'<path class="floor" d="{polyline([x - along, x + along])}"/>\n'

    def draw_hull(self, points):
        """Return the outline of points: Andrew's chains, one each way."""
        points = sorted(map(tuple, self.pixels(self.view.project(np.array(points)))))
        chain = []
        for order in (points, points[::-1]):
            side = []
            for x in order:
                while len(side) > 1 and turn(side[-2], side[-1], x) <= 0:
                    side.pop()
                side.append(x)
            chain += side[:-1]
        return f'<path class="hull" d="{polyline(chain)}z"/>\n'

    def draw_ground(self):
        """Return the squares of the ground."""
        (a, b), (c, d) = self.squares
        lines = [((x, b), (x, d)) for x in np.arange(a, c + 0.5)]
        lines += [((a, y), (c, y)) for y in np.arange(b, d + 0.5)]
        ends = (self.pixels(self.ground_point(*(np.array(end) * self.step))) for each in lines for end in each)
        path = "".join(pixel("L" if i % 2 else "M", x) for i, x in enumerate(ends))
        return f'<path class="ground" d="{path}"/>\n'

    def draw_ghost(self):
        """Return where the motion ends, where that is a goal."""
        part, text = self.parts[-1], ""
        of = part.scene.of
        if not of.goal or of.periodic or part.scene.t[-1] < of.end * (1 - 1e-12):
            return text
        for kind in ("box", "link"):
            which = [i for i, s in enumerate(part.strokes) if s.kind == kind and not s.dot]
            if which:
                text += f'<path class="ghost {kind}" d="{self.strokes(part, which, -1)}"/>\n'
        return text

    def draw_clock(self):
        """Return how much of the time has passed, on a ground of its own: what is endless goes on below."""
        length, y, done = self.width - 2 * BESIDE - 34, self.height + 6, self.time - self.rest
        begin = f"M{BESIDE} {y:g}h"
        values = ";".join(f"{begin}{x:g}" for x in (0, length, length))
        return (
            f'<rect y="{self.height - 6:g}" width="{self.width:g}" height="{BELOW + 6}" '
            'style="fill:var(--ground)"/>\n'
            f'<path class="rail" opacity=".35" d="{begin}{length:g}"/>\n'
            f'<path class="rail" d="{begin}{length:g}"><animate attributeName="d" dur="{self.time:g}s" '
            f'repeatCount="indefinite" keyTimes="0;{done / self.time:.5g};1" values="{values}"/></path>\n'
            f'<text x="{BESIDE + length + 8:g}" y="{y + 4:g}">{done:.3g} s</text>\n'
        )

    def draw(self):
        """Return the picture: what stands, then the goal, then what moves."""
        high = self.height + BELOW
        title = ", then ".join(
            escape("".join(c if c.isprintable() else "?" for c in part.scene.of.name))
            for part in self.parts
        )
        first = self.parts[0]
        return "".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{high:g}" '
                f'viewBox="0 0 {self.width:g} {high:g}" role="img">\n<title>{title}</title>\n{STYLE}'
                f'<rect width="{self.width:g}" height="{high:g}" style="fill:var(--ground)"/>\n',
                self.draw_ground() if self.view.deep else "",
                *(self.draw_floor(at, normal) for at, normal in first.floors),
                *(self.draw_hull(points) for points in first.hulls),
                self.draw_ghost(),
                *map(self.draw_part, self.parts),
                self.draw_clock(),
                "</svg>\n",
            ]
        )


def turn(a, b, c):
    """Return twice the area of a triangle, above 0 where it turns to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def check(sheet):
    """Refuse times that cannot be shown, and motions that are not known between their knots."""
    times = sheet.request.times
    if times and (len(times) != 2 or not 0 <= times[0] < times[1]):
        refuse("--times of --what moving takes two times, from and to, such as 0,2")
    if times and times[1] - times[0] > MOST:
        refuse(f"--times: a moving picture shows {MOST} s at most, got {times[1] - times[0]:g} s")
    for each in sheet.all:
        if each.h > SPARSE and each.step < each.h * (1 - 1e-9):
            refuse(
                f"{each.path} keeps a knot every {each.h:g} s alone: how it moves between them is not "
                "known; simulate again with a smaller simulate.every"
            )
        if times and times[0] >= each.end:
            refuse(f"--times: {each.path} goes from 0 to {each.end:g} s, got {times[0]:g}")
        if not times and each.end > LONGEST:
            sheet.notes.append(
                f"{each.path} moves for {each.end:g} s: its first {LONGEST} s are shown; --times "
                "FROM,TO shows others"
            )


def draw_moving(sheet):
    """The robot as it moves, in real time, several folders one after another; returns the SVG."""
    check(sheet)
    return Film(sheet).draw()
