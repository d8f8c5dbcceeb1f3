#include "control/feedback/law_tables.h"

#include <math.h>

const char *const fb_form_names[] = {"state", "velocity", "positions", "difference", NULL};

size_t fb_law_packed(int n) {
  return (size_t)n * ((size_t)n + 1) / 2;
}

tables fb_law_tables(const fb_output_feedback *w) {
  const fb_tvlqr *f = &w->f;
  const fb_envelope *e = f->envelope;
  const int nu = f->nu, N = w->N, packed = (int)fb_law_packed(w->nm);
  const bool measures_speed = w->form == FB_VELOCITY || w->form == FB_DIFFERENCE;
  const dm_drive_limits *lines = measures_speed ? f->drives : NULL;
  tables T = {.steps = N,
              .nq = w->n,
              .nu = nu,
              .ny = w->ny,
              .nf = w->form == FB_POSITIONS && !w->exact ? w->nf : 0,
              .late = f->late,
              .h = f->h,
              .rate = 1 / f->h,
              .u_d = {w->c, N, nu},
              .y_d = {w->y_d, N + 1, w->ny},
              .v_d = {w->v_d, w->has_speeds ? N + 1 : 0, w->n},
              .G = {w->G, N, nu * w->ny},
              .u_min = w->unlimited,
              .u_max = w->unlimited + nu,
              .turns = w->turns,
              .rubs = w->compensates ? nu : 0,
              .friction = w->compensates ? f->friction->force : NULL,
              .rubbing = w->compensates ? f->friction->along : NULL,
              .mass = {w->mass, w->compensates ? N : 0, nu},
              .ahead = {w->ahead, w->compensates ? N : 0, nu},
              .lines = lines ? lines->n : 0,
              .stall = lines ? lines->stall : NULL,
              .slope = lines ? lines->slope : NULL,
              .moved = lines ? lines->coord : NULL,
              .speeds = lines && !w->exact ? w->n : 0,
              .slews = f->rate_limit ? nu : 0,
              .u_step = w->u_step,
              .nm = e ? w->nm : 0,
              .P = {w->P, e && w->nm ? N : 0, packed},
              .ni = f->ni,
              .integral = f->integral,
              .nl = f->nl,
              .lagging = f->lagging,
              .share = f->share,
              .follows = w->near ? 2 * w->n : 0,
              .near = w->near,
              .tree = w->exact ? f->tree : NULL,
              .continuous = w->continuous};

  // the parts of an envelope that are set
  if (!e) return T;
  T.bound = e->bound;
  T.cost = &e->cost;
  T.damping = e->damping;
  T.along = e->along;
  for (int i = 0; i < w->n; i++)
    if (isfinite(e->bound[i])) T.bounds = w->n;
  for (int i = 0; i < nu; i++)
    if (e->damping[i] != 0) T.brakes = nu;
  return T;
}
