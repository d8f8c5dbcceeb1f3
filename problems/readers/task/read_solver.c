#include "problems/readers/task/read_solver.h"

#include "optim/nlp/ipopt.h"

#include <math.h>
#include <string.h>

typedef struct solver_section {
  double tol, max_time, pace;
  int max_iter;
  const char *method;
  const pb_node *linear;
} solver_section;

const pb_key pb_solver_keys[] = {
    PB_KEY(solver_section, tol, .type = PB_NUMBER, .also = "tolerance eps", .range = "> 0",
           .absent = "1e-9",
           .about = "Tolerance of optimality and feasibility, as in IPOPT; `newton` stops at a "
                    "decrement of 1e-12 of the cost"),
    PB_KEY(solver_section, max_iter, .type = PB_INTEGER,
           .also = "max_iterations maxiter iterations", .range = ">= 1", .absent = "3000",
           .about = "Iterations of all restarts and guesses together; each finer grid, and each "
                    "grid of `newton`, has this many"),
    PB_KEY(solver_section, max_time, .type = PB_NUMBER, .unit = "s", .range = "> 0",
           .absent = "none", .words = "none",
           .about = "Wall-clock time of all searches of a command"),
    PB_KEY(solver_section, pace, .type = PB_NUMBER, .unit = "s", .range = "> 0",
           .note = "0.15 of the horizon",
           .about = "Time constant of the stabilizing gains in `descend`, in descents during "
                    "searches, and in rollouts along a second-order solution"),
    PB_KEY(solver_section, method, .type = PB_WORD, .absent = "auto",
           .words = "auto ipopt newton stage",
           .about = "`stage`: dmoc's own interior-point method; `ipopt`; `auto`: `stage`, then "
                    "`ipopt` if `stage` fails or `solver.linear` names an IPOPT solver; `newton` "
                    "only for second-order transcriptions; `--solver` overrides it"),
    PB_KEY(solver_section, linear, .type = PB_NODE, .note = "auto", .words = "name of a solver",
           .about = "Linear solver of IPOPT: `ldl` (for long, narrow programs) or `mumps`; `auto` "
                    "chooses by a cost model and tries the other one on failure"),
    {0}};

dm_status pb_solver_read(const pb_reader *r, const pb_node *node, pb_solver *out) {
  solver_section s = {.pace = NAN};
  const char *const *known = oc_ipopt_solvers();
  int n = 0, which = 0;
  while (known[n]) n++;

  // linear solvers by IPOPT's names; the default is the first
  DM_TRY(pb_schema_read(r, "solver", node, pb_solver_keys, &s));
  if (s.linear) DM_TRY(pb_schema_name(r, "solver.linear", s.linear, "solver", known, n, &which));
  if (!strcmp(s.method, "stage") && !strcmp(known[which], "mumps"))
    return pb_refuse_node(r, s.linear,
                          "solver.linear: found mumps beside method: stage, which has ldl alone, "
                          "expected ldl or auto");
  out->tol = s.tol;
  out->max_iter = s.max_iter;
  out->max_time = s.max_time;
  out->pace = isnan(s.pace) ? 0 : s.pace;
  out->newton = !strcmp(s.method, "newton");
  out->stage = !strcmp(s.method, "stage");
  out->ipopt = !strcmp(s.method, "ipopt");
  out->linear = pb_copy(r->arena, known[which], strlen(known[which]));
  return out->linear ? DM_OK : DM_NO_MEMORY;
}
