#!/usr/bin/env python3
"""Makes the on-board files one C file of texts: embed.py OUT FILE..."""
import os
import sys


def main(out, *files):
    """Write each file as an array of bytes, and the list of them."""
    with open(out, "w", encoding="utf-8") as f:
        f.write('#include "control/onboard/text.h"\n\n#include <stddef.h>\n\n')
        for i, path in enumerate(files):
            with open(path, "rb") as g:
                data = g.read() + b"\0"
            rows = [",".join(str(b) for b in data[at:at + 32]) for at in range(0, len(data), 32)]
            f.write(f"static const char text_{i}[] = {{\n" + ",\n".join(rows) + "};\n")
        f.write("\nconst fb_onboard_text fb_onboard_texts[] = {\n")
        for i, path in enumerate(files):
            f.write(f'    {{"{os.path.basename(path)}", text_{i}}},\n')
        f.write("    {NULL, NULL}};\n")


main(*sys.argv[1:])
