"""Formulas that documents write as plain text, set in HTML as a book sets them.

Letters are italic, words and digits upright; `q_k`, `q1` and `a_{k+1}` get subscripts, `e^-y` and
`h^(1-2k)` superscripts, as do the letters and digits that Unicode has raised or lowered.
"""
import html
import re
import unicodedata

GREEK = "α-ωΓ-Ω"
MARKS = "\u0300-\u036f\u20d7"  # bars, tildes, dots and arrows that follow their letter
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀᶜ", "0123456789+−Tc"))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₋ₕ", "0123456789−h"))
SIGNS = {"-": "−", "'": "′", "*": "∗", ">=": "≥", "<=": "≤"}
NAME = re.compile(r"[a-z]{2,}[\w.-]*(/[\w.*-]+)*|[\w.-]+(/[\w.-]+)+\.\w+|[\w.-]+: \w+|%\S+"
                  r"|[\w-]+\.(md|json|yaml|csv|h|c)")
OPERATOR = re.compile(rf"[dDJHCf][a-zA-Z{GREEK}]")  # a product or a differential, not a word
TOKEN = re.compile(
    rf"(?P<word>[A-Za-z]{{2,}}(?![{MARKS}]))"
    rf"|(?P<letter>[A-Za-z{GREEK}ℓ][{MARKS}]*)(?P<digits>\d+[a-z]?(?![\d.]))?"
    r"|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)"
    rf"|_(?P<sub>\{{[^}}]*\}}|\([^)]*\)|p\([a-z]\)|[\dA-Za-z{GREEK}]+(?:,[ij]+(?![\w(]))?)"
    r"|\^(?P<sup>\([^)]*\)|-?\w+)"
    rf"|(?P<raised>[{''.join(RAISED)}]+)|(?P<lowered>[{''.join(LOWERED)}]+)"
    r"|(?P<sign><=|>=|[-'*])|(?P<other>.)", re.S)


# a symbol with an index, in prose
SYMBOL = re.compile(rf"(?<![\w/.-])[A-Za-z{GREEK}][{MARKS}]*_(?:\{{[^}}]*\}}|[\dA-Za-z{GREEK}]+)(?![\w/]|\.\w)")


def is_formula(text):
    """Whether a code span of a mathematical document is a formula rather than a name of the code."""
    return not NAME.fullmatch(text)


def italic(letters):
    return "".join(f"<i>{letter}</i>" for letter in re.findall(rf"\w[{MARKS}]*", letters))


def set_word(word):
    """Return letters that stand together: a word, or a product of one-letter symbols."""
    if re.fullmatch(r"H[uh]{2}", word):  # a block of a Hessian
        return f"<i>H</i><sub>{italic(word[1:])}</sub>"
    product = word.isupper() or (len(word) == 2 and OPERATOR.fullmatch(word))
    return italic(word) if product else word


def set_index(text):
    """Return what stands below or above the line: brackets that only hold it together are dropped."""
    if text[0] == "{" or (text[0] == "(" and len(text) > 3):
        text = text[1:-1]
    if re.fullmatch(r"[A-Za-z]+", text):
        return text if len(text) > 2 else italic(text)
    return set_line(text)


def set_token(found):
    kind, text = found.lastgroup, found.group()
    if kind == "digits":
        return f"{italic(found['letter'])}<sub>{set_line(found['digits'])}</sub>"
    if kind == "letter":
        return text if "Γ" <= text[0] <= "Ω" else italic(text)
    if kind == "word":
        return set_word(text)
    if kind in ("sub", "sup"):
        return f"<{kind}>{set_index(found[kind])}</{kind}>"
    if kind == "raised":
        return f"<sup>{''.join(RAISED[c] for c in text)}</sup>"
    if kind == "lowered":
        return f"<sub>{''.join(LOWERED[c] for c in text)}</sub>"
    return html.escape(SIGNS.get(text, text), quote=False)


def set_line(text):
    """Return a formula of one line as HTML."""
    return TOKEN.sub(set_token, unicodedata.normalize("NFD", text)).replace("</sub><sub>", ",")


def set_prose(text):
    """Return HTML of prose with its symbols set that have an index; tags and what is code stay as they are."""
    pieces = re.split(r"(<(pre|code|a)\b.*?</\2>|<[^>]*>)", text, flags=re.S)
    pieces[::3] = [SYMBOL.sub(lambda found: f'<span class="math">{set_line(found.group())}</span>', piece)
                   for piece in pieces[::3]]
    del pieces[2::3]
    return "".join(pieces)


def set_block(text):
    """Return a displayed block: formulas that stand three or more spaces apart may go to lines of their own."""
    lines = [re.split(r" {3,}(?!=)", line.strip()) for line in text.strip("\n").split("\n")]
    rows = ["".join(f"<span>{set_line(part)}</span> " for part in line) for line in lines]
    return '<div class="formula">' + "".join(f"<div>{row.rstrip()}</div>" for row in rows) + "</div>"
