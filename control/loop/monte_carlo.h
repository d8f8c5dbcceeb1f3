// control/loop/monte_carlo.h: does the feedback hold? Seeded samples of perturbed starts.
//
//   (q,v)_0 = (q,v)_d,0 + d,   d_i uniform in [-spread_i, spread_i]
//   error_k = max_i |(q,v)_k - (q,v)_d,k|_i / scale_i       a sample succeeds: error_N <= tolerance
//
// and every output that has a bound is within it (control/loop/output_errors.h), and no limit of a
// position was passed at a knot (control/loop/position_limits.h).
//
// Each start is brought onto the constraints and run in a closed loop (control/loop/closed_loop.h).
// A start outside the limits of positions is drawn again, up to FB_DRAWS times: draw a of sample s
// has the numbers 2n a to 2n a + 2n - 1 of (seed, s) (lib/base/random.h). So samples are the same
// however they are shared out. What a count says of the chance of success: control/loop/binomial.h.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_MONTE_CARLO_H
#define FB_LOOP_MONTE_CARLO_H
#include "control/loop/closed_loop.h"
#include "control/loop/output_errors.h"
#include "control/loop/position_limits.h"

#include <stdint.h>

DM_BEGIN_C

// A sample is lost where its error passes so many times the tolerance, or its start error where
// that is larger; or where the plant fails.
enum { FB_LOST = 10 };

// How many starts of a sample are drawn at most until one is within the limits of positions.
enum { FB_DRAWS = 10000 };

// Why a sample has no start within the limits.
typedef struct fb_start_refusal {
  int sample;
  int coord;        // its coordinate that was outside most often,
  int times, draws; // and how often, of so many draws
} fb_start_refusal;

typedef struct fb_monte_carlo_settings {
  int samples, first; // samples first to first + samples - 1
  uint64_t seed;
  const double *spread_q; // [n] half-width of the uniform start error  rad or m
  const double *spread_v; // [n] the same in velocity                   rad/s or m/s
  double tolerance;       // a sample succeeds when its final error is within it, > 0; INFINITY:
                          // whatever that is, where the plant did not fail
  const double *scale;    // [2n] of an error of 1 in (q,v), > 0; NULL: 1
  const fb_output_bounds *outputs; // and the errors of these within their bounds; NULL: none
  double *output_errors;           // out: those errors [samples x count], INFINITY where the plant
                                   // failed; NULL: not kept
  double *ends;                // out: (q,v) at the last knot [samples x 2n], NAN where the plant
                               // failed; NULL: not kept
  const double *u_min, *u_max; // [nu] NULL: none
  const fb_limits *limit;      // what states at the knots are compared with; NULL: nothing
  fb_limit_use limit_use;      // what limits of positions do
  const long *met;             // how often the plant met a stop so far; NULL: it has none
  fb_excess_count *positions;  // [n] in and out: of each coordinate; NULL: not kept. Only of
  fb_excess_count *speeds;     // samples that ran, in any order
  // Optional sampler of the start error d [2n] of sample s, called with `from`; `from` NULL draws
  // it uniformly within the spreads. NAN: there is no start, and the sample fails.
  void (*draw)(const void *from, int n, int s, double *d);
  // The same after `again` >= 1 starts of this sample that were outside the limits; NULL: there is
  // no other, and the one outside stands.
  void (*redraw)(const void *from, int n, int s, int again, double *d);
  const void *from;
  fb_start_refusal *refused; // out: where DM_BAD_INPUT is returned; NULL: not told
} fb_monte_carlo_settings;

typedef struct fb_sample {
  double start_q_error, start_v_error; // largest components of the start error
  double final_error, worst_error;     // in (q,v), by scale; INFINITY where the plant failed
  double late_error; // that at three quarters of the run; INFINITY where the plant failed by then
  int worst_state;   // index in (q,v) of the final error; -1 where the plant failed
  int saturated, steps;      // knots at which a limit cut an input; steps taken
  int succeeded;             // 0 or 1
  int lost, lost_state;      // the knot at which it is lost, and by which state; -1: it is not; the
                             // state is -1 where there was no start
  fb_excess position, speed; // beyond limits, at all knots reached
  int redrawn;               // starts that were drawn again
  int outside; // the coordinate that the last of these had outside its limits; -1: none was
  int passed;  // the coordinate that passed its limit most, beyond what is allowed; -1: none did,
  double passed_by;    // and by how much; 0: none did                            m or rad
  int stopped;         // how often it met a stop
  int arrived;         // 0 or 1: it succeeded but for limits of positions
  int left;            // the step at which it left the law's envelope; -1: it did not
  double reach;        // how far of the envelope it went (control/feedback/envelope.h)
  int output;          // the bound of an output that its error is the largest share of; -1: none
  double output_error; // that error; INFINITY where the plant failed             m, rad or 1
  double cost;         // max dx'P dx, where that is watched
} fb_sample;

// Run the samples of one plant. Errors are plain differences: q is not wrapped.
//   s      the system that turns velocities into momenta and back, with the schedule's states
//   rows   out: one for each sample [samples]
//   fan    out: q of the first nfan samples [nfan x (N+1) x n], NAN after a failed step; or NULL
//   progress  called after each sample with the count done; may return false to stop early; or NULL
// A drawn start is brought onto the constraints. A sample whose plant, or start, fails is one that
// did not succeed; the run goes on.
// Returns DM_OK, DM_INTERRUPTED (rows and fans of samples not run are zeroed), DM_BAD_INPUT where
// FB_DRAWS starts of a sample are outside the limits, DM_NO_MEMORY, or what failed on the desired
// states themselves. Cost: the plant's steps, and a velocity at each knot.
dm_status fb_monte_carlo_run(const fb_tvlqr *f, const dm_system *s, const fb_plant *plant,
                             const fb_monte_carlo_settings *set, fb_sample *rows, int nfan,
                             double *fan, bool (*progress)(void *, int done), void *user);

// Draw sample s: uniform start errors dq, dv [n] in [-spread, spread]; or again, after so many
// draws of it that were outside the limits.
void fb_monte_carlo_draw(const fb_monte_carlo_settings *set, int n, int s, double *dq, double *dv);
void fb_monte_carlo_redraw(const fb_monte_carlo_settings *set, int n, int s, int again, double *dq,
                           double *dv);

// The samples in sum.
typedef struct fb_verdict {
  int succeeded, failed; // samples that succeeded; whose plant failed before the end
  int saturated;         // samples in which a limit cut an input
  int passed;            // samples that passed a limit of a position
  int redrawn;           // starts that were drawn again, of all samples
  int worst; // the sample of the largest final error (the first of equals); -1: no samples
  double worst_final_error, worst_error; // over all samples
} fb_verdict;

fb_verdict fb_monte_carlo_verdict(const fb_sample *rows, int samples);

DM_END_C
#endif
