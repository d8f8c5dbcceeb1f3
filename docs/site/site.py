#!/usr/bin/env python3
"""All documents and the reference of the C library as one site of plain HTML.

  site.py SOURCE SITE

Documents keep their places, README.md as index.html; what they link to in the sources becomes a
page as well. The reference of the library is in SITE/api; names of the library and paths of headers
in documents lead there.
"""
import html
import os
import re
import shutil
import subprocess
import sys

from formulas import is_formula, set_block, set_line, set_prose
from frame import Frame, text_of
from reference import Reference

# the navigation: every document stands here once
NAVIGATION = [
    ("Start", [("README.md", "Overview"), ("docs/install.md", "Install"),
               ("docs/tutorial.md", "Tutorial"), ("docs/guide.md", "Guide"),
               ("docs/paths.md", "Four paths"),
               ("docs/worked-problems.md", "Worked problems"), ("docs/gallery.md", "Gallery")]),
    ("Look up", [("docs/commands.md", "Commands"), ("docs/problem-format.md", "Problem format"),
                 ("docs/formulas.md", "Formulas"), ("docs/robot-files.md", "Robot files"),
                 ("docs/results.md", "Results"), ("docs/python.md", "Python"), ("docs/limits.md", "Limits"),
                 ("docs/glossary.md", "Glossary"), ("api/index.html", "C library")]),
    ("Understand", [("docs/theory.md", "Theory"), ("docs/notation.md", "Notation"),
                    ("docs/architecture.md", "Architecture"), ("docs/sources.md", "Sources")]),
    ("Figures and studies", [("docs/papers.md", "The papers' figures"),
                             ("docs/benchmarks.md", "Benchmarks"), ("docs/trust.md", "Tests"),
                             ("docs/exported-code.md", "The exported code"),
                             ("docs/solvers.md", "Solvers"), ("docs/robustness.md", "Robustness"),
                             ("docs/exams.md", "Exams"), ("docs/plant.md", "Plans and plants"),
                             ("docs/contact.md", "Contact"),
                             ("docs/constrained-coordinates.md", "Constrained coordinates"),
                             ("docs/sweep.md", "Sweeps"),
                             ("docs/first-against-second.md", "First against second order"),
                             ("docs/elbow.md", "A bound or a penalty"),
                             ("docs/two-point.md", "Constraints between knots")]),
    ("Take part", [("CONTRIBUTING.md", "Contributing"), ("SECURITY.md", "Security"),
                   ("CHANGELOG.md", "Changes")]),
]
PICTURES = (".svg", ".png")
# documents whose code spans and indented blocks are formulas, but for names of the code
MATHEMATICS = ("docs/theory.md", "docs/two-point.md", "docs/constrained-coordinates.md")
# and those whose prose alone has symbols
SYMBOLS = ("docs/notation.md", "docs/glossary.md")


def page_of(path):
    """Return where a document or a file of the sources stands in the site."""
    if path == "README.md":
        return "index.html"
    if path.endswith(".md"):
        return path[:-3] + ".html"
    return path if path.endswith((".html",) + PICTURES) else path + ".html"


