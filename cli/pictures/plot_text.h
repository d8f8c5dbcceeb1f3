// cli/pictures/plot_text.h: text of a picture: words of gnuplot's script that are no command and no
// markup, and how much room they take.
#ifndef CLI_PICTURES_PLOT_TEXT_H
#define CLI_PICTURES_PLOT_TEXT_H
#include <stddef.h>
#include <stdio.h>

// Write text between gnuplot's single quotes; what is not plain (lib/base/text.h) becomes _.
void cli_text_quote(FILE *f, const char *text);

// Write text between tags of SVG: its own signs by their names, what is not plain as _.
void cli_text_markup(FILE *f, const char *text);

// The letters of a text, and how wide it is, in units of its font's size: an upper estimate for the
// sans-serif fonts of all formats.
int cli_text_letters(const char *text);
double cli_text_width(const char *text);

// Copy text to out [size], with "…" in the place of its middle where it is wider than `width`.
// Returns out.
const char *cli_text_fit(const char *text, double width, char *out, size_t size);
#endif
