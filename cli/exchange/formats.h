// cli/exchange/formats.h: the formats of other programs to which results are converted.
//
// A format is a row of type cli_format in its own source. To add a format, add such a source, its
// name to this list, and its word to the choices of --to (cli/console/args.c).
#ifndef CLI_EXCHANGE_FORMATS_H
#define CLI_EXCHANGE_FORMATS_H
#include "cli/report/exhibit.h"
#include "cli/report/phase_list.h"
#include "problems/readers/model/visuals.h"

// The input of a conversion: a result folder, or its phases.
typedef struct cli_conversion {
  const cli_args *args;         // for messages
  const cli_phase_list *phases; // n 0: none
  const cli_exhibits *all;      // the folder with its motion, or one per phase
} cli_conversion;

typedef struct cli_format {
  const char *word, *suffix; // for --to; for -o
  const char *file;          // file name in the folder, without -o (cli/results/record.h)
  bool phases;               // writes all phases to one file

  // Writes the file. Returns an exit status after reporting errors.
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

extern const cli_format *const cli_formats[]; // terminated by NULL

// Note which visuals of a robot are left out, the first of them in full.
void cli_note_missing(const cli_args *args, const pb_visuals *looks);
#endif
