#!/usr/bin/env python3
"""Phrases that are hard to read for somebody who learned English as a second language.

  words.py SOURCE

No document has them, outside of code and of the tables that the program prints. Comments in C have at most LIMIT of
them, and the pages in LATER at most their number: lower these numbers when the text improves.
"""
import os
import re
import sys

LIMIT = 95  # phrases in comments
LATER = {}

# pattern, a sentence that has it, and the advice
PHRASES = [
    (r"(?:^|[.;:] )Of (?!course\b)[a-z`]", "Of a problem with phases", "the noun first: 'For problems with phases'"),
    (r"\bwhat (?!to\b|happens\b|is p\b)", "what a test found", "the noun: 'test results'"),
    (r"(?<![Tt]here )\b(?:is|are|was|were) (?:no|none)\b(?! longer)", "that is no result", "'is not', 'does not have'"),
    (r"\bhas none\b", "the row has none", "'has no ...'"),
    (r"\bsuch (?!as\b)", "those of such tasks", "the noun, or 'this'"),
    (r"\b[Tt]hereby\b|\b[Ww]hoever\b", "thereby", "two sentences"),
    (r"\b[Ss]o (?:is|are|does|do|did|has|have) ", "so is the other", "subject, verb, object"),
    (r", too(?=[.,;:)]|$)", "the other, too.", "'also' before the verb"),
    (r"\bbut for\b", "all but for one", "'except'"),
    (r"\banew\b", "begins anew", "'again', 'restart'"),
    (r"\bplaces? of rest\b|\bknots of rest\b", "a place of rest", "'equilibrium'"),
    (r"\bof one's own\b", "a law of one's own", "'user-defined'"),
    (r"\b[Ww]ant of (?:memory|something)\b", "for want of memory", "'out of memory'"),
    (r"\bheld against\b", "held against differences", "'compared with'"),
    (r"\b(?:is|are|was|were|be) off by\b", "is off by 1 m", "'differs by', 'has an error of'"),
    (r"\bfor a while\b", "limits for a while", "'over an interval'"),
    (r"\bin the place of\b", "in the place of this", "'instead of'"),
    (r"\bcomes? to an optimum\b", "comes to an optimum", "'converges to'"),
]
ANY = re.compile("|".join(pattern for pattern, _, _ in PHRASES))


def prose_of_document(path):
    """Yield (line number, text) of a document without code, links' targets and comments."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    blank = lambda found: re.sub(r"[^\n]", " ", found.group())
    text = re.sub(r"^```.*?^```", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", lambda found: "`" + "_" * (len(found.group()) - 2) + "`", text)
    printed = False  # a table of dmoc --elements
    for number, line in enumerate(text.split("\n"), 1):
        printed = line.startswith("|") and (printed or line.startswith("| element of"))
        if not printed and not line.startswith("    "):
            yield number, re.sub(r"\]\([^)]*\)", "]", line.lstrip("|#-* "))


def comments_of_source(path):
    """Yield (line number, text) of the comments of a C source."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.search(r"//\s*(.*)", line)
            if found and '"' not in line[:found.start()]:
                yield number, found.group(1)


def find_phrases(lines):
    """Yield (line number, phrase, advice)."""
    for number, line in lines:
        if not ANY.search(line):
            continue
        for pattern, _, advice in PHRASES:
            for found in re.finditer(pattern, line):
                yield number, found.group().strip(), advice


def list_files(source, folders, ending):
    for folder in folders:
        for place, _, names in sorted(os.walk(os.path.join(source, folder))):
            yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(ending))


def main(source):
    for pattern, example, _ in PHRASES:
        if not list(find_phrases([(1, example)])):
            sys.exit(f"words.py: '{pattern}' does not find '{example}'")
    documents = [os.path.join(source, name) for name in sorted(os.listdir(source)) if name.endswith(".md")]
    documents += list_files(source, ["docs", "examples"], ".md")
    faults = 0
    for path in documents:
        name = os.path.relpath(path, source)
        found = list(find_phrases(prose_of_document(path)))
        if len(found) > LATER.get(name, 0):
            faults += 1
            print("\n".join(f"{name}:{number}: found '{phrase}', expected {advice}" for number, phrase, advice in found))
    sources = [path for ending in (".c", ".h")
               for path in list_files(source, ["lib", "control", "optim", "problems", "cli"], ending)]
    count = sum(1 for path in sources for _ in find_phrases(comments_of_source(path)))
    if count > LIMIT:
        print(f"comments have {count} of these phrases, at most {LIMIT} (tests/house/words.py lists them)")
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
