// lib/mechanics/unilateral.h: what the rest of the library sees of unilateral constraints
// g_i(q) >= 0: the values of all, gradients and second derivatives of some.
//
// A g is called a gap: it is zero where a contact is closed and negative inside an obstacle. Most
// contacts are open at most times, so that derivatives are asked for by a list `which` of those that
// matter. Contacts of a tree (lib/multibody/contact_geometry.h) are one implementation.
//
// Source: paper 002, eq. 2; theory section 16 in docs/theory.md.
#ifndef DM_MECHANICS_UNILATERAL_H
#define DM_MECHANICS_UNILATERAL_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

typedef struct dm_unilateral {
  int ng;
  const double *scale;       // [ng] |g_i| / scale_i is a distance from the boundary, m or rad
  const bool *angle;         // [ng] that distance is in rad; NULL: all are in m
  const double *restitution; // [ng] of velocities at an impact, in [0,1]; NULL: all 1
  const void *self;
  size_t scratch; // bytes each caller lends, aligned to 64
  // g [ng] of all
  dm_status (*values)(const void *self, void *scratch, const double *q, double *g);
  // of which [m]: values g [m], and gradients G [m x nq]
  dm_status (*rows)(const void *self, void *scratch, const double *q, int m, const int *which,
                    double *g, double *G);
  // add sum_k lambda_k D2g_which[k] to H [nq x nq]
  dm_status (*contract)(const void *self, void *scratch, const double *q, int m, const int *which,
                        const double *lambda, double *H);
  const char *(*name)(const void *self, int i); // for messages; may be NULL
  const double *friction;                       // [ng] Coulomb's coefficients; NULL: all 0
  // of which [m], all with friction > 0: positions tau [2m] along two tangents of the boundary, m,
  // and their gradients T [2m x nq], unless NULL
  dm_status (*tangents)(const void *self, void *scratch, const double *q, int m, const int *which,
                        double *tau, double *T);
} dm_unilateral;

// Is q [nq] admissible, up to 1e-9 rad or of a length of the robot [m], 0: 1 m? Returns DM_OK; DM_INFEASIBLE with a sentence that names the contact that is
// violated most, and by how much; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_unilateral_check(const dm_unilateral *u, double length, const double *q,
                              dm_message *msg);

// Are all contacts closed at q [nq], as exactly? Returns as above, with a sentence on the one that is
// open most.
dm_status dm_unilateral_check_closed(const dm_unilateral *u, double length, const double *q,
                                     dm_message *msg);

DM_END_C
#endif
