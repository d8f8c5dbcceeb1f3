// cli/commands/formula_text.h: `export --formula NAME`: a formula of a problem as C99 (control/codegen/tape_source.h).
#ifndef CLI_COMMANDS_FORMULA_TEXT_H
#define CLI_COMMANDS_FORMULA_TEXT_H
#include "cli/console/command.h"

// Write NAME.c and NAME.h into the folder of -o, or here: an output, constraint or term of the cost by formula, a potential,
// or a force of `model.forces`, whose components have the functions NAME_1, NAME_2 and so on. Solves nothing. Returns an exit
// status after reporting errors.
int cli_formula_text(const cli_args *args);
#endif
