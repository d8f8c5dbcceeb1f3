// optim/identification/link_inertia.h: ten numbers z of the inertia of a link, each of which may
// have any value: log m, the center c, and an upper triangular A with the pseudo-inertia
//
//   J = [S, m c; m c', m] = U U',   S = A A' + m c c',   U = [A, sqrt(m) c; 0, sqrt(m)]
//
//   z = (log m, c_x, c_y, c_z, log A_xx, log A_yy, log A_zz, A_xy, A_xz, A_yz)
//
// The coefficients of the equations of motion are pi = (m, m c, I_xx I_yy I_zz I_xy I_xz I_yz) with
// I = tr(S) 1 - S about the origin. J is positive definite, so a body with positive mass
// everywhere has this inertia.
//
// Source: [rucker-wensing-2022], [lee-wensing-park-2020] in docs/sources.md.
#ifndef OC_IDENTIFICATION_LINK_INERTIA_H
#define OC_IDENTIFICATION_LINK_INERTIA_H
#include "lib/base/status.h"
#include "lib/multibody/spatial.h"

#include <stdbool.h>

enum { OC_LINK = 10 };

// The numbers of an inertia with mass > 0 about the origin of a frame. thin: each principal width
// is at least this share of the whole; extent [m] of a link that is a point (0: 1 m). A body with a moment about one
// axis alone, as files of machines in a plane have it, is taken for a flat one with this moment.
void oc_link_inertia_start(const dm_inertia *I, double thin, double extent, double z[OC_LINK]);

// Refuse an inertia with mass > 0 of a link that no body has, by more than a hundredth of its largest width, to which
// files round. Returns DM_OK, or DM_BAD_INPUT with a sentence.
dm_status oc_link_inertia_check(const dm_inertia *I, const char *name, dm_message *msg);

// pi of z, and its derivative pi_z [10 x 10], or NULL.
void oc_link_inertia_coefficients(const double z[OC_LINK], double pi[OC_LINK], double *pi_z);
// z of pi; false if J is not positive definite.
bool oc_link_inertia_find(const double pi[OC_LINK], double z[OC_LINK]);
dm_inertia oc_link_inertia_of(const double pi[OC_LINK]);

// (m, c, moments about the center xx yy zz xy xz yz), and their derivative by z [10 x 10], or NULL.
void oc_link_inertia_values(const double z[OC_LINK], double value[OC_LINK], double *value_z);

// The Bregman divergence D = tr(J0^-1 J) - log det(J0^-1 J) - 4 of J(z) from J(z0): 0 at z0. Adds
// `weight` times its gradient [10] and its second derivative along straight lines of J [10 x 10],
// positive definite, or NULL. Returns D.
double oc_link_inertia_divergence(const double z0[OC_LINK], const double z[OC_LINK], double weight,
                                  double *gradient, double *hessian);
#endif
