#!/usr/bin/env python3
"""Makes the page around the data of a report one C file: embed.py OUT THREE ORBIT PAGE STYLE SCRIPT...

THREE and ORBIT are three.js and its OrbitControls.js, or - where there are none. The page has the words
{{style}}, {{three}}, {{scripts}} where these go, and {{data}} where it is cut in two.
"""
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def script(path):
    """A script as it may stand in a page: no text of it ends the element."""
    return "" if path == "-" else read(path).replace("</script", "<\\/script")


def array(name, text):
    data = text.encode("utf-8")
    rows = [",".join(str(b) for b in data[i:i + 32]) for i in range(0, len(data), 32)]
    return f"const unsigned char {name}[] = {{\n" + ",\n".join(rows) + f"}};\nconst size_t {name}_size = {len(data)};\n"


def main(out, three, orbit, page, style, *scripts):
    parts = {"style": read(style), "three": script(three) + "\n" + script(orbit),
             "scripts": "\n".join(script(s) for s in scripts)}
    text = read(page)
    for name, part in parts.items():
        before, behind = text.split("{{" + name + "}}")
        text = before + part + behind
    before, behind = text.split("{{data}}")
    with open(out, "w", encoding="utf-8") as f:
        f.write('#include "cli/report/page_parts.h"\n\n')
        f.write(array("cli_page_before", before) + array("cli_page_behind", behind))


main(*sys.argv[1:])
