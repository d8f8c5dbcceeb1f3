// lib/mechanics/unilateral.h: interface of unilateral constraints g_i(q) >= 0: the values of all,
// gradients and second derivatives of selected ones.
//
// g is called a gap: zero at contact and negative inside an obstacle. Most contacts are usually
// open, so that derivatives are evaluated for a list `which` of relevant contacts. The contacts of
// a tree (lib/multibody/contact_geometry.h) implement this interface.
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
  const double *scale;       // [ng] |g_i| / scale_i is a distance from the boundary in m or rad
  const bool *angle;         // [ng] the distance is in rad; NULL: all are in m
  const double *restitution; // [ng] of velocities at an impact, in [0,1]; NULL: all 1
  const void *self;
  size_t scratch; // bytes of scratch, aligned to 64, that the caller provides
  // values g [ng] of all
  dm_status (*values)(const void *self, void *scratch, const double *q, double *g);
  // for the contacts in which [m]: values g [m] and gradients G [m x nq]
  dm_status (*rows)(const void *self, void *scratch, const double *q, int m, const int *which,
                    double *g, double *G);
  // add sum_k lambda_k D2g_which[k] to H [nq x nq]
  dm_status (*contract)(const void *self, void *scratch, const double *q, int m, const int *which,
                        const double *lambda, double *H);
  // Optional, for many contacts of few bodies each: gap i depends on the coordinates column[first[i]]
  // .. column[first[i + 1] - 1] alone, and `entries` writes the gradients' entries there, of one
  // contact of the list after another, instead of G. NULL: each gap depends on all coordinates.
  const int *first, *column; // [ng + 1], [first[ng]]
  dm_status (*entries)(const void *self, void *scratch, const double *q, int m, const int *which,
                       double *g, double *entry);
  // A change of q with sum |dq_j| over these coordinates below reach(i, g) leaves gap i positive, if
  // it is g now; at most 0 if no bound is known
  double (*reach)(const void *self, int i, double g);
  const char *(*name)(const void *self, int i); // for messages; may be NULL
  const double *friction;                       // [ng] Coulomb coefficients; NULL: all 0
  // for the contacts in which [m], all with friction > 0: positions tau [2m] along two tangents of
  // the boundary, m, of the points that touch it at q, and, if T is not NULL, their gradients
  // T [2m x nq]. With another configuration of a step, which is NULL otherwise, the points are
  // the means of those that touch at either end: the difference of tau from one to the other is
  // the sliding of the step, that of a rolling body zero.
  dm_status (*tangents)(const void *self, void *scratch, const double *q, const double *other,
                        int m, const int *which, double *tau, double *T);
} dm_unilateral;

// Check that q [nq] is admissible within 1e-9 rad, or 1e-9 of a length of the robot [m] (0: 1 m).
// Returns DM_OK; DM_INFEASIBLE with a sentence that names the most violated contact and its
// violation; DM_NO_MEMORY; DM_NOT_FINITE.
dm_status dm_unilateral_check(const dm_unilateral *u, double length, const double *q,
                              dm_message *msg);

// Check that all contacts are closed at q [nq] within the same tolerance. Returns as above, with a
// sentence about the most open contact.
dm_status dm_unilateral_check_closed(const dm_unilateral *u, double length, const double *q,
                                     dm_message *msg);

DM_END_C
#endif
