// cli/pictures/painter.h: python/dmoc/pictures as a child process that draws.
//
//   stdin          the facts (cli/pictures/facts.h)
//   stdout         the picture
//   descriptor 3   its reply: {error} for a picture that cannot be, else {notes, lines, found}: notes
//                  for stderr, lines [[label, text]] of the summary, members of the answer
//
// No path and no name is a word of its command line. It runs the Python of $DMOC_PYTHON, else
// `python3`, with the module of the build, of the wheel, or of the share folder beside the program.
#ifndef CLI_PICTURES_PAINTER_H
#define CLI_PICTURES_PAINTER_H
#include "cli/console/command.h"
#include "cli/console/json.h"

#include <stdio.h>

// Draw the facts to the picture. Returns CLI_DONE with *reply, to be put; else the status of the
// command after saying why: CLI_INPUT also if Python or matplotlib is missing.
int cli_painter_run(const cli_args *args, FILE *facts, FILE *picture, cli_json **reply);
#endif
