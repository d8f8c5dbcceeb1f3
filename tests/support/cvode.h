// tests/support/cvode.h: the continuous equations of motion integrated by SUNDIALS' CVODE: a plant
// that shares only the accelerations with the library's own plant. [hindmarsh-2005] in
// docs/sources.md.
#ifndef TESTS_SUPPORT_CVODE_H
#define TESTS_SUPPORT_CVODE_H
#include "config.h"
#include "tests/support/models.h"
#include "tests/support/skips.h"

#ifdef HAVE_CVODE
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct cvode {
  dm_continuous *mechanics;
  int n;
  const double *u;
  double *y; // [2n] (q,v)
  SUNContext context;
  N_Vector state;
  SUNMatrix J;
  SUNLinearSolver linear;
  void *memory;
} cvode;

// (q,v)' = (v, a(q,v,u))
static inline int cvode_rate(realtype t, N_Vector state, N_Vector rate, void *self) {
  cvode *w = self;
  const double *y = N_VGetArrayPointer(state);
  double *dy = N_VGetArrayPointer(rate);
  (void)t;
  memcpy(dy, y + w->n, (size_t)w->n * sizeof *dy);
  return dm_acceleration(w->mechanics, y, y + w->n, w->u, dy + w->n) == DM_OK ? 0 : 1;
}

static inline dm_status cvode_step(void *self, double *x, const double *u, double h) {
  cvode *w = self;
  double t;
  w->u = u;
  memset(w->y, 0, 2 * (size_t)w->n * sizeof *w->y);
  DM_TRY(dm_configuration_of(w->mechanics, x, w->y, w->y + w->n));
  assert_int_equal(CVodeReInit(w->memory, 0, w->state), CV_SUCCESS);
  assert_int_equal(CVodeSetStopTime(w->memory, h), CV_SUCCESS);
  if (CVode(w->memory, h, w->state, &t, CV_NORMAL) < 0) return DM_NOT_FINITE;
  return dm_state_of(w->mechanics, w->y, w->y + w->n, x);
}

static inline void cvode_free(void *self) {
  cvode *w = self;
  CVodeFree(&w->memory);
  SUNLinSolFree(w->linear);
  SUNMatDestroy(w->J);
  N_VDestroy(w->state);
  SUNContext_Free(&w->context);
  dm_continuous_free(w->mechanics);
  free(w->y);
  free(w);
}

// Adams methods, or backward differentiation formulas for stiff systems
static inline fb_plant cvode_plant(const dm_system *s, bool stiff, double rtol) {
  cvode *w = calloc(1, sizeof *w);
  w->n = s->L.nq;
  w->y = calloc(2 * (size_t)w->n, sizeof *w->y);
  assert_int_equal(dm_continuous_new(&w->mechanics, s), DM_OK);
  assert_int_equal(SUNContext_Create(NULL, &w->context), 0);
  w->state = N_VMake_Serial(2 * w->n, w->y, w->context);
  w->J = SUNDenseMatrix(2 * w->n, 2 * w->n, w->context);
  w->linear = SUNLinSol_Dense(w->state, w->J, w->context);
  w->memory = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, w->context);
  assert_int_equal(CVodeInit(w->memory, cvode_rate, 0, w->state), CV_SUCCESS);
  assert_int_equal(CVodeSStolerances(w->memory, rtol, rtol), CV_SUCCESS);
  assert_int_equal(CVodeSetUserData(w->memory, w), CV_SUCCESS);
  assert_int_equal(CVodeSetLinearSolver(w->memory, w->linear, w->J), CV_SUCCESS);
  assert_int_equal(CVodeSetMaxNumSteps(w->memory, 1000000), CV_SUCCESS);
  return (fb_plant){.n = w->n, .nu = s->nu, .self = w, .step = cvode_step, .free = cvode_free};
}
#else
static inline fb_plant cvode_plant(const dm_system *s, bool stiff, double rtol) {
  (void)s, (void)stiff, (void)rtol;
  return (fb_plant){0};
}
#endif

// Skip a test if the build has no CVODE.
static inline void cvode_needed(void) {
#ifndef HAVE_CVODE
  skip_test(NO_CVODE);
#endif
}

#endif
