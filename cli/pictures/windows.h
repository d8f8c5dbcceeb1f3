// cli/pictures/windows.h: what a task asks for a while, drawn over that while.
#ifndef CLI_PICTURES_WINDOWS_H
#define CLI_PICTURES_WINDOWS_H
#include "cli/pictures/sheet.h"

// The limits of row r (of an output, a coordinate or its speed: pb_outputs), where they are near a curve
// from min to max: dashed lines, dots at one time. Returns whether there are lines.
bool cli_windows_draw(cli_sheet *s, int r, double min, double max, int colour);

// The same of input i, over its steps.
bool cli_windows_draw_input(cli_sheet *s, int i, double min, double max, int colour);
#endif
