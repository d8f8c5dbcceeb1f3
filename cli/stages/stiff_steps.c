#include "cli/stages/stiff_steps.h"

#include "cli/console/log.h"
#include "problems/readers/task/stiff_steps.h"

void cli_warn_stiff_steps(const cli_args *args, const pb_problem *p, const char *phase,
                          const dm_trajectory *x, bool *warned) {
  const bool guessed = !x && p->task.time.free;
  const double h = x ? x->h : p->fit.step;
  char text[PB_STIFF_STEPS_TEXT];
  for (int i = 0; !*warned && !args->again && p->model && i < p->model->nq; i++) {
    if (!pb_stiff_steps_describe(p, i, h, guessed, text)) continue;
    if (phase)
      cli_note(args, "warning: phase %s: %s", phase, text);
    else
      cli_note(args, "warning: %s", text);
  }
  *warned = true;
}

void cli_warn_other_fit(const cli_args *args, const pb_problem *p, const dm_trajectory *x) {
  cli_note(
      args,
      "warning: damping is fitted to steps of %.3g s, and they are %.3g s long: guess the final "
      "time nearer to %.3g s (horizon.time.guess)",
      p->fit.step, x->h, x->h * x->N);
}
