#include "control/feedback/rest.h"

#include "lib/base/block.h"
#include "lib/discrete/equilibrium.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

fb_rest_settings fb_rest_default(void) {
  return (fb_rest_settings){.time = 1, .max_steps = 1e6, .near = 0.1};
}

// an equilibrium, and the inputs and impulses that hold it
typedef struct rest {
  double *q, *u, *lambda; // [n], [nu], [nc]
  bool *fixed;            // [n] scratch: all fixed
} rest;

static void lay_out_rest(rest *at, dm_block *b, const dm_trajectory *x) {
  at->q = dm_block_alloc(b, (size_t)x->n, sizeof *at->q);
  at->u = dm_block_alloc(b, (size_t)x->nu, sizeof *at->u);
  at->lambda = dm_block_alloc(b, (size_t)x->nc, sizeof *at->lambda);
  at->fixed = dm_block_alloc(b, (size_t)x->n, sizeof *at->fixed);
}

// "'elbow'", or its number
static const char *write_coordinate(char text[80], const char *const *name, int i) {
  if (name)
    snprintf(text, 80, "'%.64s'", name[i]);
  else
    snprintf(text, 80, "%d", i);
  return text;
}

// an equilibrium at the end of the motion, or near it
static dm_status find_rest(const dm_trajectory *x, const dm_system *s, const fb_rest_settings *set,
                           rest *at, dm_message *msg) {
  for (int i = 0; i < x->n; i++) {
    at->q[i] = x->q[x->N * x->n + i];
    at->fixed[i] = true;
  }

  // at q_N itself, if u and lambda can hold it; else the smallest change of q to an equilibrium
  dm_status status =
      dm_equilibrium_find(s, at->fixed, NULL, x->h, at->q, at->u, at->lambda, set->coord, msg);
  if (status == DM_INFEASIBLE)
    status = dm_equilibrium_find(s, NULL, NULL, x->h, at->q, at->u, at->lambda, set->coord, msg);

  if (status == DM_OK) {
    // whether u* is within the input limits
    char name[80];
    for (int j = 0; j < x->nu; j++) {
      double min = set->u_min ? set->u_min[j] : -INFINITY;
      double max = set->u_max ? set->u_max[j] : INFINITY;
      if (at->u[j] < min || at->u[j] > max)
        return dm_fail(msg, DM_INFEASIBLE,
                       "rest there needs %.4g of %s, expected a value within its limits [%g, %g]",
                       at->u[j], write_coordinate(name, set->input, j), min, max);
    }
    return DM_OK;
  }
  return status;
}

// max |q* - q_N|, which the law must correct; if a coordinate differs by more than its share of its
// size, it is not the goal of the plan
static dm_status check_rest_distance(const dm_trajectory *x, const dm_system *s, const rest *at,
                                     const fb_rest_settings *set, double *off, dm_message *msg) {
  const double *end = x->q + (size_t)x->N * (size_t)x->n;
  char name[80];
  *off = 0;
  for (int i = 0; i < x->n; i++) {
    const bool slides = s->length && s->length[i];
    const double most = slides && s->extent > 0 ? set->near * s->extent : set->near;
    const double distance = fabs(at->q[i] - end[i]);
    *off = fmax(*off, distance);
    if (distance > most)
      return dm_fail(msg, DM_INFEASIBLE,
                     "the nearest equilibrium has %s off by %.2g %s, expected at most %.3g",
                     write_coordinate(name, set->coord, i), distance, slides ? "m" : "rad", most);
  }
  return DM_OK;
}

// the motion, then the given number of steps at the equilibrium
static dm_status append_rest(dm_trajectory **out, const dm_trajectory *x, const dm_system *s,
                             const rest *at, int steps, dm_message *msg) {
  // the equilibrium replaces the last knot, and is repeated
  dm_trajectory *after = NULL;
  dm_status status = dm_trajectory_of(&after, steps, s);
  if (status == DM_OK) {
    after->h = x->h;
    status = dm_trajectory_rest(after, s, at->q, at->u, at->lambda);
  }
  if (status == DM_OK) status = dm_trajectory_join(out, x, after);
  dm_trajectory_free(after);
  return status == DM_OK ? DM_OK : dm_fail(msg, status, "%s", dm_status_text(status));
}

dm_status fb_rest_append(dm_trajectory **out, const dm_trajectory *x, const dm_system *s,
                         const fb_rest_settings *set, int *steps, double *off, dm_message *msg) {
  dm_message why = {""};
  rest at;
  dm_block b = {0};
  assert(out && steps && off && set->time > 0 && x->h > 0 && x->n == s->L.nq);
  *out = NULL;

  // a count that fits an int, and memory
  if (set->time / x->h > set->max_steps)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "the motion cannot rest at its end: that takes %.3g steps of %g s, expected at most %g",
        set->time / x->h, x->h, set->max_steps);
  lay_out_rest(&at, &b, x);
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  lay_out_rest(&at, &b, x);

  // whole steps that cover the time, up to rounding
  *steps = (int)ceil(set->time / x->h - 1e-9);

  // an equilibrium near the end, or a message if none is near
  dm_status status = find_rest(x, s, set, &at, &why);
  if (status == DM_OK) status = check_rest_distance(x, s, &at, set, off, &why);
  if (status == DM_INFEASIBLE)
    dm_fail(msg, status, "the motion cannot rest at its end: %.400s", why.text);
  else if (status != DM_OK)
    dm_fail(msg, status, "%s", why.text[0] ? why.text : dm_status_text(status));
  if (status == DM_OK) status = append_rest(out, x, s, &at, *steps, msg);
  dm_block_free(b.base);
  return status;
}
