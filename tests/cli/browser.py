"""Pages in Chromium without a window, for tests that look at them."""
import base64
import json
import os
import subprocess
import time
import urllib.parse
import urllib.request


class Browser:
    """Chromium without a window, by the WebDriver protocol; flat: without WebGL, whose first picture takes seconds."""

    def __init__(self, folder, flat=False):
        self.flat = flat
        port = 9500 + os.getpid() % 400
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}", "--log-level=OFF"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        drawing = ("--disable-3d-apis --disable-gpu --disable-software-rasterizer" if flat else
                   "--use-angle=swiftshader --enable-unsafe-swiftshader")
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={folder}",
                            "--no-first-run", "--disable-extensions", "--disable-background-networking",
                            "--disable-component-update", *drawing.split()]}
        logs = {"browser": "ALL", "performance": "ALL"}
        for _ in range(600):
            try:
                answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                    "goog:chromeOptions": options, "goog:loggingPrefs": logs}}})
                break
            except OSError:
                time.sleep(0.2)
        self.session = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self.call("POST", self.session + "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def open_clean(self, path):
        """Open a page; return the text that it shows, and what is wrong: words in the console, requests."""
        self.call("POST", self.session + "/url", {"url": "about:blank"})
        self.logs("performance")
        self.open(path)
        faults = [f"the console says {entry['message']}" for entry in self.logs("browser")
                  if not (self.flat and "Error creating WebGL context" in entry["message"])]
        own = ("data:", "blob:", "chrome:", "file://" + os.path.abspath(path))
        for entry in self.logs("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = urllib.parse.unquote(message["params"]["request"]["url"])
                faults += [] if url.startswith(own) else [f"the page asks for {url}"]
        return self.run("return document.body.innerText"), faults

    def size(self, width, height):
        self.call("POST", self.session + "/window/rect", {"width": width, "height": height})

    def logs(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def click(self, selector):
        found = self.call("POST", self.session + "/element", {"using": "css selector", "value": selector})
        element = next(iter(found.values()))
        self.run("arguments[0].scrollIntoView({block: 'center'})", found)
        self.call("POST", f"{self.session}/element/{element}/click", {})

    def drag(self, selector, begin, end):
        """A drag over an element, from one share of its width to another."""
        box = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'});"
                       "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height];", selector)
        at = [{"type": "pointerMove", "duration": 0, "x": int(box[0] + share * box[2]), "y": int(box[1] + box[3] / 2)}
              for share in (begin, (begin + end) / 2, end)]
        moves = [at[0], {"type": "pointerDown", "button": 0}, at[1], at[2], {"type": "pointerUp", "button": 0}]
        self.call("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]})

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))
        return os.path.getsize(path)

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