def name_of(heading):
    """Return the name by which a heading is linked, as GitHub makes it."""
    text = html.unescape(re.sub(r"<[^>]*>", "", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Site:
    """The site being made: where it comes from, its frame, and what the library's names lead to."""

    def __init__(self, source, out):
        self.source, self.out = os.path.abspath(source), os.path.abspath(out)
        with open(os.path.join(source, "meson.build"), encoding="utf-8") as file:
            version = re.search(r"version: '([^']*)'", file.read()).group(1)
        self.documents = [path for _, pages in NAVIGATION for path, _ in pages
                          if path.endswith(".md") and os.path.exists(os.path.join(source, path))]
        groups = [(title, [(page_of(path), name) for path, name in pages
                           if path in self.documents or not path.endswith(".md")])
                  for title, pages in NAVIGATION]
        self.frame = Frame(out, version, groups)
        self.reference = Reference(self.source, self.frame)
        self.shown = set()  # files of the sources that are linked, and have pages

    # -- documents

    def link(self, document, target):
        """Return what a link of a document becomes, after taking along what it leads to."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        name, mark, part = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(document), name))
        if path.endswith(PICTURES):
            place = os.path.join(self.out, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(os.path.join(self.source, path), place)
        elif path not in self.documents:
            self.shown.add(path)
        page = path + "/index.html" if os.path.isdir(os.path.join(self.source, path)) else page_of(path)
        return os.path.relpath(page, os.path.dirname(page_of(document)) or ".") + mark + part

    def refer(self, document, body):
        """Return a body whose code spans lead to the reference, those within links left alone."""
        up = "../" * page_of(document).count("/")

        def change(found):
            if found.group(1):
                return found.group(0)
            address = self.reference.addresses.get(html.unescape(found.group(2)).removesuffix("()"))
            return f'<a href="{up}{address}">{found.group(0)}</a>' if address else found.group(0)

        return re.sub(r"(<a .*?</a>|<pre>.*?</pre>)|<code>([^<]*)</code>", change, body, flags=re.S)

    def set_formulas(self, body):
        """Return a body whose indented blocks and code spans are set as formulas where they are some."""
        def block(found):
            text = html.unescape(found.group(1))
            return found.group(0) if text.startswith("$") else set_block(text)

        def span(found):
            text = html.unescape(found.group(2) or "")
            if not text or not is_formula(text) or text in self.reference.addresses:
                return found.group(0)
            return f'<span class="math">{set_line(text)}</span>'

        body = re.sub(r"<pre><code>(.*?)</code></pre>", block, body, flags=re.S)
        return re.sub(r"(<pre>.*?</pre>)|<code>([^<]*)</code>", span, body, flags=re.S)

    def write_document(self, path):
        body = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough",
                               os.path.join(self.source, path)],
                              check=True, capture_output=True, encoding="utf-8").stdout
        used = {}

        def with_name(found):
            name = name_of(found.group(2))
            used[name] = used.get(name, -1) + 1
            name += f"-{used[name]}" if used[name] else ""
            anchor = f'<a class="anchor" href="#{name}" aria-label="Link to this heading">#</a>'
            return f'<h{found.group(1)} id="{name}">{found.group(2)}{anchor}</h{found.group(1)}>'

        body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
        body = re.sub(r"<h([1-6])>(.*?)</h\1>", with_name, body)
        body = re.sub(r'(href|src)="([^"]*)"',
                      lambda found: f'{found.group(1)}="{self.link(path, found.group(2))}"', body)
        title = re.search(r"<h1[^>]*>(.*?)<a class=\"anchor\"", body)
        title = text_of(title.group(1)) if title else path
        if path in MATHEMATICS + SYMBOLS:
            body = set_prose(body)
        if path in MATHEMATICS:
            body = self.set_formulas(body)
        self.frame.note_sections(page_of(path), title, body)
        self.frame.write_page(page_of(path), title, self.refer(path, body))

    # -- files of the sources that documents lead to

    def write_source(self, path):
        full = os.path.join(self.source, path)
        if os.path.isdir(full):
            names = sorted(name for name in os.listdir(full) if os.path.isfile(os.path.join(full, name)))
            rows = "".join(f'<li><a href="{page_of(name)}">{name}</a></li>\n' for name in names)
            self.frame.write_page(path + "/index.html", path, f"<h1>{path}/</h1>\n<ul>\n{rows}</ul>\n")
            for name in names:
                self.write_source(os.path.join(path, name))
            return
        with open(full, encoding="utf-8") as file:
            text = html.escape(file.read())
        self.frame.write_page(page_of(path), path, f"<h1>{path}</h1>\n<pre><code>{text}</code></pre>\n")

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        found = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + [
            "docs/" + name for name in os.listdir(os.path.join(self.source, "docs")) if name.endswith(".md")]
        strangers = set(found) - set(self.documents)
        if strangers:
            sys.exit(f"documents that stand in no navigation (docs/site/site.py): {' '.join(sorted(strangers))}")
        self.reference.make()
        for name in ("site.css", "search.js"):
            shutil.copy(os.path.join(self.source, "docs/site", name), self.out)
        for path in self.documents:
            self.write_document(path)
        for path in sorted(self.shown):
            self.write_source(path)
        self.frame.write_sections()


if __name__ == "__main__":
    Site(sys.argv[1], sys.argv[2]).make()
