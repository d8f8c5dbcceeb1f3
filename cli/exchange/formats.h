// cli/exchange/formats.h: the formats of other programs that results are converted to.
//
// A format is a row of type cli_format in a source of its own. A new one is such a source, its word
// in this list, and its word among the choices of --to (cli/console/args.c).
#ifndef CLI_EXCHANGE_FORMATS_H
#define CLI_EXCHANGE_FORMATS_H
#include "cli/report/exhibit.h"
#include "cli/report/phase_list.h"
#include "problems/readers/model/visuals.h"

// What is converted: a result folder, or the phases of one.
typedef struct cli_conversion {
  const cli_args *args;         // of messages
  const cli_phase_list *phases; // n 0: there are none
  const cli_exhibits *all;      // the folder with its motion, or one for each phase
} cli_conversion;

typedef struct cli_format {
  const char *word, *suffix; // of --to; of -o
  const char *file;          // in the folder, where -o is not given (cli/results/record.h)
  bool phases;               // takes all phases in one file

  // Writes the file. Returns an exit status after saying what went wrong.
  int (*write)(const cli_conversion *c, FILE *f);
} cli_format;

// In the order of the choices of --to.
#define CLI_FORMATS(X)                                                                             \
  X(mcap)                                                                                          \
  X(npz)                                                                                           \
  X(mujoco)

#define CLI_DECLARE_FORMAT(word) extern const cli_format cli_format_##word;
CLI_FORMATS(CLI_DECLARE_FORMAT)
#undef CLI_DECLARE_FORMAT

extern const cli_format *const cli_formats[]; // ended by NULL

// Say which looks of a robot are left out, the first of them in full.
void cli_note_missing(const cli_args *args, const pb_visuals *looks);
#endif
