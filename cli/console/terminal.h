// cli/console/terminal.h: what a terminal can show: how wide it is, colours, curves drawn in blocks.
// A pipe, a file and the ranks of MPI get none of this.
#ifndef CLI_CONSOLE_TERMINAL_H
#define CLI_CONSOLE_TERMINAL_H
#include <stdbool.h>
#include <stdio.h>

// The characters of a line of the terminal that f is, at least 20; 80 where it does not tell. 0: f
// is no terminal.
int cli_terminal_width(FILE *f);

// Whether f is a terminal that shows colours, and NO_COLOR is not set (no-color.org).
bool cli_terminal_has_colours(FILE *f);

// Whether f is a terminal whose characters are UTF-8, as LC_ALL, LC_CTYPE or LANG say.
bool cli_terminal_has_blocks(FILE *f);

// What changes the colour of what follows, or "" where f has no colours.
typedef enum cli_colour { CLI_PLAIN, CLI_RED, CLI_GREEN, CLI_YELLOW } cli_colour;
const char *cli_terminal_colour(FILE *f, cli_colour colour);

// Cut UTF-8 text after `width` characters at most, the last of them then '~'. Returns text.
char *cli_terminal_cut(char *text, int width);

// A curve as `width` blocks of eight heights, U+2581 to U+2588: block b is the mean of x over its
// part of x[0], x[stride], .. [n], between low and high; not finite: a blank. low = high: the lowest
// all along. `text` has room for CLI_BLOCK * width + 1 bytes; returns text.
enum { CLI_BLOCK = 3 };
char *cli_terminal_curve(const double *x, int n, int stride, double low, double high, int width,
                         char *text);
#endif
