// lib/mechanics/force.h: what the rest of the library sees of general forces: generalized forces
// f(q,v,u) with their derivatives. The loads of a tree (lib/multibody/load.h) are one
// implementation; a user's C functions are another. The drag of the air on a slider, -c |v| v, is
//
//   static dm_status drag(const void *self, void *scratch, int order, const double *q,
//                         const double *v, const double *u, dm_force_jet *out) {
//     double c = *(const double *)self;
//     out->f[0] -= c * fabs(v[0]) * v[0];
//     if (order == 2) out->f_v[0] -= 2 * c * fabs(v[0]);
//     return DM_OK;
//   }
//   static dm_status drag_hessian(const void *self, void *scratch, const double *q,
//                                 const double *v, const double *u, const double *mu,
//                                 dm_force_hessian *out) {
//     double c = *(const double *)self;
//     out->vv[0] -= mu[0] * 2 * c * copysign(1, v[0]);
//     return DM_OK;
//   }
//   ...
//   dm_system_add_force(&s, (dm_force){.self = &c, .eval = drag, .contract = drag_hessian});
//
// A system may have several: their sum acts, and the inputs of each follow those before them.
#ifndef DM_MECHANICS_FORCE_H
#define DM_MECHANICS_FORCE_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

enum { DM_MAX_FORCES = 8 }; // of one system

// f and its first derivatives at one (q,v,u), matrices row-major: f_q[i n + j] = df_i / dq_j.
typedef struct dm_force_jet {
  double *f;         // [n]       N or N m: what does the power f.v
  double *f_q, *f_v; // [n x n]
  double *f_u;       // [n x nu]
} dm_force_jet;

// The second derivatives of mu.f: qv[i n + j] = d2 mu.f / dq_i dv_j.
typedef struct dm_force_hessian {
  double *qq, *qv, *vv; // [n x n]
  double *qu, *vu;      // [n x nu]
  double *uu;           // [nu x nu]
} dm_force_hessian;

typedef struct dm_force {
  int nu; // its own inputs
  // Where derivatives can be other than zero; NULL: everywhere. A row or column stands for both q
  // and v. Programs are as sparse as these say.
  const unsigned char *mask;    // [n x n]   symmetric: of f_q, f_v, and of qq, qv, vv for any mu
  const unsigned char *mask_u;  // [n x nu]  of f_u, and of qu, vu
  const unsigned char *mask_uu; // [nu x nu] symmetric: of uu
  const void *self;             // handed to the functions below; may be shared by threads
  size_t scratch;               // bytes each caller lends to them, aligned to 64

  // Add f (order 1), and also f_q, f_v, f_u (order 2), to what stands in out (zeros at first, so
  // that one force can call another). Returns DM_OK or a negative status.
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, const double *v,
                    const double *u, dm_force_jet *out);

  // Add the second derivatives of mu.f, mu [n]. NULL where there are none to offer: such a system
  // has no exact Hessian of a program, and it is refused there.
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *v,
                        const double *u, const double *mu, dm_force_hessian *out);
} dm_force;

// The general forces of a system, copied with it: what their rows point at must outlive it.
typedef struct dm_forces {
  int count; // 0: none
  int nu;    // inputs of all
  dm_force row[DM_MAX_FORCES];
} dm_forces;

// Add one; its inputs follow those that are there. At most DM_MAX_FORCES fit.
void dm_forces_add(dm_forces *f, dm_force force);

// -- the sum of all, of n coordinates: arrays and masks as of one force with all nu inputs. One
// force costs what it costs by itself; several share a scratch of dm_forces_scratch bytes.

size_t dm_forces_scratch(const dm_forces *f, int n);

// Add the sum to what stands in out, as dm_force.eval and dm_force.contract do. Return DM_OK, or
// what the first force that fails returns. Do not allocate.
dm_status dm_forces_eval(const dm_forces *f, int n, void *scratch, int order, const double *q,
                         const double *v, const double *u, dm_force_jet *out);
dm_status dm_forces_contract(const dm_forces *f, int n, void *scratch, const double *q,
                             const double *v, const double *u, const double *mu,
                             dm_force_hessian *out);

// Whether every force offers second derivatives.
bool dm_forces_contractible(const dm_forces *f);

// Whether a derivative can be other than zero: by coordinates i and j; of coordinate i by input c;
// by inputs c and d.
bool dm_forces_couple(const dm_forces *f, int n, int i, int j);
bool dm_forces_driven(const dm_forces *f, int n, int i, int c);
bool dm_forces_couple_inputs(const dm_forces *f, int c, int d);

DM_END_C
#endif
