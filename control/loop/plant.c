#include "control/loop/plant.h"

#include "config.h"
#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_CVODE
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

void fb_plant_free(fb_plant *p) {
  if (p->free) p->free(p->self);
  *p = (fb_plant){0};
}

static bool is_finite(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return isfinite(sum);
}

// -- the discrete map

typedef struct discrete {
  dm_del *del;
  int n;
  double *q, *p; // [n] the end of the last step
  double *dq;    // [n] the last step
} discrete;

static dm_status step_discrete(void *self, double *x, const double *u, double h) {
  discrete *w = self;
  int n = w->n;
  size_t bytes = (size_t)n * sizeof(double);
  dm_del_info info;

  // the last step again is the guess, where the motion goes on from it
  bool goes_on = memcmp(x, w->q, bytes) == 0;
  for (int i = 0; i < n; i++) w->q[i] = x[i] + (goes_on ? w->dq[i] : 0);

  // (q0,p0) -> (q1,p1); x changes only where that is found
  dm_status s = dm_del_step(w->del, x, x + n, u, h, w->q, w->p, &info);
  if (s == DM_OK && !(is_finite(n, w->q) && is_finite(n, w->p))) s = DM_NOT_FINITE;
  if (s != DM_OK) return s;
  for (int i = 0; i < n; i++) w->dq[i] = w->q[i] - x[i];
  memcpy(x, w->q, bytes);
  memcpy(x + n, w->p, bytes);
  return DM_OK;
}

static void free_discrete(void *self) {
  discrete *w = self;
  if (w) dm_del_free(w->del);
  dm_block_free(w);
}

static void lay_out_discrete(void *self, dm_block *b) {
  discrete *w = self;
  w->q = dm_block_alloc(b, (size_t)w->n, sizeof *w->q);
  w->p = dm_block_alloc(b, (size_t)w->n, sizeof *w->p);
  w->dq = dm_block_alloc(b, (size_t)w->n, sizeof *w->dq);
}

dm_status fb_plant_discrete(fb_plant *out, const dm_system *s) {
  assert(out);
  discrete sizes = {.n = s->L.nq};
  discrete *w = dm_block_make(&sizes, sizeof sizes, lay_out_discrete);
  if (!w) return DM_NO_MEMORY;

  // the step's solver, Newton's method with its default settings
  dm_status status = dm_del_new(&w->del, s, NULL);
  if (status != DM_OK) {
    free_discrete(w);
    return status;
  }
  *out = (fb_plant){.n = s->L.nq,
                    .nu = dm_system_inputs(s),
                    .self = w,
                    .step = step_discrete,
                    .free = free_discrete};
  return DM_OK;
}

// -- the continuous equations ([hindmarsh-2005] in docs/sources.md)

#ifdef HAVE_CVODE
typedef struct continuous {
  dm_continuous *mechanics;
  int n;
  const double *u;  // held over the step under way
  double *y;        // [2n] (q,v)
  dm_status failed; // what the equations of motion said last
  SUNContext context;
  N_Vector state;
  SUNNonlinearSolver solver;
  void *cvode;
} continuous;

// (q,v)' = (v, a(q,v,u))
static int evaluate_motion(realtype t, N_Vector state, N_Vector rate, void *self) {
  continuous *w = self;
  const double *y = N_VGetArrayPointer(state);
  double *dy = N_VGetArrayPointer(rate);
  (void)t;

  // an iterate of CVODE's may be no state at all
  memcpy(dy, y + w->n, (size_t)w->n * sizeof *dy);
  w->failed = is_finite(2 * w->n, y) ? dm_acceleration(w->mechanics, y, y + w->n, w->u, dy + w->n)
                                     : DM_NOT_FINITE;
  return w->failed == DM_OK ? 0 : 1; // 1: try a smaller step
}

