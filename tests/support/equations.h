// tests/support/equations.h: M(q) and f(q,v) of M a + f = 0 for a robot as read, in MuJoCo's
// velocities: for a ball joint the angular rates x, y, z about the axes of its body.
//
// With rates (r_x, r_y, r_z) of the three successive rotations z, x, y, in the frame after them,
//   w = (r_x, r_y, r_z),   dw/dt = a + (-r_z r_y, r_z r_x, r_x r_y),
// and the equation of motion is d/dt L_v - L_q - forces = 0, with L and forces of the internal
// system.
#ifndef TESTS_SUPPORT_EQUATIONS_H
#define TESTS_SUPPORT_EQUATIONS_H
#include "lib/multibody/ball_joint.h"
#include "problems/readers/model/robot.h"

#include <stdlib.h>
#include <string.h>

typedef struct equations {
  dm_system s;
  const pb_robot *robot;
  int n;   // number of velocities
  int *to; // [n] the velocity of each coordinate of the tree
  double *q, *v, *a, *u, *f, *numbers;
  void *scratch;
} equations;

static inline equations equations_open(const pb_robot *robot) {
  const dm_model *m = robot->mechanism.tree;
  const size_t n = (size_t)m->nq, nu = (size_t)m->nu + 1;
  equations e = {.s = dm_robot_inside(&robot->mechanism), .robot = robot, .n = m->nq};
  e.to = calloc(n, sizeof *e.to);
  e.q = calloc(4 * n + nu, sizeof *e.q);
  e.v = e.q + n;
  e.a = e.v + n;
  e.f = e.a + n;
  e.u = e.f + n;
  e.numbers = calloc(5 * n * n + 2 * n + n * nu, sizeof *e.numbers);
  size_t scratch = e.s.L.scratch, forces = dm_forces_scratch(&e.s.force, m->nq);
  if (forces > scratch) scratch = forces;
  e.scratch = aligned_alloc(64, (scratch + 127) & ~(size_t)63);
  for (int i = 0; i < m->nq; i++) e.to[i] = i;
  for (int j = dm_ball_next(m, 0); j < m->nj; j = dm_ball_next(m, j + 1)) {
    const int c = m->coord[j];
    e.to[c] = c + 2;
    e.to[c + 1] = c;
    e.to[c + 2] = c + 1;
  }
  return e;
}

static inline void equations_close(equations *e) {
  free(e->to);
  free(e->q);
  free(e->numbers);
  free(e->scratch);
}

// q [robot->mechanism.model->nq] external coordinates, v [n]; out: M [n x n] and f [n]. Returns a
// status of the library.
static inline dm_status equations_at(equations *e, const double *q, const double *v, double *M,
                                     double *f) {
  const dm_model *m = e->robot->mechanism.tree;
  const int n = e->n;
  double *x = e->numbers;
  dm_jet jet = {.L_q = x,
                .L_v = x + n,
                .L_qq = x + 2 * n,
                .L_qv = x + 2 * n + n * n,
                .L_vv = x + 2 * n + 2 * n * n};
  dm_force_jet force = {e->f, x + 2 * n + 3 * n * n, x + 2 * n + 4 * n * n, x + 2 * n + 5 * n * n};
  pb_robot_to_tree(e->robot, q, e->q);
  for (int i = 0; i < n; i++) {
    e->v[i] = v[e->to[i]];
    e->a[i] = e->f[i] = 0;
  }
  for (int j = dm_ball_next(m, 0); j < m->nj; j = dm_ball_next(m, j + 1)) {
    // z, x, y: w is unchanged
    const int c = m->coord[j];
    const double z = e->v[c], wx = e->v[c + 1], y = e->v[c + 2];
    e->a[c] = -wx * y;
    e->a[c + 1] = z * y;
    e->a[c + 2] = -z * wx;
  }
  dm_status s = e->s.L.eval(e->s.L.self, e->scratch, 2, e->q, e->v, &jet);
  if (s == DM_OK && e->s.force.count)
    s = dm_forces_eval(&e->s.force, n, e->scratch, 1, e->q, e->v, e->u, &force);
  if (s != DM_OK) return s;
  for (int i = 0; i < n; i++) {
    double sum = -jet.L_q[i] - e->f[i] + m->damping[i] * e->v[i];
    for (int j = 0; j < n; j++) {
      sum += jet.L_vv[i * n + j] * e->a[j] + jet.L_qv[j * n + i] * e->v[j];
      M[e->to[i] * n + e->to[j]] = jet.L_vv[i * n + j];
    }
    f[e->to[i]] = sum;
  }
  return DM_OK;
}
#endif
