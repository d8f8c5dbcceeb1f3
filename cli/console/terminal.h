// cli/console/terminal.h: capabilities of a terminal: width, colors, and curves of block
// characters. Pipes, files and MPI ranks have none.
#ifndef CLI_CONSOLE_TERMINAL_H
#define CLI_CONSOLE_TERMINAL_H
#include <stdbool.h>
#include <stdio.h>

// The width of the terminal f in characters, at least 20; 80 if unknown. 0: f is not a terminal.
int cli_terminal_width(FILE *f);

// Whether f is a terminal with colors, and NO_COLOR is not set (no-color.org).
bool cli_terminal_has_colours(FILE *f);

// Whether f is a terminal with UTF-8 characters, according to LC_ALL, LC_CTYPE or LANG.
bool cli_terminal_has_blocks(FILE *f);

// The escape sequence that sets a color, or "" if f has no colors.
typedef enum cli_colour { CLI_PLAIN, CLI_RED, CLI_GREEN, CLI_YELLOW } cli_colour;
const char *cli_terminal_colour(FILE *f, cli_colour colour);

// Truncate UTF-8 text to at most `width` characters, replacing the last by '~'. Returns text.
char *cli_terminal_cut(char *text, int width);

// Draw a curve as `width` blocks of eight heights, U+2581 to U+2588: block b is the mean of x over
// its part of x[0], x[stride], .. [n], between low and high; blank if not finite; the lowest if low
// = high. `text` has room for CLI_BLOCK * width + 1 bytes; returns text.
enum { CLI_BLOCK = 3 };
char *cli_terminal_curve(const double *x, int n, int stride, double low, double high, int width,
                         char *text);
#endif
