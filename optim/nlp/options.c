#include "optim/nlp/options.h"

#include <math.h>
#include <stdio.h>

#define FIELDS(...) __VA_ARGS__
#define LIST_OPTION(section, key, member, TYPE, default_, fields, ...)                             \
  {.path = #section "." #key,                                                                      \
   .type = OC_OPTION_##TYPE,                                                                       \
   .at = offsetof(oc_options, member),                                                             \
   FIELDS fields,                                                                                  \
   __VA_ARGS__},
const oc_option oc_option_rows[] = {OC_OPTIONS(LIST_OPTION)};

#define SET_DEFAULT(section, key, member, TYPE, default_, ...) .member = default_,
oc_options oc_options_default(void) {
  return (oc_options){
      OC_OPTIONS(SET_DEFAULT)
          // those that only callers in C set
          .newton.length = 1e-12,
      .newton.coarse = 20,
      .descent.method = OC_NEWTON,
      .descent.share = 1e-10,
      .descent.goal = 1e-8,
      .starts.threads = 1,
      .starts.turn = 1.5707963267948966,
      .starts.work = INFINITY,
  };
}

unsigned oc_solvers_of(oc_solver_kind method) {
  static const unsigned solvers[] = {[OC_SOLVER_AUTO] = OC_BY_ALL,
                                     [OC_SOLVER_IPOPT] = OC_BY_IPOPT,
                                     [OC_SOLVER_NEWTON] = OC_BY_NEWTON,
                                     [OC_SOLVER_STAGE] = OC_BY_STAGE};
  return solvers[method];
}

const char *oc_solvers_list(unsigned solvers, char *text, size_t size) {
  static const char *const name[] = {"stage", "ipopt", "newton", "descent", "starts"};
  size_t at = 0;
  if (size > 0) text[0] = 0;
  for (unsigned i = 0; i < sizeof name / sizeof *name && at < size; i++)
    if (solvers & 1U << i)
      at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", name[i]);
  return text;
}
