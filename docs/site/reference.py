"""The reference of the C library: Doxygen's, of the headers that dmoc.h lists, in the site's frame."""
import glob
import html
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

from doxygen_filter import escape, render
from frame import text_of

NAME = r"(?:dm|fb|oc|pb|DM|FB|OC|PB|DMOC)_\w+"
KINDS = r" (File Reference|Source File|Struct Reference|Union Reference)$"
# Doxygen's lists that dmoc.h's and the search stand in for
LISTS = ("classes", "dir_", "files", "front_8dox", "functions", "globals")


class Reference:
    """The reference being made: where it comes from, the frame of its pages, what its names lead to."""

    def __init__(self, source, frame):
        self.source, self.frame = source, frame
        self.folder = os.path.join(frame.out, "api")
        self.addresses = {}  # a name or a header's path: its address in the site
        self.headers = []    # paths of headers in the order of dmoc.h

    def front_page(self):
        """Return dmoc.h as the first page, and take the headers in its order."""
        with open(os.path.join(self.source, "dmoc.h"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        first = next(i for i, line in enumerate(lines) if not line.startswith("//"))
        comment = [line[3:] for line in lines[:first]]
        title, table = comment[0].partition(": ")[2], False
        page = ["/** @mainpage dmoc: " + escape(title)] + render(comment[1:])
        for line in lines[first:]:
            wing = re.match(r"// ((?:lib|control|optim|problems)[a-z/]*): (.*)", line)
            row = re.match(r'#include "([^"]*)"\s*(?:// (.*))?', line)
            if wing:
                page += ["</table>"] * table + [f"<h2>{wing.group(1)}: {escape(wing.group(2))}</h2>"]
                table = False
            if row and row.group(1) != "lib/version.h":  # made by the build
                self.headers.append(row.group(1))
                page += [] if table else ["<table>"]
                table = True
                page.append(f'<tr><td>@ref {row.group(1)} "{row.group(1)}"</td>'
                            f"<td>{escape(row.group(2) or '')}</td></tr>")
        return "\n".join(page + ["</table>", "*/", ""])

    def run_doxygen(self, work):
        with open(os.path.join(work, "front.dox"), "w", encoding="utf-8") as file:
            file.write(self.front_page())
        tags = os.path.join(work, "tags.xml")
        with open(os.path.join(self.source, "docs/site/Doxyfile"), encoding="utf-8") as file:
            settings = file.read()
        settings += (f"PROJECT_NUMBER = {self.frame.version}\nOUTPUT_DIRECTORY = {self.frame.out}\n"
                     f"GENERATE_TAGFILE = {tags}\nINCLUDE_PATH = {self.source}\n"
                     f"INPUT = {work}/front.dox {' '.join(self.headers)}\n")
        done = subprocess.run(["doxygen", "-"], input=settings, cwd=self.source, encoding="utf-8",
                              capture_output=True, check=False)
        if done.returncode or done.stderr.strip():
            sys.exit(f"doxygen: {done.stderr.strip() or done.returncode}")
        self.read_tags(tags)

    def read_tags(self, tags):
        """Take the addresses of headers, types, functions and values from Doxygen's list."""
        for part in tree.parse(tags).getroot():
            name, address = part.findtext("name"), part.findtext("filename")
            if part.get("kind") == "file":
                address += "" if address.endswith(".html") else ".html"
                name = os.path.join(part.findtext("path") or "", name)
                name = os.path.relpath(name, self.source) if os.path.isabs(name) else name
            if part.get("kind") in ("file", "struct"):
                self.addresses[name] = "api/" + address
            for member in part.iter("member" if part.get("kind") == "file" else "nothing"):
                for item in [member] + list(member.iter("enumvalue")):
                    file = item.findtext("anchorfile") or item.get("file")
                    anchor = item.findtext("anchor") or item.get("anchor")
                    word = item.findtext("name") or (item.text or "").strip()
                    if file and re.match(NAME, word):
                        self.addresses.setdefault(word, f"api/{file}#{anchor}")

    def link_names(self, body):
        """Let the names in a page lead to where they stand: Doxygen links types alone."""
        parts = re.split(r"(<a .*?</a>|<td class=\"memname\">.*?</td>|<[^>]*>)", body, flags=re.S)

        def link(found):
            address = self.addresses.get(found.group(0), "")
            return f'<a href="{address[4:]}">{found.group(0)}</a>' if address else found.group(0)

        parts[::2] = [re.sub(rf"\b{NAME}", link, text) for text in parts[::2]]
        return "".join(parts)

    def set_page(self, path):
        """Put what a page of Doxygen's says into the frame."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        title = html.unescape(re.search(r"<title>dmoc: (.*?)</title>", text).group(1))
        place = "api/" + os.path.basename(path)
        source = title.endswith("Source File")
        title = re.sub(KINDS, "", title)
        summary = re.search(r'<div class="summary">(.*?)</div>', text, re.S)
        body = text[text.index('<div class="contents">'):text.index("<!-- start footer part -->")]
        body = re.sub(r"\s*<hr class=\"footer\"/>\s*", "", body)
        body = body if source else self.link_names(body)
        body = re.sub(r'<div class="ttc".*?</div></div>', "", body, flags=re.S)  # tips that need scripts
        front = place == "api/index.html"
        ways = [summary.group(1).strip()] if summary else []
        ways += ['<a href="annotated.html">All types</a>'] if front else ['<a href="index.html">All headers</a>']
        heading = "The C library" if front else html.escape(title)
        order = [(self.addresses[header], header) for header in self.headers]
        body = f'<h1>{heading}</h1>\n<div class="summary">{" | ".join(ways)}</div>\n{body}\n'
        self.frame.write_page(place, title, body, None if front else order)
        if not source:
            self.note_names(title, text)

    def note_names(self, title, text):
        """Take the names that a page declares for the search, with the first sentence on each."""
        rows = re.findall(rf'memItemRight"[^>]*>.*?href="([^"]*)">({NAME})</a>(.*?)</td></tr>\n'
                          r'(?:<tr class="memdesc.*?mdescRight">(.*?)</td></tr>)?', text)
        for address, name, arguments, brief in rows:
            said = text_of(brief).removesuffix("More...") or text_of(arguments)
            self.frame.sections.append([title, name, "api/" + address, said])

    def make(self):
        work = os.path.join(self.frame.out, "doxygen")
        os.makedirs(work, exist_ok=True)
        self.run_doxygen(work)
        shutil.rmtree(work)
        for path in sorted(glob.glob(os.path.join(self.folder, "*"))):
            name = os.path.basename(path)
            if not name.endswith(".html") or name.startswith(LISTS):
                os.remove(path)
            else:
                self.set_page(path)
