"""An independent reader of robot files, for tasks on the robots of worked problems.

    read(path)    the Tree, and the file's text without limits, with its joints renamed to j0, j1,
                  ..
                  and their links to b0, b1, .. as in draw.py; None for a file with joints that
                  neither rotate nor slide, or that copy others
"""
import xml.etree.ElementTree as xml

import numpy as np

from mechanics import Joint, Tree, rotation_rpy


def numbers(element, key, default):
    text = element.get(key) if element is not None else None
    return np.array([float(x) for x in text.split()]) if text else np.array(default, float)


def inertial(link):
    """Return mass, center [3] and inertia about it [3 x 3] in the link's axes."""
    part = link.find("inertial")
    if part is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    origin, I = part.find("origin"), part.find("inertia")
    entry = lambda key: float(I.get(key, 0)) if I is not None else 0.0
    local = np.array([[entry("i" + "".join(sorted(a + b))) for b in "xyz"] for a in "xyz"])
    R = rotation_rpy(numbers(origin, "rpy", [0, 0, 0]))
    return float(part.find("mass").get("value")), numbers(origin, "xyz", [0, 0, 0]), R @ local @ R.T


def read(path):
    root = xml.parse(path).getroot()
    joints, links = root.findall("joint"), {link.get("name"): link for link in root.findall("link")}
    if any(j.get("type") not in ("revolute", "continuous", "prismatic") or j.find("mimic") is not None for j in joints):
        return None
    carried = {j.find("child").get("link"): j for j in joints}
    place = {}

    # parents first
    def put(link):
        if link in carried and link not in place:
            put(carried[link].find("parent").get("link"))
            place[link] = len(place)

    for link in carried:
        put(link)
    tree, name = [], {link: f"b{i}" for link, i in place.items()}
    for link, i in place.items():
        j = carried[link]
        axis, origin, loss = numbers(j.find("axis"), "xyz", [1, 0, 0]), j.find("origin"), j.find("dynamics")
        mass, centre, inertia = inertial(links[link])
        tree.append(Joint(
            parent=place.get(j.find("parent").get("link"), -1), xyz=numbers(origin, "xyz", [0, 0, 0]),
            rpy=numbers(origin, "rpy", [0, 0, 0]), axis=axis / np.linalg.norm(axis), slides=j.get("type") == "prismatic",
            mass=mass, centre=centre, inertia=inertia, damping=float(loss.get("damping", 0)) if loss is not None else 0.0))

    # the same with our names
    for link, i in place.items():
        carried[link].set("name", f"j{i}")
    for link, element in links.items():
        element.set("name", name.get(link, link))
    for j in joints:
        for end in (j.find("parent"), j.find("child")):
            end.set("link", name.get(end.get("link"), end.get("link")))
    return Tree(tree), xml.tostring(root, encoding="unicode")
