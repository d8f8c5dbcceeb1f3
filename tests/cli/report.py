#!/usr/bin/env python3
"""The pages of reports in a browser: they open from a file, without a request and without an error;
what can be clicked does what it says; what is missing is said.

report.py DMOC SOURCE some|every (of the kinds of study; most pages are then looked at without WebGL, whose first picture
takes ten seconds of processor time); with PICTURES=DIR it leaves its pictures there.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from browser import Browser

DMOC, SOURCE = os.path.abspath(sys.argv[1]), sys.argv[2]
SOME = {"a map", "contacts", "a table", "JSON"}  # of the kinds of study
failures = []


def expect(holds, words):
    if not holds:
        failures.append(words)
        print("failed:", words)


def dmoc(*words, status=0):
    done = subprocess.run([DMOC, *words], capture_output=True, text=True)
    expect(status is None or done.returncode == status, f"dmoc {' '.join(words)} ends with {done.returncode}, not {status}: {done.stderr}")
    return done.stdout + done.stderr


def open_clean(browser, path, what):
    """A page that opens without a request and without an error; the text that it shows."""
    text, faults = browser.open_clean(path)
    expect(not faults, f"{what}: {faults}")
    return text


def click_through(browser, path):
    """Play, scrub, legends, zoom, light and dark."""
    text = open_clean(browser, path, "one folder")
    for words in ("solved", "of 200", "Motion", "Feedback", "Record"):
        expect(words in text, f"one folder: the page does not say '{words}'")

    # play moves time and the robot on; slowly, as a busy machine may draw one frame in seconds
    pixels = "return document.querySelector('.stage canvas').toDataURL().length + document.querySelector('.stage canvas').toDataURL().slice(-400)"
    before = browser.run(pixels)
    browser.run("window.dmocClock.speed = 0.2")
    browser.click("#play")
    for _ in range(600):
        time.sleep(0.1)
        if browser.run("return window.dmocClock.t") > 0.1:
            break
    browser.click("#play")
    now = browser.run("return window.dmocClock.t")
    expect(0.05 < now < 2, f"playing leads to {now} s")
    expect(browser.run(pixels) != before, "the robot does not move")
    expect(not browser.run("return window.dmocClock.playing"), "a pause goes on")
    still = browser.run("return window.dmocClock.t")
    expect(still == browser.run("return window.dmocClock.t"), "time goes on in a pause")
    browser.run("window.dmocClock.speed = 1")

    # scrub, speed, space
    browser.run("const s = document.getElementById('scrub'); s.value = 500; s.dispatchEvent(new Event('input'))")
    expect(abs(browser.run("return window.dmocClock.t") - 1) < 1e-9, "the middle of the bar is not the middle of the motion")
    browser.run("const s = document.getElementById('speed'); s.value = '0.25'; s.dispatchEvent(new Event('change'))")
    expect(browser.run("return window.dmocClock.speed") == 0.25, "the speed is not taken")
    expect("1.000 of 2 s" in browser.run("return document.getElementById('time').textContent"), "the time is not shown")

    # a legend's name toggles its curve
    browser.click(".chart .legend button")
    expect(browser.run("return charts[0].off.size") == 1, "a curve is not switched off")
    browser.click(".chart .legend button")
    expect(browser.run("return charts[0].off.size") == 0, "a curve is not switched on again")

    # a drag zooms, two clicks show all, a click moves the clock
    browser.drag(".chart canvas", 0.4, 0.7)
    zoom = browser.run("return charts[0].zoom")
    expect(zoom and 0.3 < zoom[0] < zoom[1] < 1.6, f"a drag zooms to {zoom}")
    browser.run("document.querySelector('.chart canvas').dispatchEvent(new MouseEvent('dblclick'))")
    expect(browser.run("return charts[0].zoom") is None, "two clicks do not show all")
    browser.drag(".chart canvas", 0.5, 0.5)
    expect(0.5 < browser.run("return window.dmocClock.t") < 1.5, "a click does not move the clock")

    # forces and inertias
    browser.run("window.dmocClock.set(0.3)")
    seen = "return window.dmocStage.robots[0].forces.list.filter(f => f.shape.visible).length"
    expect(browser.run(seen) == 1, "the input is no arrow")
    browser.click("[data-toggle='inputs']")
    expect(browser.run(seen) == 0, "the input's arrow is not switched off")
    browser.click("[data-toggle='inertia']")
    expect(browser.run("return window.dmocStage.robots[0].body.ellipsoids.every(m => m.visible)"), "inertias are not shown")
    expect("longest arrow" in browser.run("return document.getElementById('scales').textContent"), "arrows have no scale")

    # a map: the value under the pointer, a click moves the clock
    seen = browser.run("const h = charts.find(c => c.rows); h.canvas.id = 'map'; return h.rows.length")
    expect(seen > 3, f"violations have {seen} rows")
    browser.drag("#map", 0.8, 0.8)
    expect(browser.run("return window.dmocClock.t") > 0.8, "a click on a map does not move the clock")
    expect("t" in browser.run("return charts.find(c => c.rows).values.textContent"), "a map does not say its value")

    # ghosts, light and dark
    ghosts = browser.run("return window.dmocStage.robots[0].ghosts.length")
    browser.click("[data-toggle='closed loops']")
    expect(browser.run("return window.dmocStage.robots[0].ghosts.length") > ghosts, "closed loops are not shown")
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(colour)
    browser.click("#shade")
    expect(browser.run(colour) != light, "light and dark look alike")


def look_at_phases(browser):
    """The page of throw.yaml: its title, where phases begin, zeros, charts alone in a row."""
    expect(browser.run("return document.title") == "throw-throw", "the title is not the problem's name")
    expect(browser.run("return window.dmocClock.marks.map(m => [m.name, m.t.toFixed(3)])") == [["swing", "0.000"], ["flight", "0.600"]],
           "the phases are not marked")
    unmarked = browser.run("const own = CanvasRenderingContext2D.prototype, write = own.fillText, words = [];"
                           "own.fillText = function(text, ...at) { words.push(text); write.call(this, text, ...at); };"
                           "const list = charts.filter(c => c.curves && c.options.clock), out = [];"
                           "for (const c of list) { c.seen = true; words.length = 0; c.draw();"
                           "  if (!words.includes('flight')) out.push(c.canvas.ariaLabel); }"
                           "own.fillText = write; return list.length ? out : ['all'];")
    expect(not unmarked, f"curves without phases: {unmarked}")
    told = browser.run("window.dmocClock.set(0); return charts.filter(c => c.options.clock).map(c => c.values.textContent)")
    expect(not any("e-1" in text for text in told), f"rounding is not said as 0: {told}")
    alone = browser.run("return [...document.querySelectorAll('.charts')].filter(g => g.children.length % 2)"
                        ".map(g => g.lastChild.offsetWidth / g.offsetWidth)")
    expect(alone and min(alone) > 0.99, f"charts alone in a row are {alone} of its width")


def look_at_limits(browser, at):
    """Limits of outputs and clearances, over the knots at which they hold; a goal is a dot."""
    for problem, limits in (("cart-pole/under-bar", (("output", [0.255, 0.645], -0.47), ("output", [1.5], 1.5))),
                            ("six-axis-arm/level", (("clearance", [0, 1.5], 0), ("output", [1.5], 0.45)))):
        folder, page = os.path.join(at, "limits", problem), os.path.join(at, "limits.html")
        dmoc("optimize", os.path.join(SOURCE, "problems", problem + ".yaml"), "-o", folder)
        dmoc("report", folder, "-o", page)
        open_clean(browser, page, problem)
        drawn = browser.run("return charts.flatMap(c => (c.options.limits || []).map(l => [c.canvas.ariaLabel, l.x, l.value]))")
        for label, span, value in limits:
            near = [x for name, x, v in drawn if name == label and x and all(abs(y - value) < 1e-12 for y in v)]
            expect(any(len(x) == len(span) and all(abs(a - b) < 1e-9 for a, b in zip(x, span)) for x in near),
                   f"{problem}: {label} has no limit {value} at {span} s: {drawn}")


def print_page(browser, path):
    """On paper a page is light, whatever it was, and has all its charts."""
    open_clean(browser, path, "a page to print")
    browser.run("shade(true)")
    paper = base64.b64decode(browser.call("POST", browser.session + "/print", {"background": True}))
    expect(paper[:4] == b"%PDF" and len(paper) > 20000, f"the page prints as {len(paper)} bytes")
    drawn = browser.run("return charts.every(c => c.sheet.width > 0 && c.sheet.getContext('2d').getImageData(0, 0, c.sheet.width, c.sheet.height).data.some(v => v > 0))")
    expect(drawn, "a chart is not drawn on paper")
    if "PICTURES" in os.environ:
        with open(os.path.join(os.environ["PICTURES"], "report.pdf"), "wb") as f:
            f.write(paper)


def write_soft_law(at):
    """A law that is tuned, in a problem file: soft.yaml."""
    shutil.copy(os.path.join(SOURCE, "problems", "cart-pole", "cart-pole.urdf"), at)
    with open(os.path.join(at, "soft.yaml"), "w", encoding="utf-8") as f:
        f.write("""model: {urdf: cart-pole.urdf}
