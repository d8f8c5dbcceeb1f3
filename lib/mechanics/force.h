// lib/mechanics/force.h: interface of general forces: generalized forces f(q,v,u) with their
// derivatives. The loads of a tree (lib/multibody/load.h) implement it; user-defined C functions
// may as well. The aerodynamic drag of a slider, -c |v| v, is
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
// A system may have several forces; they add up, and the inputs of each follow those of the
// previous one.
#ifndef DM_MECHANICS_FORCE_H
#define DM_MECHANICS_FORCE_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

enum { DM_MAX_FORCES = 8 }; // per system

// f and its first derivatives at one (q,v,u), matrices row-major: f_q[i n + j] = df_i / dq_j.
typedef struct dm_force_jet {
  double *f;         // [n]       N or N m, conjugate to v: the power is f.v
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
  int nu; // number of its own inputs
  // Sparsity: nonzero if a derivative may be nonzero; NULL: everywhere. A row or column refers to
  // both q and v. The sparsity of programs depends on these masks.
  const unsigned char *mask;    // [n x n]   symmetric: of f_q, f_v, and of qq, qv, vv for any mu
  const unsigned char *mask_u;  // [n x nu]  of f_u, and of qu, vu
  const unsigned char *mask_uu; // [nu x nu] symmetric: of uu
  const void *self;             // passed to the functions below; may be shared by threads
  size_t scratch;               // bytes of scratch, aligned to 64, that the caller provides

  // Add f (order 1), and also f_q, f_v, f_u (order 2), to out, which is initially zero, so that one
  // force can call another. Returns DM_OK or a negative status.
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, const double *v,
                    const double *u, dm_force_jet *out);

  // Add the second derivatives of mu.f, mu [n]. NULL if not available: exact Hessians of programs
  // then do not exist, and programs refuse the system.
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *v,
                        const double *u, const double *mu, dm_force_hessian *out);
} dm_force;

// The general forces of a system, copied with it; the data of each row must outlive it.
typedef struct dm_forces {
  int count; // 0: none
  int nu;    // inputs of all forces
  dm_force row[DM_MAX_FORCES];
} dm_forces;

// Append a force; its inputs follow the existing ones. At most DM_MAX_FORCES.
void dm_forces_add(dm_forces *f, dm_force force);

// -- the sum of all forces for n coordinates, with arrays and masks as for one force with all nu
// inputs. A single force has no overhead; several share a scratch of dm_forces_scratch bytes.

size_t dm_forces_scratch(const dm_forces *f, int n);

// Add the sum to out, as dm_force.eval and dm_force.contract do. Return DM_OK, or the status of the
// first force that fails. Do not allocate.
dm_status dm_forces_eval(const dm_forces *f, int n, void *scratch, int order, const double *q,
                         const double *v, const double *u, dm_force_jet *out);
dm_status dm_forces_contract(const dm_forces *f, int n, void *scratch, const double *q,
                             const double *v, const double *u, const double *mu,
                             dm_force_hessian *out);

// Returns true if every force has second derivatives.
bool dm_forces_contractible(const dm_forces *f);

// Return true if a derivative may be nonzero: by coordinates i and j; of coordinate i by input c;
// by inputs c and d.
bool dm_forces_couple(const dm_forces *f, int n, int i, int j);
bool dm_forces_driven(const dm_forces *f, int n, int i, int c);
bool dm_forces_couple_inputs(const dm_forces *f, int c, int d);

DM_END_C
#endif
