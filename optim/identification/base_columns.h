// optim/identification/base_columns.h: the independent columns among the derivatives of a robot's residual by its
// coefficients (base parameters).
//
//   Y = Y_base T      Y [n x all], Y_base [n x count]: some of the columns of Y,  T [count x all]
//
// T depends on the robot's joints and frames alone, not on its motion: many coefficients of links act only in sums,
// for example all moments of a link about axes that it does not turn about. So normal equations need Y_base alone,
// and S of all columns is T' S_base T. Columns of links and of armature are reduced; the others are kept, and with
// lengths among the parameters, which change the frames, or ball joints, all columns are.
//
// T is found by orthogonalization of Y at random steps, with the column of the largest rest as the next one.
//
// Source: [gautier-1990] in docs/sources.md; docs/theory.md section 33.
#ifndef OC_IDENTIFICATION_BASE_COLUMNS_H
#define OC_IDENTIFICATION_BASE_COLUMNS_H
#include "optim/identification/motion_residual.h"

typedef struct oc_base_columns {
  int all, count; // columns of Y, of Y_base
  int *column;    // [count] those of Y_base, ascending
  int *place;     // [all] their inverse; -1: depends on others
  double *T;      // [count x all]
  double *half;   // [all + 1] scratch
} oc_base_columns;

// The columns of w for the parameters x. Returns DM_OK, DM_NO_MEMORY or the status of a step.
dm_status oc_base_columns_new(oc_base_columns **out, const oc_fit_parameters *x,
                              oc_motion_residual *w, double h);
void oc_base_columns_free(oc_base_columns *b); // accepts NULL

// S [(all+1) x (all+1)] and raw [all], the diagonal of Y'Y or more, from those of the base. Does not allocate.
void oc_base_columns_expand(const oc_base_columns *b, const double *S_base, const double *raw_base,
                            double *S, double *raw);
#endif
