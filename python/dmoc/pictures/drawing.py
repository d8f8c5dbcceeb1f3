"""A picture as a whole: the kinds that are asked for, on one sheet."""
import warnings

from .facts import Exhibit, Request, refuse
from .kinds import KINDS
from .sheet import Sheet


def collect(facts):
    """Return the sheet with the panels that the facts ask for (cli/pictures/facts.h), and the text of a
    kind that writes its own picture."""
    warnings.simplefilter("ignore")  # letters that the font lacks; times that stand still
    exhibits = [Exhibit(each) for each in facts["exhibits"]]
    reference = facts.get("reference")
    sheet = Sheet(
        exhibits,
        facts["shown"],
        Request(facts["request"]),
        facts["phases"],
        None if reference is None else exhibits[reference],
    )
    text = None
    for word in sheet.request.draw:
        needs, draw_kind = KINDS[word]
        if not needs or any(sheet.first.table(file) is not None for file in needs):
            text = draw_kind(sheet)  # of one that writes its own picture: that
    if not text and not sheet.panels:
        refuse(
            f"{facts['operand']} has nothing to draw for --what {sheet.request.what}; see dmoc plot "
            "--help"
        )
    return sheet, text


def draw(facts, file):
    """Draw a picture to a file; return what was found: notes, lines of a summary, members of an
    answer."""
    sheet, text = collect(facts)
    if text:
        file.write(text.encode())
    else:
        sheet.write(file)
    return {"notes": sheet.notes, "lines": sheet.lines, "found": sheet.found}
