#!/usr/bin/env python3
"""A header as Doxygen reads it: its plain comments become documentation.

  doxygen_filter.py HEADER

The comment that opens the file is the file's; one above a declaration belongs to it, or to all of
those that follow without a blank line; one after a declaration, with the lines that go on below it,
belongs to what it stands behind. Within a comment, lines indented by two or more spaces are kept as
they are. Bodies of functions are left alone.
"""
import re
import sys

COMMENT = re.compile(r"^(\s*)//( ?)(.*)$")
TRAILING = re.compile(r"^(\s*\S.*?)(\s*)// ?(.*)$")
SEVERAL = re.compile(r"^(\s*)((?:const |struct |unsigned )*\w+) ([^(){}=]*,[^(){}=]*);$")
DOCUMENT = re.compile(r"\bdocs/([a-z0-9-]+)\.md\b")


def escape(text):
    """Return text that Doxygen takes as it is, but for names, which become links."""
    text = re.sub(r"([\\@&<>#%$])", r"\\\1", text)
    text = re.sub(r"(?<!-)(--+)(?!-)", r"\\\1", text)
    return text.replace("::", "\\::")


def mark_up(line):
    """Return a line of prose: code spans marked, documents linked, no list by accident."""
    parts = re.split(r"`([^`]*)`", line)
    line = "".join(f"<code>{escape(part)}</code>" if i % 2 else escape(part)
                   for i, part in enumerate(parts))
    line = DOCUMENT.sub(r'<a href="../docs/\1.html">docs/\1.md</a>', line)
    return re.sub(r"^(\s*)([-+*])(\s)", r"\1\\\2\3", line) if re.match(r"\s*-\s", line) else line


def render(lines):
    """Return the lines of a comment in Doxygen's language."""
    out, kept = [], False
    for i, line in enumerate(lines):
        rest = [later for later in lines[i:] if later.strip()]
        indented = bool(rest) and rest[0].startswith("  ")
        if not line.strip() and not (kept and indented):
            indented = False
        if indented != kept:
            out.append("<pre>" if indented else "</pre>")
            kept = indented
        out.append(escape(line) if kept else mark_up(line))
    return out + (["</pre>"] if kept else [])


def block(lines, opening="/**"):
    """Return a documentation comment."""
    return [opening] + render(lines) + ["*/"]


def is_declaration(line):
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//", "}"))


def starts_of_declarations(lines, at):
    """Return where each of the declarations begins that follow line `at` with no blank line."""
    starts, depth, fresh = [], 0, True
    for i in range(at, len(lines)):
        code = lines[i].split("//")[0].rstrip()
        if "{" in code:
            return [at]
        if not is_declaration(lines[i]) or code.endswith("_END_C"):
            break
        if fresh:
            starts.append(i)
        depth += code.count("(") - code.count(")")
        fresh = depth == 0 and code.endswith(";")
    return starts or [at]


class Filter:
    """Reads the lines of one header and gathers what Doxygen is shown."""

    def __init__(self, lines):
        self.lines, self.at, self.out = lines, 0, []
        self.shared = {}  # comments above several declarations, by the line of each of these

    def take_comment(self):
        """Return the whole-line comment that begins here, without slashes."""
        text = []
        indent = COMMENT.match(self.lines[self.at]).group(1)
        while self.at < len(self.lines):
            found = COMMENT.match(self.lines[self.at])
            if not found or found.group(1) != indent:
                break
            text.append(found.group(3))
            self.at += 1
        return text

    def read_file_comment(self):
        text = self.take_comment()
        name, _, first = text[0].partition(": ")
        self.out += ["/**", f"@file {name}"] + render([first] + text[1:]) + ["*/"]

    def read_comment(self):
        text = self.take_comment()
        after = self.lines[self.at] if self.at < len(self.lines) else ""
        if not after.strip() or after.startswith(("DM_", "#undef", "#if", "#end", "}")):
            return  # about the file's own sections, or nothing that has a page
        self.shared = {i: text for i in starts_of_declarations(self.lines, self.at)[1:]
                       if not TRAILING.match(self.lines[i])}
        self.out += block(text)

    def read_trailing(self, found):
        code, gap, text = found.groups()
        column = len(code) + len(gap)
        text = [text]
        self.at += 1
        while self.at < len(self.lines):
            more = COMMENT.match(self.lines[self.at])
            if not more or len(more.group(1)) != column:
                break
            text.append(more.group(3))
            self.at += 1
        said = " ".join(mark_up(line.strip()) for line in text)
        several = SEVERAL.match(code)
        if several:  # each of them has the comment
            indent, base, names = several.groups()
            self.out += [f"{indent}{base} {name.strip()}; /**< {said} */" for name in names.split(",")]
        else:
            self.out.append(f"{code} /**< {said} */")

    def skip_body(self):
        """Pass a function's body on as it is."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.out.append(line)
            self.at += 1
            if line.startswith("}"):
                return

    def opens_body(self):
        """Whether a static inline function begins here, and its body with it."""
        if not self.lines[self.at].startswith("static inline"):
            return False
        for line in self.lines[self.at:]:
            if line.rstrip().endswith("{"):
                return True
            if line.rstrip().endswith(";"):
                return False
        return False

    def run(self):
        if self.lines and self.lines[0].startswith("//"):
            self.read_file_comment()
        while self.at < len(self.lines):
            self.out += block(self.shared.pop(self.at)) if self.at in self.shared else []
            line = self.lines[self.at]
            trailing = None if line.lstrip().startswith("#") else TRAILING.match(line)
            if COMMENT.match(line):
                self.read_comment()
            elif self.opens_body():
                self.skip_body()
            elif trailing and re.search(r"[;,\w)]$", trailing.group(1)) and '"' not in line:
                self.read_trailing(trailing)
            else:
                self.out.append(line)
                self.at += 1
        return "\n".join(self.out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(Filter(file.read().splitlines()).run())
