#!/usr/bin/env python3
"""All documents and the reference of the C library as one site of plain HTML.

  site.py SOURCE SITE

Documents keep their places, README.md as index.html; what they link to in the sources becomes a
page as well. The reference in SITE/api is Doxygen's, from the headers that dmoc.h lists and in
their order. Names of the library and paths of headers in documents lead there.
"""
import html
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

from doxygen_filter import escape, render

# the navigation: every document stands here once
NAVIGATION = [
    ("Start", [("README.md", "Overview"), ("docs/tutorial.md", "Tutorial"), ("docs/guide.md", "Guide"),
               ("docs/worked-problems.md", "Worked problems")]),
    ("Look up", [("docs/commands.md", "Commands"), ("docs/problem-format.md", "Problem format"),
                 ("docs/results.md", "Results"), ("docs/limits.md", "Limits"),
                 ("docs/glossary.md", "Glossary"), ("api/index.html", "C library")]),
    ("Understand", [("docs/theory.md", "Theory"), ("docs/notation.md", "Notation"),
                    ("docs/architecture.md", "Architecture"), ("docs/sources.md", "Sources")]),
    ("Figures and studies", [("docs/papers.md", "The papers' figures"),
                             ("docs/benchmarks.md", "Benchmarks"), ("docs/robustness.md", "Robustness"),
                             ("docs/plant.md", "Plans and plants"), ("docs/contact.md", "Contact"),
                             ("docs/constrained-coordinates.md", "Constrained coordinates"),
                             ("docs/sweep.md", "Sweeps"),
                             ("docs/first-against-second.md", "First against second order"),
                             ("docs/elbow.md", "A bound or a penalty"),
                             ("docs/two-point.md", "Constraints between knots")]),
    ("Take part", [("CONTRIBUTING.md", "Contributing"), ("SECURITY.md", "Security"),
                   ("CHANGELOG.md", "Changes")]),
]
PICTURES = (".svg", ".png")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · dmoc {version}</title>
<link rel="stylesheet" href="{up}site.css">
</head>
<body>
<div class="page">
<nav>
{navigation}</nav>
<main>
{body}</main>
</div>
</body>
</html>
"""


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
    """The site being made: where it comes from and goes to, and what the library's names lead to."""

    def __init__(self, source, out):
        self.source, self.out = os.path.abspath(source), os.path.abspath(out)
        with open(os.path.join(source, "meson.build"), encoding="utf-8") as file:
            self.version = re.search(r"version: '([^']*)'", file.read()).group(1)
        self.documents = [path for _, pages in NAVIGATION for path, _ in pages
                          if path.endswith(".md") and os.path.exists(os.path.join(source, path))]
        self.reference = {}  # a name or a header's path: its address in the site
        self.shown = set()   # files of the sources that are linked, and have pages

    def write(self, path, text):
        path = os.path.join(self.out, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def navigation(self, here):
        text = ""
        for title, pages in NAVIGATION:
            text += f"<strong>{title}</strong>\n"
            for path, name in pages:
                if path.endswith(".md") and path not in self.documents:
                    continue
                address = os.path.relpath(page_of(path), os.path.dirname(here) or ".")
                mark = ' class="here"' if page_of(path) == here else ""
                text += f'<a href="{address}"{mark}>{name}</a>\n'
        return text

    def write_page(self, place, title, body):
        up = "../" * place.count("/")
        self.write(place, PAGE.format(title=html.escape(title), version=self.version, up=up, body=body,
                                      navigation=self.navigation(place)))

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
            address = self.reference.get(html.unescape(found.group(2)).removesuffix("()"))
            return f'<a href="{up}{address}">{found.group(0)}</a>' if address else found.group(0)

        return re.sub(r"(<a .*?</a>|<pre>.*?</pre>)|<code>([^<]*)</code>", change, body, flags=re.S)

    def write_document(self, path):
        body = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough",
                               os.path.join(self.source, path)],
                              check=True, capture_output=True, encoding="utf-8").stdout
        used = {}

        def with_name(found):
            name = name_of(found.group(2))
            used[name] = used.get(name, -1) + 1
            name += f"-{used[name]}" if used[name] else ""
            return f'<h{found.group(1)} id="{name}">{found.group(2)}</h{found.group(1)}>'

        body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
        body = re.sub(r"<h([1-6])>(.*?)</h\1>", with_name, body)
        body = re.sub(r'(href|src)="([^"]*)"',
                      lambda found: f'{found.group(1)}="{self.link(path, found.group(2))}"', body)
        title = re.search(r"<h1[^>]*>(.*?)</h1>", body)
        title = html.unescape(re.sub(r"<[^>]*>", "", title.group(1))) if title else path
        self.write_page(page_of(path), title, self.refer(path, body))

    # -- files of the sources that documents lead to

    def write_source(self, path):
        full = os.path.join(self.source, path)
        if os.path.isdir(full):
            names = sorted(name for name in os.listdir(full) if os.path.isfile(os.path.join(full, name)))
            rows = "".join(f'<li><a href="{page_of(name)}">{name}</a></li>\n' for name in names)
            self.write_page(path + "/index.html", path, f"<h1>{path}/</h1>\n<ul>\n{rows}</ul>\n")
            for name in names:
                self.write_source(os.path.join(path, name))
            return
        with open(full, encoding="utf-8") as file:
            text = html.escape(file.read())
        self.write_page(page_of(path), path, f"<h1>{path}</h1>\n<pre><code>{text}</code></pre>\n")

    # -- the reference

    def front_page(self):
        """Return dmoc.h as the reference's first page, and the headers in its order."""
        with open(os.path.join(self.source, "dmoc.h"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        first = next(i for i, line in enumerate(lines) if not line.startswith("//"))
        comment = [line[3:] for line in lines[:first]]
        title, headers, table = comment[0].partition(": ")[2], [], False
        page = ["/** @mainpage dmoc: " + escape(title)] + render(comment[1:])
        for line in lines[first:]:
            wing = re.match(r"// ((?:lib|control|optim|problems)[a-z/]*): (.*)", line)
            row = re.match(r'#include "([^"]*)"\s*(?:// (.*))?', line)
            if wing:
                page += ["</table>"] * table + [f"<h2>{wing.group(1)}: {escape(wing.group(2))}</h2>"]
                table = False
            if row and row.group(1) != "lib/version.h":  # made by the build
                headers.append(row.group(1))
                page += [] if table else ["<table>"]
                table = True
                page.append(f'<tr><td>@ref {row.group(1)} "{row.group(1)}"</td>'
                            f"<td>{escape(row.group(2) or '')}</td></tr>")
        return "\n".join(page + ["</table>", "*/", ""]), headers

    def write_reference(self):
        page, headers = self.front_page()
        work = os.path.join(self.out, "doxygen")
        os.makedirs(work, exist_ok=True)
        with open(os.path.join(work, "front.dox"), "w", encoding="utf-8") as file:
            file.write(page)

        # Doxygen's own layout, with the way back
        layout = os.path.join(work, "layout.xml")
        subprocess.run(["doxygen", "-l", layout], check=True, capture_output=True)
        with open(layout, encoding="utf-8") as file:
            text = file.read()
        text = text.replace("<navindex>", '<navindex>\n    <tab type="user" url="../index.html" title="Documents"/>')
        text = text.replace('<tab type="mainpage" visible="yes" title=""/>',
                            '<tab type="mainpage" visible="yes" title="Reading order"/>')
        with open(layout, "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(self.source, "docs/site/Doxyfile"), encoding="utf-8") as file:
            settings = file.read()
        tags = os.path.join(work, "tags.xml")
        settings += (f"PROJECT_NUMBER = {self.version}\nOUTPUT_DIRECTORY = {self.out}\nLAYOUT_FILE = {layout}\n"
                     f"GENERATE_TAGFILE = {tags}\nINCLUDE_PATH = {self.source}\n"
                     f"INPUT = {work}/front.dox {' '.join(headers)}\n")
        done = subprocess.run(["doxygen", "-"], input=settings, cwd=self.source, encoding="utf-8",
                              capture_output=True, check=False)
        if done.returncode or done.stderr.strip():
            sys.exit(f"doxygen: {done.stderr.strip() or done.returncode}")
        self.read_tags(tags)
        shutil.rmtree(work)
        for name in os.listdir(os.path.join(self.out, "api")):
            if name.endswith(".html") and not name.endswith("_source.html"):
                self.link_names(os.path.join(self.out, "api", name))

    def read_tags(self, tags):
        """Take the addresses of headers, types, functions and values from Doxygen's list."""
        for part in tree.parse(tags).getroot():
            name, address = part.findtext("name"), part.findtext("filename")
            if part.get("kind") == "file":
                address += "" if address.endswith(".html") else ".html"
                name = os.path.join(part.findtext("path") or "", name)
                name = os.path.relpath(name, self.source) if os.path.isabs(name) else name
            if part.get("kind") in ("file", "struct"):
                self.reference[name] = "api/" + address
            for member in part.iter("member" if part.get("kind") == "file" else "nothing"):
                for item in [member] + list(member.iter("enumvalue")):
                    file = item.findtext("anchorfile") or item.get("file")
                    anchor = item.findtext("anchor") or item.get("anchor")
                    word = item.findtext("name") or (item.text or "").strip()
                    if file and re.match(r"(dm|fb|oc|pb|DM|FB|OC|PB|DMOC)_", word):
                        self.reference.setdefault(word, f"api/{file}#{anchor}")

    def link_names(self, path):
        """Let the names in a page of the reference lead to where they stand: Doxygen links types alone."""
        with open(path, encoding="utf-8") as file:
            parts = re.split(r"(<a .*?</a>|<title>.*?</title>|<td class=\"memname\">.*?</td>|<[^>]*>)",
                             file.read(), flags=re.S)

        def link(found):
            address = self.reference.get(found.group(0), "")
            return f'<a href="{address[4:]}">{found.group(0)}</a>' if address else found.group(0)

        parts[::2] = [re.sub(r"\b(?:dm|fb|oc|pb|DM|FB|OC|PB|DMOC)_\w+", link, text) for text in parts[::2]]
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(parts))

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        found = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + [
            "docs/" + name for name in os.listdir(os.path.join(self.source, "docs")) if name.endswith(".md")]
        strangers = set(found) - set(self.documents)
        if strangers:
            sys.exit(f"documents that stand in no navigation (docs/site/site.py): {' '.join(sorted(strangers))}")
        self.write_reference()
        shutil.copy(os.path.join(self.source, "docs/site/site.css"), self.out)
        for path in self.documents:
            self.write_document(path)
        for path in sorted(self.shown):
            self.write_source(path)


if __name__ == "__main__":
    Site(sys.argv[1], sys.argv[2]).make()
