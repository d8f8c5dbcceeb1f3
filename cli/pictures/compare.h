// cli/pictures/compare.h: curves of one quantity: of its parts, or of several folders.
#ifndef CLI_PICTURES_COMPARE_H
#define CLI_PICTURES_COMPARE_H
#include "cli/pictures/sheet.h"

// Draw curves [n] under one label. Those that would be flat lines beside the others, as what is
// conserved beside what moves, have a panel with a scale of their own: in place of the first, or
// with `together`, where curves are of different folders, besides. Where all curves of a panel vary
// by less than a hundredth of their size, it shows their change since their start.
void cli_compare(cli_sheet *s, const char *label, const char *unit, const cli_curve *curves, int n,
                 bool together);

// A curve of folder i: its colour and its name; a quantity at knots [rows], `next` apart, or of the
// steps between them, which hold.
cli_curve cli_compare_knots(const cli_sheet *s, int i, const double *y, int next);
cli_curve cli_compare_steps(const cli_sheet *s, int i, const double *y, int next);

// Whether a folder before number f has one of this name: its panel is drawn by then.
typedef enum cli_named { CLI_COORDINATES, CLI_INPUTS, CLI_OUTPUTS } cli_named;
bool cli_compare_before(const cli_sheet *s, int f, cli_named kind, const char *name);

// A panel for each coordinate that --only shows: its place, or its velocity, in every folder.
void cli_compare_states(cli_sheet *s, bool velocity);
#endif
