// lib/unilateral.h: unilateral constraints g_i(q) >= 0: floors, walls, spheres, stops of joints.
//
// The rest of the library sees dm_unilateral: the values of all, gradients and second derivatives
// of some. Contacts of a tree are one implementation; all are rows of lib/constraint.h with a sign,
//
//   g = |x0 - x1|^2 - length^2      at least      a sphere on a sphere: length the sum of radii
//   g = length^2 - |x0 - x1|^2      at most       a sphere in a sphere: length their difference
//   g = axis.(x0 - x1) - length     above         a floor or a wall: length a sphere's radius
//   g = q_coord - length            not below     stops of a joint
//   g = length - q_coord            not above
//
// Source: paper 002, eq. 2; theory section 16 in docs/theory.md.
#ifndef DM_LIB_UNILATERAL_H
#define DM_LIB_UNILATERAL_H
#include "lib/constraint.h"

typedef struct dm_unilateral {
  int ng;
  const double *scale;       // [ng] |g_i| / scale_i is a distance from the boundary, m or rad
  const double *restitution; // [ng] of velocities at an impact, in [0,1]; NULL: all 1
  const void *self;
  size_t scratch; // bytes each caller lends, aligned to 64
  // g [ng] of all
  dm_status (*values)(const void *self, void *scratch, const double *q, double *g);
  // of which [m]: values g [m], and gradients G [m x nq]
  dm_status (*rows)(const void *self, void *scratch, const double *q, int m, const int *which,
                    double *g, double *G);
  // add sum_k lambda_k D2g_which[k] to H [nq x nq]
  dm_status (*bend)(const void *self, void *scratch, const double *q, int m, const int *which,
                    const double *lambda, double *H);
  const char *(*name)(const void *self, int i); // for messages; may be NULL
  const double *friction;                       // [ng] Coulomb's coefficients; NULL: all 0
  // of which [m], all with friction > 0: positions tau [2m] along two tangents of the boundary, m,
  // and their gradients T [2m x nq], unless NULL
  dm_status (*tangents)(const void *self, void *scratch, const double *q, int m, const int *which,
                        double *tau, double *T);
} dm_unilateral;

typedef enum dm_contact_kind {
  DM_AT_LEAST,  // |x0 - x1| >= length
  DM_AT_MOST,   // |x0 - x1| <= length
  DM_ABOVE,     // x0 is at least length away from the plane through x1, on axis of body[1]'s side
  DM_NOT_BELOW, // q_coord >= length
  DM_NOT_ABOVE  // q_coord <= length
} dm_contact_kind;

typedef struct dm_contact {
  const char *name;
  dm_contact_kind kind;
  int body[2];        // in dm_tree.body; -1: the world
  double point[2][3]; // x0, x1 in these bodies' frames                 [m]
  double axis[3];     // unit vector in body[1]'s frame
  double length;      // m, or rad
  int coord;          // in the model's coordinates
  double restitution; // 1: nothing is lost
  double friction;    // Coulomb's coefficient: of DM_ABOVE with length 0, else 0
} dm_contact;

typedef struct dm_contacts dm_contacts;

// Compile contacts of a model; all is copied, m must outlive them. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with a sentence in msg.
dm_status dm_contacts_new(dm_contacts **out, const dm_model *m, int n, const dm_contact *list,
                          dm_message *msg);
void dm_contacts_free(dm_contacts *c);

// The interface; c must outlive it. Cost: O(nj) a call, and O(1) a value, O(depth) a gradient,
// O(depth^2) a second derivative.
dm_unilateral dm_contacts_unilateral(const dm_contacts *c);

// Is q [nq] admissible? Returns DM_OK; DM_INFEASIBLE with a sentence that names the contact that is
// violated most, and by how much; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_unilateral_check(const dm_unilateral *u, const double *q, dm_message *msg);
#endif
