#include "problems/readers/model/mjcf_fluid.h"

#include <math.h>
#include <stdio.h>

// limit: over a distance of its own size, a body loses half this share of its speed
static const double MOST = 0.02;

// the larger of the density and viscosity measures for a body
static double find_share(const pb_mjcf *m, const dm_body *body) {
  double J[3], side[3], size = 0, volume = 1;
  if (!(body->mass > 0) || !pb_tree_moments(body, J)) return 0;
  for (int i = 0; i < 3; i++) {
    const double square = 6 / body->mass * (J[(i + 1) % 3] + J[(i + 2) % 3] - J[i]);
    side[i] = sqrt(fmax(square, 0));
    volume *= side[i];
    size += side[i] / 3;
  }
  const double displaced = m->density * volume / body->mass;
  const double rate = 3 * acos(-1) * size * m->viscosity / body->mass;
  return fmax(displaced, rate * sqrt(size / 9.81));
}

dm_status pb_mjcf_fluid(const pb_mjcf_parts *w) {
  const pb_mjcf *m = &w->m;
  double most = 0;
  int worst = -1;
  if (m->density == 0 && m->viscosity == 0) return DM_OK;

  // the moving body with the largest fluid force relative to its inertia
  for (int b = 0; b < w->t->nbody; b++) {
    const double share = find_share(m, &w->t->body[b]);
    if (!(share > most) || !pb_tree_moves_body(w->t, b)) continue;
    most = share;
    worst = b;
  }
  if (worst < 0) return DM_OK;

  // refuse a large force, warn of a small one
  const pb_xml_node *at = pb_mjcf_section(m, "option", NULL);
  if (most > MOST && w->t->r->draft) {
    snprintf(w->t->unmodelled.text, sizeof w->t->unmodelled.text,
             "the fluid of <option> is not modelled: it acts on body '%.64s' by %.2g of its own "
             "inertia",
             w->t->body[worst].name, most);
    return DM_OK;
  }
  if (most > MOST)
    return pb_refuse_xml(m->x, at,
                         "<option>: found a fluid that acts on body '%.64s' by %.2g of its own "
                         "inertia, which is not modelled, expected density=\"0\" and "
                         "viscosity=\"0\", and damping of joints",
                         w->t->body[worst].name, most);
  return pb_warn_xml(m->x, at,
                     "<option>: the fluid is not modelled: it acts on body '%.64s' by %.2g of its "
                     "own inertia",
                     w->t->body[worst].name, most);
}