static dm_status step_continuous(void *self, double *x, const double *u, double h) {
  continuous *w = self;
  int n = w->n;
  size_t bytes = (size_t)n * sizeof(double);
  double t = 0;

  // (q,v) of the state, in CVODE's own vector
  w->u = u;
  memset(w->y + n, 0, bytes);
  DM_TRY(dm_configuration_of(w->mechanics, x, w->y, w->y + n));

  // inputs have jumped: begin anew, and end at h itself, not interpolated from beyond
  if (CVodeReInit(w->cvode, 0, w->state) != CV_SUCCESS ||
      CVodeSetStopTime(w->cvode, h) != CV_SUCCESS)
    return DM_FAULT;

  // where the equations failed at every step, their reason is the plant's
  int flag = CVode(w->cvode, h, w->state, &t, CV_NORMAL);
  if (flag < 0) return w->failed != DM_OK ? w->failed : DM_MAX_ITER;
  if (!is_finite(2 * n, w->y)) return DM_NOT_FINITE;
  return dm_state_of(w->mechanics, w->y, w->y + n, x);
}

static void free_continuous(void *self) {
  continuous *w = self;
  if (!w) return;

  // the context last: all the others belong to it
  CVodeFree(&w->cvode);
  if (w->solver) SUNNonlinSolFree(w->solver);
  if (w->state) N_VDestroy(w->state);
  if (w->context) SUNContext_Free(&w->context);
  dm_continuous_free(w->mechanics);
  dm_block_free(w);
}

// CVODE prints what goes wrong unless somebody takes it; the flags say enough
static void ignore_cvode_error(int code, const char *module, const char *function, char *text,
                               void *user) {
  (void)code;
  (void)module;
  (void)function;
  (void)text;
  (void)user;
}

static dm_status begin_cvode(continuous *w, const dm_system *s, double rtol) {
  enum { MAX_STEPS = 20000 };
  DM_TRY(dm_continuous_new(&w->mechanics, s));

  // Adams' methods with fixed-point iterations: motion is smooth within a step, and needs no
  // Jacobian
  if (SUNContext_Create(NULL, &w->context) != 0) return DM_NO_MEMORY;
  w->state = N_VMake_Serial(2 * w->n, w->y, w->context);
  w->cvode = w->state ? CVodeCreate(CV_ADAMS, w->context) : NULL;
  w->solver = w->state ? SUNNonlinSol_FixedPoint(w->state, 0, w->context) : NULL;
  if (!w->cvode || !w->solver) return DM_NO_MEMORY;

  if (CVodeSetErrHandlerFn(w->cvode, ignore_cvode_error, NULL) != CV_SUCCESS ||
      CVodeInit(w->cvode, evaluate_motion, 0, w->state) != CV_SUCCESS ||
      CVodeSStolerances(w->cvode, rtol, rtol) != CV_SUCCESS ||
      CVodeSetUserData(w->cvode, w) != CV_SUCCESS ||
      CVodeSetNonlinearSolver(w->cvode, w->solver) != CV_SUCCESS ||
      CVodeSetMaxNumSteps(w->cvode, MAX_STEPS) != CV_SUCCESS)
    return DM_FAULT;
  return DM_OK;
}

static void lay_out_continuous(void *self, dm_block *b) {
  continuous *w = self;
  w->y = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->y);
}

dm_status fb_plant_continuous(fb_plant *out, const dm_system *s, double rtol) {
  assert(out && rtol > 0);
  if (s->nk) return DM_UNAVAILABLE;
  continuous sizes = {.n = s->L.nq};
  continuous *w = dm_block_make(&sizes, sizeof sizes, lay_out_continuous);
  if (!w) return DM_NO_MEMORY;
  dm_status status = begin_cvode(w, s, rtol);
  if (status != DM_OK) {
    free_continuous(w);
    return status;
  }
  *out = (fb_plant){
      .n = s->L.nq, .nu = s->nu, .self = w, .step = step_continuous, .free = free_continuous};
  return DM_OK;
}
#else
dm_status fb_plant_continuous(fb_plant *out, const dm_system *s, double rtol) {
  (void)out;
  (void)s;
  (void)rtol;
  return DM_UNAVAILABLE;
}
#endif
