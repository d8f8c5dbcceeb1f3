// optim/nlp/hsl.h: linear solvers of IPOPT in a library of the user: HSL's MA27, MA57, MA77, MA86 and MA97.
//
// dmoc neither contains nor distributes HSL. Its license binds the user of the library
// (https://licences.stfc.ac.uk); the free one for academics and the personal one do not allow to pass the library on.
// Libraries are loaded when a problem that names them is read, so its reader names a missing file or routine.
#ifndef OC_NLP_HSL_H
#define OC_NLP_HSL_H
#include "lib/base/status.h"

#include <stdbool.h>

// Is this the name of a solver of HSL: ma27, ma57, ma77, ma86, ma97?
bool oc_hsl_has(const char *solver);

// Check that a library [a path, or a name that the system's loader finds] has the routines of a solver. Returns DM_OK; or
// DM_BAD_INPUT with a sentence in msg (may be NULL): "hsllib: found 'x.so', which cannot be loaded (..)",
// "hsllib: found .., which has no routine ma57bd". The library stays loaded.
dm_status oc_hsl_check(const char *library, const char *solver, dm_message *msg);
#endif
