#!/usr/bin/env python3
"""Check the links within an HTML site: each leads to one of its pages, and to an anchor on that page if it names one.

  site_links.py SITE
"""
import html.parser
import os
import sys
import urllib.parse

OUTSIDE = ("http:", "https:", "mailto:", "data:", "javascript:", "//")


class Page(html.parser.HTMLParser):
    """The anchors of a page, and its links."""

    def __init__(self, path):
        super().__init__()
        self.places, self.targets = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("id", "name"):
                self.places.add(value)
            elif key in ("href", "src") and value is not None:
                self.targets.append(value)


def main(site):
    site = os.path.abspath(site)
    pages = {os.path.join(folder, name): None for folder, _, names in os.walk(site) for name in names
             if name.endswith(".html")}
    for path in pages:
        pages[path] = Page(path)
    faults, count, reached = [], 0, {os.path.join(site, "index.html")}
    for path, page in pages.items():
        for target in page.targets:
            if target.startswith(OUTSIDE):
                continue
            count += 1
            name, _, part = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(name))) \
                if name else path
            reached.add(file)
            said = f"{os.path.relpath(path, site)}: {target}"
            if not os.path.isfile(file) or os.path.commonpath([file, site]) != site:
                faults.append(f"{said}: no such page")
            elif part and (file not in pages or urllib.parse.unquote(part) not in pages[file].places):
                faults.append(f"{said}: no such place")
    faults += [f"{os.path.relpath(path, site)}: no page leads there" for path in sorted(pages)
               if path not in reached and os.sep + "api" + os.sep not in path]
    print("\n".join(faults[:40] + [f"{len(pages)} pages, {count} links, {len(faults)} faults"]))
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
