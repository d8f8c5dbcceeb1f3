#include "problems/readers/task/stiff_steps.h"

#include "lib/base/text.h"

#include <stdio.h>
#include <string.h>

bool pb_stiff_steps_describe(const pb_problem *p, int i, double h, bool guessed,
                             char text[PB_STIFF_STEPS_TEXT]) {
  const dm_system *s = &p->task.system;
  const double rate = dm_system_decay(s, i);
  text[0] = 0;
  if (!(rate * h > 1)) return false;

  // position in the file, and joint
  const bool slides = p->model->kind[i] == DM_SLIDE;
  const bool settles = p->simulate.order <= 2 && !s->rule.inner; // by an added inertia
  char from[96] = "", effect[280];
  if (settles && p->fit.now->added[i] > 0)
    snprintf(from, sizeof from, " (%.2g %s over %.2g %s)", s->inertia[i], slides ? "kg" : "kg m2",
             s->damping[i], slides ? "N s/m" : "N m s/rad");

  // describe the consequence
  const size_t size = sizeof effect;
  const char *kg = p->model->kind[i] == DM_SLIDE ? "kg" : "kg m2";
  const double added = p->fit.now->added[i];

  // composed steps contain backward steps, in which damping increases a speed: their product does
  // not match the decay, whatever inertia is added
  if (p->simulate.order > 2)
    snprintf(
        effect, size,
        "steps of order %d are made of parts, some of them backwards, in which damping drives a "
        "speed up: it does not settle as it should; take shorter steps, or simulate.order 2",
        p->simulate.order);
  // for rules with inner nodes the amplification tends to 1 or -1, whatever inertia is added
  else if (p->task.system.rule.inner)
    snprintf(
        effect, size,
        "a rule with nodes within the step does not settle its speed there; take shorter steps, "
        "or the rule midpoint");
  // the rule damps it well enough, but the motion resolves it only coarsely
  else if (added == 0)
    snprintf(
        effect, size,
        "the motion has the mean of its speed in each step; take shorter steps for more detail");
  else
    snprintf(effect, size,
             "dmoc adds an inertia of %.2g %s, so that its speed settles without oscillation; take "
             "shorter steps for more detail",
             added, kg);

  snprintf(text, PB_STIFF_STEPS_TEXT,
           "%.120s:%d: the damping of '%.64s' decays in %.2g s%s, within a step of %.2g s%s%s %s",
           p->file.path, p->fit.line, p->model->name[i], 1 / rate, from, h,
           guessed ? " (by the guessed final time)" : "", settles ? ":" : ", and", effect);
  dm_text_make_plain(text, NULL, '?');
  return true;
}
