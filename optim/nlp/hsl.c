#include "optim/nlp/hsl.h"

#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ROUTINES = 5, LONGEST = 48 };

// the routines that IPOPT needs of each: Fortran names, whose spelling depends on the compiler, or names in C
static const struct solver {
  const char *name, *routine[ROUTINES];
} solvers[] = {
    {"ma27", {"ma27ad", "ma27bd", "ma27cd", "ma27id"}},
    {"ma57", {"ma57ad", "ma57bd", "ma57cd", "ma57ed", "ma57id"}},
    {"ma77", {"ma77_default_control_d", "ma77_analyse_d", "ma77_factor_d", "ma77_solve_d"}},
    {"ma86", {"ma86_default_control_d", "ma86_analyse_d", "ma86_factor_d", "ma86_solve_d"}},
    {"ma97", {"ma97_default_control_d", "ma97_analyse_d", "ma97_factor_d", "ma97_solve_d"}},
};

static const struct solver *find_solver(const char *name) {
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
    if (!strcmp(solvers[i].name, name)) return &solvers[i];
  return NULL;
}

bool oc_hsl_has(const char *solver) {
  assert(solver);
  return find_solver(solver) != NULL;
}

// a routine as compilers spell it: name, name_, NAME, NAME_
static bool has_routine(void *library, const char *routine) {
  for (int upper = 0; upper < 2; upper++)
    for (int underscore = 0; underscore < 2; underscore++) {
      char name[LONGEST];
      snprintf(name, sizeof name, "%s%s", routine, underscore ? "_" : "");
      for (char *c = name; upper && *c; c++) *c = (char)toupper((unsigned char)*c);
      if (dlsym(library, name)) return true;
    }
  return false;
}

dm_status oc_hsl_check(const char *library, const char *solver, dm_message *msg) {
  assert(library && solver && oc_hsl_has(solver));
  const struct solver *of = find_solver(solver);
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return dm_fail(msg, DM_BAD_INPUT, "hsllib: found '%.120s', which cannot be loaded (%.160s)",
                   library, dlerror());
  for (int i = 0; i < ROUTINES && of->routine[i]; i++)
    if (!has_routine(handle, of->routine[i]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "hsllib: found '%.120s', which has no routine %s, expected a library with %s",
                     library, of->routine[i], solver);
  return DM_OK;
}