inputs: [{joint: slider, effort: 20}]
horizon: {steps: 100, time: 2}
start: {q: 0, v: 0}
goal: {q: {slider: 1, pole: -pi}, v: 0}
cost: {input: 1}
feedback: {Q: {q: 1, p: 1}, R: 100, tune: {tries: 12, seed: 3, vary: [feedback.Q.q, feedback.R]}}
verify: {samples: 1, tolerance: 0.3, criteria: [{vary: mass, of: pole, from: 1, to: 1.5, levels: 10}]}
""")


def write_spring(at):
    """A spring that is sought, in a problem file: spring.yaml."""
    with open(os.path.join(at, "spring.yaml"), "w", encoding="utf-8") as f:
        block = {"name": "block", "joints": [{"name": "x", "slide": [1, 0, 0], "effort": 100}], "mass": 2}
        json.dump({"model": {"bodies": [block], "springs": [{"name": "s", "joint": "x", "stiffness": 3}]},
                   "design": [{"name": "stiffness", "at": "model.springs.0.stiffness", "within": [0, 5]}],
                   "horizon": {"steps": 20, "time": 1.5}, "start": {"q": -1, "v": 0}, "goal": {"q": 1, "v": 0},
                   "cost": {"input": 1}}, f)


def write_figures(at):
    """What no command has made: figures before and after, exams, an answer, and a table that only bears the name of one."""
    for name, text in (("before.txt", "riccati_us 3.5 us\nsolve_ms 12 ms\n"), ("after.txt", "riccati_us 7 us\nsolve_ms 12 ms\n"),
                       ("exams.txt", "exam          number     verdict\ncart-pole     58.8       pass\n"),
                       ("answer.json", json.dumps({"status": "solved", "cases": [{"name": "first", "score": 1.5}]})),
                       ("odd-tries.csv", "a,b\n1,2\n2,3\n")):
        with open(os.path.join(at, name), "w", encoding="utf-8") as f:
            f.write(text)


def look_at_studies(browser, at):
    """Each kind of study has its page: what it says, how many charts and maps it has, and no error."""
    problems = os.path.join(SOURCE, "problems")
    swing_up = f"{problems}/cart-pole/swing-up.yaml"
    write_soft_law(at)
    write_spring(at)
    write_figures(at)
    looked = set()
    # the command that makes it, the page's words, the least number of charts and maps, what the page is made of
    for name, command, words, kinds, inputs in (
            ("tuning", "tune {at}/soft.yaml", ("Search of numbers", "after 12 tries, at first", "score over feedback.R", "times"),
             (3, 0), ["soft-tuned-tries.csv"]),
            ("design", "optimize {at}/spring.yaml -o {at}/spring",
             ("Numbers that the file leaves open", "stiffness", "high", "worth of a unit more"), (1, 0), ["spring"]),
            ("a map", f"sweep {swing_up} --vary horizon.time=1.5,2 --vary cost.input=1,2 -o {{at}}/grid",
             ("4 of 4 cases solved over", "the best", "objective"), (0, 4), ["grid"]),
            ("steps", f"sweep {swing_up} --vary horizon.steps=20,40,80 --vary horizon.refine=0 -o {{at}}/steps",
             ("falls as h^", "All cases"), (5, 0), ["steps"]),
            ("guesses", f"sweep {swing_up} --starts 6 -o {{at}}/guesses", ("distinct optima",), (2, 0), ["guesses"]),
            ("descent", f"descend {problems}/two-link/descend.yaml --method all -o {{at}}/descent",
             ("Descent, by method", "newton", "over time"), (6, 0), ["descent"]),
            ("optima", f"optimize {swing_up} --starts 8 -o {{at}}/optima", ("Optima that were found", "one more run"), (1, 1), ["optima"]),
            ("robustness", f"run {problems}/cart-pole/robustness.yaml -o {{at}}/robust",
             ("share that succeeds", "region of attraction"), (7, 1), ["robust"]),
            ("contacts", f"simulate {problems}/contact/walker.yaml -o {{at}}/walk", ("contacts", "Mechanics"), (3, 1), ["walk"]),
            ("figures", None, ("riccati_us", "second over first", "2"), (0, 0), ["before.txt", "after.txt"]),
            ("a table", "report {at}/odd-tries.csv", ("A table of 2 rows.",), (1, 0), ["odd-tries.csv"]),
            ("exams", None, ("cart-pole", "1 of 1 passed"), (0, 0), ["exams.txt"]),
            ("JSON", None, ("solved", "cases", "score"), (0, 0), ["answer.json"]),
            ("phases and a folder", None, ("thrown", "two", "swing: "), (3, 1), ["thrown", "two"])):
        if sys.argv[3] == "some" and name not in SOME:
            continue
        looked.add(name)
        if command:
            dmoc(*command.format(at=at).split(), status=None if name in ("descent", "optima") else 0)
        page = os.path.join(at, "study.html")
        dmoc("report", *(os.path.join(at, path) for path in inputs), "-o", page)
        text = open_clean(browser, page, name)
        for word in words:
            expect(word in text, f"{name}: the page does not say '{word}'")
        found = browser.run("return [charts.filter(c => c.curves).length, charts.filter(c => c.rows).length]")
        expect(all(n >= least for n, least in zip(found, kinds)), f"{name}: {found} charts and maps, expected {kinds} at least")
        look_both_ways(browser, name)
    expect(looked >= SOME, f"there are no studies {SOME - looked}")

    # damaged ones say what is wrong
    broken, uneven = os.path.join(at, "broken.json"), os.path.join(at, "uneven.csv")
    with open(broken, "w", encoding="utf-8") as f:
        f.write("{")
    with open(uneven, "w", encoding="utf-8") as f:
        f.write("a,b\n1,2\n1,2,3\n")
    page = os.path.join(at, "broken.html")
    dmoc("report", broken, uneven, "-o", page)
    text = open_clean(browser, page, "damaged studies")
    for word in ("cannot be read", "broken.json: found no JSON", "uneven.csv:3: found 3 cells"):
        expect(word in text, f"damaged studies: the page does not say '{word}'")

    # beside its file, where -o does not say
    dmoc("report", os.path.join(at, "exams.txt"))
    expect(os.path.exists(os.path.join(at, "exams.html")), "a study's page does not stand beside its file")
    dmoc("report", os.path.join(at, "none.txt"), status=2)


def look_at_harm(browser, folder, words):
    """The page of a folder names the fault of a file."""
    text = open_clean(browser, os.path.join(folder, "report.html"), folder)
    expect(words in text, f"{folder}: the page does not name the fault {words}")


def look_at_motions(browser, at):
    """Two folders beside each other, phases, limits, studies."""
    text = open_clean(browser, os.path.join(at, "both.html"), "two folders")
    expect("Side by side" in text and "difference" in text, "two folders are not compared")
    text = open_clean(browser, os.path.join(at, "thrown", "report.html"), "phases")
    expect("swing" in text and "flight" in text, "phases are not named")
    end = browser.run("return window.dmocClock.end")
    expect(abs(end - 1.1) < 0.2, f"the phases last {end} s")
    look_at_phases(browser)
    look_at_limits(browser, at)
    look_at_studies(browser, at)


def look_both_ways(browser, name):
    """A page at two sizes, light and dark: none is wider than its window; pictures where asked for."""
    for size in ((1300, 1000), (420, 800)):
        browser.size(*size)
        for shade in ("dark", "light"):
            browser.click("#shade")
            wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            expect(wide <= 0, f"{name}: the page is {wide} pixels too wide at {size}")
            if "PICTURES" in os.environ:
                browser.picture(os.path.join(os.environ["PICTURES"], f"{name.replace(' ', '-')}-{size[0]}-{shade}.png"))
    browser.size(1300, 1000)


def main():
    for tool in ("chromium", "chromedriver"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not there (Debian: chromium chromium-driver)")
            return 77
    with tempfile.TemporaryDirectory() as at:
        one, two, thrown = (os.path.join(at, name) for name in ("one", "two", "thrown"))
        problems = os.path.join(SOURCE, "problems")
        dmoc("run", os.path.join(problems, "cart-pole", "swing-up.yaml"), "-o", one)
        dmoc("optimize", os.path.join(problems, "cart-pole", "swing-up.yaml"), "-o", two)
        dmoc("run", os.path.join(problems, "throw", "throw.yaml"), "-o", thrown)
        both = os.path.join(at, "both.html")
        dmoc("report", one, two, "-o", both)

        # a hostile name is text
        hostile = os.path.join(at, "<img src=x onerror=alert(1)>")
        shutil.copytree(one, hostile)
        dmoc("report", hostile)

        # a damaged folder, and one without its motion
        damaged, bare = os.path.join(at, "damaged"), os.path.join(at, "bare")
        shutil.copytree(one, damaged)
        with open(os.path.join(damaged, "gains.csv"), "a", encoding="utf-8") as f:
            f.write("1,2\n")
        shutil.copytree(one, bare)
        os.remove(os.path.join(bare, "trajectory.csv"))
        for folder in (damaged, bare):
            expect("report.html" in os.listdir(folder) and dmoc("report", folder) is not None, f"{folder} has no page")

        # a mesh that is not there
        lame = os.path.join(at, "lame")
        os.mkdir(lame)
        with open(os.path.join(problems, "pendulum", "pendulum.urdf"), encoding="utf-8") as f:
            urdf = f.read().replace("<inertial>", "<visual><geometry><mesh filename=\"gone.stl\"/></geometry></visual><inertial>", 1)
        with open(os.path.join(lame, "pendulum.urdf"), "w", encoding="utf-8") as f:
            f.write(urdf)
        for name in ("swing-up.yaml", "guess.csv"):
            shutil.copy(os.path.join(problems, "pendulum", name), lame)
        dmoc("run", os.path.join(lame, "swing-up.yaml"), "-o", os.path.join(lame, "result"))

        # with WebGL: one folder and a mesh that is not there, and all studies; without it the rest
        every = sys.argv[3] == "every"
        browser = Browser(os.path.join(at, "profile"))
        try:
            click_through(browser, os.path.join(one, "report.html"))
            for size in ((1300, 1000), (420, 800))[0 if every else 1:]:
                browser.size(*size)
                expect(browser.picture(os.path.join(os.environ.get("PICTURES", at), f"report-{size[0]}.png")) > 20000, f"the page is empty at {size}")
                wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                expect(wide <= 0, f"the page is {wide} pixels too wide at {size}")
            browser.size(1300, 1000)
            look_at_harm(browser, os.path.join(lame, "result"), "gone.stl")
            if every:
                look_at_motions(browser, at)
        finally:
            browser.close()
        browser = Browser(os.path.join(at, "flat"), flat=True)
        try:
            text = open_clean(browser, os.path.join(one, "report.html"), "without WebGL")
            expect("no WebGL" in text and "Motion" in text, "without WebGL the page does not say so")
            print_page(browser, os.path.join(one, "report.html"))
            if not every:
                look_at_motions(browser, at)
            open_clean(browser, os.path.join(hostile, "report.html"), "a hostile name")
            expect(browser.run("return document.images.length") == 0, "a name became markup")
            for folder, words in ((damaged, "gains.csv"), (bare, "trajectory.csv")):
                look_at_harm(browser, folder, words)
        finally:
            browser.close()
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
