"""Pages of results and studies, and other files made by commands."""
import base64
import html
import os
import re
import webbrowser

from . import program
from .errors import error_of
from .folder import read_file

# MIME types for notebooks, by suffix
SHOWN = {".svg": "image/svg+xml", ".png": "image/png", ".html": "text/html"}
DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>\s*")
# a sandbox for the page's scripts, because data may be untrusted
FRAME = (
    '<iframe srcdoc="{text}" sandbox="allow-scripts" style="width:100%;height:42em;border:0" '
    'title="{title}"></iframe>'
)


def frame(path, title):
    """Return a page embedded in another one."""
    text = html.escape(read_file(path).decode("utf-8", "replace"), quote=True)
    return FRAME.format(text=text, title=html.escape(title, quote=True))


class Shown:
    """An object with a page: `shown` is its folder or file for `dmoc report`, and `mark` a file
    whose change makes the page outdated."""

    shown = mark = None

    @property
    def page(self):
        """The path of its page, generated if it is missing or outdated."""
        folder = os.path.isdir(self.shown)
        path = (
            os.path.join(self.shown, "report.html")
            if folder
            else os.path.splitext(self.shown)[0] + ".html"
        )
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(self.mark):
            answer = program.run("report", self.shown, {}, folder=path)
            if answer.status:
                raise error_of(answer.status, answer.words)
        return path

    def _repr_html_(self):
        return frame(self.page, repr(self))


class File:
    """A file that a command made: a picture, a page, a motion for another program.

    path      its path; open(f), numpy.load(f) and str(f) accept the File itself
    record    the command's answer, a dict (for `order` the orders)
    warnings  the command's warnings

    Notebooks display pictures (SVG, PNG) and pages. A file made without `out` is temporary, and is
    removed with this object.
    """

    def __init__(self, path, record, keep=None):
        self.path = os.path.abspath(path)
        self.record, self.keep = record, keep
        self.warnings = list(record.get("warnings", ()))

    @property
    def page(self):
        """The path, for `dmoc.show`."""
        return self.path

    def __fspath__(self):
        return self.path

    def __str__(self):
        return self.path

    def __repr__(self):
        return f"<dmoc file {self.path}>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        kind = SHOWN.get(os.path.splitext(self.path)[1])
        if not kind:
            return {"text/plain": repr(self)}
        if kind == "text/html":
            return {kind: frame(self.path, repr(self))}
        data = read_file(self.path)
        if kind == "image/png":
            return {kind: base64.b64encode(data).decode()}
        # XML parsers refuse decoded text that declares an encoding
        return {kind: DECLARATION.sub("", data.decode())}


def open_page(path):
    """Open a page or a picture in the browser; return its path."""
    webbrowser.open("file://" + path)
    return path
