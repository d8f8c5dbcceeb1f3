// cli/results/registry.h: all files of a result folder except result.json and the copies of its
// inputs (inputs/).
//
// Each file has a row of type cli_result_file in the source file that writes and reads it. To add a
// file, add such a source, for example cli/results/fan.c, and its name to this list: the record of
// a folder (cli/results/record.h), columns.txt (cli/results/columns.h) and pictures use the list.
#ifndef CLI_RESULTS_REGISTRY_H
#define CLI_RESULTS_REGISTRY_H
#include "cli/console/json.h"
#include "cli/results/tables.h"
#include "problems/readers/task/problem.h"

// In the order of the digests in result.json.
#define CLI_RESULT_FILES(X)                                                                        \
  X(trajectory)                                                                                    \
  X(outputs)                                                                                       \
  X(impulses)                                                                                      \
  X(schedule)                                                                                      \
  X(multipliers)                                                                                   \
  X(violations)                                                                                    \
  X(convergence)                                                                                   \
  X(optima)                                                                                        \
  X(descent)                                                                                       \
  X(compare)                                                                                       \
  X(contacts)                                                                                      \
  X(monitors)                                                                                      \
  X(plant)                                                                                         \
  X(columns)                                                                                       \
  X(second_order)                                                                                  \
  X(momenta)                                                                                       \
  X(gains)                                                                                         \
  X(estimator)                                                                                     \
  X(measured)                                                                                      \
  X(verify)                                                                                        \
  X(fan)                                                                                           \
  X(response)                                                                                      \
  X(robustness)                                                                                    \
  X(region)                                                                                        \
  X(criteria)                                                                                      \
  X(controller_source)                                                                             \
  X(controller_header)                                                                             \
  X(controller_trace)                                                                              \
  X(controller_replay)                                                                             \
  X(linearization)                                                                                 \
  X(second)                                                                                        \
  X(reach)

// Context for reading a table; all is borrowed.
typedef struct cli_table_source {
  const pb_names *names;
  const pb_problem *problem;
  const cli_json *result; // result.json of the folder
} cli_table_source;

// The parts of columns.txt in order; within a part, files are in the order of the list above.
typedef enum cli_part {
  CLI_PART_MOTION,
  CLI_PART_PLANT,
  CLI_PART_GAINS,
  CLI_PART_ESTIMATOR,
  CLI_PART_LINEARIZATION,
  CLI_PART_VERIFY,
  CLI_PART_EXPORT,
  CLI_PART_SOLVER,
  CLI_PART_MONITORS,
  CLI_PART_CONTACTS,
  CLI_PARTS
} cli_part;

typedef enum cli_table_kind {
  CLI_NOT_READ,
  CLI_ROWS,  // rows of any kind
  CLI_KNOTS, // knots that follow one another (cli_table_check_knots)
  CLI_RUNS,  // those of several runs
} cli_table_kind;

typedef struct cli_result_file {
  const char *name;    // in the folder
  const char *stage;   // that writes it: motion, or a later stage
  cli_part part;       // of columns.txt
  const char *columns; // meaning of its columns for all results; NULL: not a table

  // Its first line: columns that are the same for all robots, then those by names, each after a
  // comma. first is NULL if the line depends on more than names; header is NULL without them.
  const char *first;
  void (*header)(FILE *f, const pb_names *names);

  // How cli_result_read reads it, or a function of its own.
  cli_table_kind kind;
  const char *only; // a key of result.json without which there is no table; NULL: none
  dm_status (*read)(cli_table *table, const pb_file *file, const cli_table_source *from,
                    dm_message *msg);
} cli_result_file;

// Write the first line of a table, with its newline; or without, where more columns follow.
void cli_table_begin(FILE *f, const cli_result_file *of, const pb_names *names);
void cli_table_columns(FILE *f, const cli_result_file *of, const pb_names *names);

// Read a table by its first line; more columns may follow with `more`. Returns as cli_table_read.
dm_status cli_table_read_columns(cli_table *table, const pb_file *file, const cli_result_file *of,
                                 const pb_names *names, bool more, dm_message *msg);

// Whether the program reads this table; and read it: table->x is to be freed. The table is empty if
// the result does not have it. Returns DM_OK, DM_IO, DM_NO_MEMORY, or DM_BAD_INPUT with the reason
// in msg.
bool cli_result_is_read(const cli_result_file *of);
dm_status cli_result_read(const cli_result_file *of, cli_table *table, const pb_file *file,
                          const cli_table_source *from, dm_message *msg);

#define CLI_DECLARE_FILE(word) extern const cli_result_file cli_file_##word;
CLI_RESULT_FILES(CLI_DECLARE_FILE)
#undef CLI_DECLARE_FILE

// The number of files.
#define CLI_COUNT_FILE(word) +1
enum { CLI_FILES = 0 CLI_RESULT_FILES(CLI_COUNT_FILE) };
#undef CLI_COUNT_FILE

extern const cli_result_file *const cli_result_files[CLI_FILES];

// The name in a result's folder of a file with this name in the list: the same, but that of a
// controller begins with its prefix, if there is one: controller.prefix of the result. Returns name
// or text.
enum { CLI_RESULT_NAME = 128 };
const char *cli_result_name(const char *name, const cli_json *result, char text[CLI_RESULT_NAME]);

// The index of the file with this name in the list, or -1.
int cli_result_find(const char *name);
#endif
