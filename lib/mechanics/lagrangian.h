// lib/mechanics/lagrangian.h: interface of a mechanical system: L(q,v) and its derivatives. The
// tree of lib/multibody/model.h implements it (lib/multibody/tree_lagrangian.h); user-defined C
// functions may as well.
#ifndef DM_MECHANICS_LAGRANGIAN_H
#define DM_MECHANICS_LAGRANGIAN_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

// The derivatives of L at one (q,v), matrices row-major.
typedef struct dm_jet {
  double L;                   // J
  double *L_q, *L_v;          // [n]
  double *L_qq, *L_qv, *L_vv; // [n x n]  L_qv[i n + j] = d2L / dq_i dv_j
} dm_jet;

typedef struct dm_lagrangian {
  int nq;
  int idle;                  // L does not depend on the last `idle` coordinates
  bool quadratic;            // L is known to be v.L_vv(q) v/2 - V(q)
  const unsigned char *mask; // [nq x nq] symmetric: 0 if L_qq, L_qv, L_vv and T are always zero
  const void *self;          // passed to the functions below; may be shared by threads
  size_t scratch;            // bytes of scratch, aligned to 64, that the caller provides

  // L and its gradient (order 1), and also its Hessian (order 2; otherwise L_qq, L_qv, L_vv are not
  // written). Returns DM_OK or a negative status.
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, const double *v,
                    dm_jet *out);

  // T(a), the Hessian of DL(q,v).(a_q,a_v), into L_qq, L_qv, L_vv of out. NULL if L has no third
  // derivatives: exact Hessians of programs then do not exist, and programs refuse the system.
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *v,
                        const double *a_q, const double *a_v, dm_jet *out);

  // The same at several points at once, if lanes > 1: entry i of point l is at i lanes + l in every
  // array, and out->L is the sum. Fill unused lanes with copies of another point.
  int lanes;            // 0 or 1: not available
  size_t lanes_scratch; // bytes
  dm_status (*lanes_eval)(const void *self, void *scratch, int order, const double *q,
                          const double *v, dm_jet *out);
  dm_status (*lanes_contract)(const void *self, void *scratch, const double *q, const double *v,
                              const double *a_q, const double *a_v, dm_jet *out);
} dm_lagrangian;

DM_END_C
#endif
