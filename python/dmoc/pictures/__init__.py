"""Pictures of results, by matplotlib: what `dmoc plot` draws.

The program checks folders and options, and hands what it knows (cli/pictures/facts.h in its sources)
to `python3 dmoc/pictures/__main__.py`, which writes the picture. `kinds` is the table of the kinds of
pictures, a function each; `facts` what they read, `sheet` what they draw on.
"""
