// cli/stages/exported.h: the law that is exported, by the C itself: written, compiled by the compiler
// that this computer has, loaded, and called in the place of the library's law.
//
//   cli_exported_open(&e, job); // controller.c -> a shared object -> its functions
//   cli_exported_begin(e);      // job->law->f runs by them, until cli_exported_end
#ifndef CLI_STAGES_EXPORTED_H
#define CLI_STAGES_EXPORTED_H
#include "cli/stages/job.h"

typedef struct cli_exported cli_exported;

// Compile the job's law: CLI_DONE; CLI_INPUT where there is no compiler, where it fails, or where
// the law cannot be exported; CLI_FAULT. On all but CLI_DONE *out is NULL, and it has said why.
int cli_exported_open(cli_exported **out, cli_job *job);
void cli_exported_close(cli_exported *e); // NULL is accepted

// Let the job's law run by it; and by the library's again.
void cli_exported_begin(cli_exported *e);
void cli_exported_end(cli_exported *e);

// "controller_velocity of controller.c, compiled by cc": which law that is.
const char *cli_exported_law(const cli_exported *e);
#endif
