"""Draw frames of the cart-pole's motion: frames.py results/cart-pole-swing-up >docs/frames.svg

Every fourth knot of trajectory.csv is a frame, the later the darker; the line is the bob's path.
"""
import csv
import math
import sys

SCALE, TOP, LEFT, LENGTH = 330, 0.62, 0.55, 0.5  # pixels a metre; margins and the pole, m


def place(x, z):
    return f"{SCALE * (x + LEFT):.1f}", f"{SCALE * (TOP - z):.1f}"


def main(folder):
    with open(f"{folder}/trajectory.csv", encoding="utf-8") as file:
        knots = [(float(r["q.slider"]), float(r["q.pole"])) for r in csv.DictReader(file)]
    bobs = [(x - LENGTH * math.sin(a), -LENGTH * math.cos(a)) for x, a in knots]
    width, height = SCALE * (2 * LEFT + 1.1), SCALE * 2 * TOP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">')
    print(f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>')
    rail = place(0, 0)[1]
    print(f'<path d="M0 {rail}H{width:.0f}" stroke="#b0b0b0" stroke-width="2"/>')
    path = "L".join(" ".join(place(*bob)) for bob in bobs)
    print(f'<path d="M{path}" fill="none" stroke="#d08030" stroke-width="1.5"/>')
    for k in range(0, len(knots), 4):
        ink = f'opacity="{0.12 + 0.88 * (k / (len(knots) - 1)) ** 2:.2f}"'
        (x0, z0), (x1, z1) = place(knots[k][0], 0), place(*bobs[k])
        print(f'<g {ink} stroke="#205080" fill="#205080">'
              f'<rect x="{float(x0) - 22:.1f}" y="{float(z0) - 11:.1f}" width="44" height="22" rx="3"/>'
              f'<path d="M{x0} {z0}L{x1} {z1}" stroke-width="4"/>'
              f'<circle cx="{x1}" cy="{z1}" r="9"/></g>')
    print("</svg>")


if __name__ == "__main__":
    main(sys.argv[1])
