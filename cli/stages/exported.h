// cli/stages/exported.h: run the exported controller as C code: write it, compile it with the local
// compiler, load it, and call it in place of the library's controller.
//
//   cli_exported_open(&e, call); // controller.c -> a shared object -> its functions
//   cli_exported_begin(e);      // call->run.control.law->f uses it until cli_exported_end
#ifndef CLI_STAGES_EXPORTED_H
#define CLI_STAGES_EXPORTED_H
#include "cli/stages/call.h"

typedef struct cli_exported cli_exported;

// Compile the run's controller. Returns CLI_DONE; CLI_INPUT if there is no compiler, compilation
// fails, or the controller cannot be exported; or CLI_FAULT. Unless CLI_DONE, *out is NULL and the
// error is reported.
int cli_exported_open(cli_exported **out, cli_call *call);
void cli_exported_close(cli_exported *e); // NULL is accepted

// Switch the run's controller to the compiled code, and back to the library's.
void cli_exported_begin(cli_exported *e);
void cli_exported_end(cli_exported *e);

// The name of the controller: "controller_velocity of controller.c, compiled by cc".
const char *cli_exported_law(const cli_exported *e);
#endif
