"""The frame of every page of the site: navigation, the way on and back, and what the search looks through."""
import html
import json
import os
import re

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · dmoc {version}</title>
<link rel="stylesheet" href="{up}site.css">
<script src="{up}sections.js" defer></script>
<script src="{up}search.js" defer></script>
</head>
<body data-up="{up}">
<div class="page">
<nav>
<a class="home" href="{up}index.html">dmoc {version}</a>
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search all documents" hidden>
<ol id="found"></ol>
<details open>
<summary>All pages</summary>
<script>if (innerWidth < 832) document.currentScript.parentElement.open = false;</script>
{navigation}</details>
</nav>
<main>
{body}{steps}</main>
</div>
</body>
</html>
"""


def text_of(markup):
    """Return the words of HTML without its tags."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", markup))).strip()


class Frame:
    """Writes pages into a folder; `groups` is the navigation: (title, [(place, name)])."""

    def __init__(self, out, version, groups):
        self.out, self.version, self.groups = os.path.abspath(out), version, groups
        self.sections = []  # for the search: [page, heading, address, text]

    def write(self, place, text):
        place = os.path.join(self.out, place)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def navigation(self, here, parts):
        """Return the links to all pages, and below that of this page those to its parts."""
        text = ""
        for title, pages in self.groups:
            text += f"<strong>{title}</strong>\n"
            for place, name in pages:
                address = os.path.relpath(place, os.path.dirname(here) or ".")
                inside = here.startswith("api/") and place == "api/index.html"
                mark = ' class="here"' if place == here or inside else ""
                text += f'<a href="{address}"{mark}>{name}</a>\n'
                if place == here and len(parts) > 2:
                    rows = "".join(f'<a href="#{part}">{heading}</a>\n' for part, heading in parts)
                    text += f'<div class="parts">\n{rows}</div>\n'
        return text

    def steps(self, here, order):
        """Return links to the pages before and after this one in a reading order of (place, name)."""
        places = [place for place, _ in order]
        if here not in places:
            return ""
        at = places.index(here)
        text = ""
        for i, word in ((at - 1, "Previous"), (at + 1, "Next")):
            if 0 <= i < len(order):
                address = os.path.relpath(order[i][0], os.path.dirname(here) or ".")
                rel = "prev" if i < at else "next"
                text += f'<a rel="{rel}" href="{address}"><small>{word}</small>{order[i][1]}</a>\n'
        return f'<div class="steps">\n{text}</div>\n'

    def write_page(self, place, title, body, order=None):
        """Write a page; `order` is the reading order in which it stands, that of the navigation for None."""
        order = order or [page for _, pages in self.groups for page in pages]
        parts = re.findall(r'<h2 id="([^"]*)">(.*?)(?:<a class="anchor".*?)?</h2>', body)
        parts = [(name, html.escape(text_of(heading))) for name, heading in parts]
        self.write(place, PAGE.format(title=html.escape(title), version=self.version, body=body,
                                      up="../" * place.count("/"), navigation=self.navigation(place, parts),
                                      steps=self.steps(place, order)))

    def note_sections(self, place, title, body):
        """Take the sections of a document for the search."""
        pieces = re.split(r'<h[1-3] id="([^"]*)">(.*?)(?:<a class="anchor".*?)?</h[1-3]>', body)
        for name, heading, text in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
            self.sections.append([title, text_of(heading), f"{place}#{name}", text_of(text)])

    def write_sections(self):
        self.write("sections.js", f"const sections = {json.dumps(self.sections, ensure_ascii=False)};\n")
