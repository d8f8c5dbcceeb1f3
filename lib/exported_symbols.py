#!/usr/bin/env python3
"""Print the linker's version script of libdmoc.so: what public headers declare is exported.

    exported_symbols.py [--names] HEADER...

With --names, the symbols alone, one a line.
"""
import re
import sys

PREFIX = r"\b((?:dm|fb|oc|pb)_\w+)"


def declared(text):
    """The functions and variables that a header declares, not those that it defines."""
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"^#.*(?:\\\n.*)*", "", text, flags=re.M)
    # a declaration begins a line, and has no braces; a variable's type may have some
    functions = re.findall(r"^(?!typedef|static|#)\w[\w \n*]*?" + PREFIX + r"\([^;{}]*;", text, re.M)
    variables = []
    for match in re.finditer(r"^extern [^;{]*(?:\{[^}]*\})?([^;{]*);", text, re.M):
        variables += re.findall(PREFIX + r"(?:\[\w*\])?(?=,|$)", match.group(0).rstrip(";"))
    return functions + variables


names = [arg for arg in sys.argv[1:] if arg != "--names"]
symbols = sorted({name for path in names for name in declared(open(path).read())})
if "--names" in sys.argv:
    print("\n".join(symbols))
else:
    print("{\n  global:\n" + "".join(f"    {name};\n" for name in symbols) + "  local: *;\n};")
