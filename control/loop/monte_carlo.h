// control/loop/monte_carlo.h: does the closed loop succeed? Seeded samples of perturbed starts.
//
//   (q,v)_0 = (q,v)_d,0 + d,   d_i uniform in [-spread_i, spread_i]
//   error_k = max_i |(q,v)_k - (q,v)_d,k|_i / scale_i       a sample succeeds: error_N <= tolerance
//
// In addition, every output that has a bound must be within it (control/loop/output_errors.h), and
// no position limit may be exceeded at a knot (control/loop/position_limits.h).
//
// Each start is projected onto the constraints and run in a closed loop
// (control/loop/closed_loop.h). A start outside the position limits is drawn again, up to FB_DRAWS
// times: draw a of sample s uses the numbers 2n a to 2n a + 2n - 1 of (seed, s)
// (lib/base/random.h), so samples do not depend on how they are distributed over processes. For
// confidence bounds on the success rate, see control/loop/binomial.h.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_MONTE_CARLO_H
#define FB_LOOP_MONTE_CARLO_H
#include "control/loop/closed_loop.h"
#include "control/loop/output_errors.h"
#include "control/loop/position_limits.h"

#include <stdint.h>

DM_BEGIN_C

// A sample is lost when its error exceeds this multiple of the tolerance, or of its start error if
// that is larger; or when the plant fails.
enum { FB_LOST = 10 };

// The maximum number of draws for a start within the position limits.
enum { FB_DRAWS = 10000 };

// The reason why a sample has no start within the limits.
typedef struct fb_start_refusal {
  int sample;
  int coord;        // the coordinate that was outside most often,
  int times, draws; // how often, and the number of draws
} fb_start_refusal;

typedef struct fb_monte_carlo_settings {
  int samples, first; // samples first to first + samples - 1
  uint64_t seed;
  const double *spread_q; // [n] half-width of the uniform start error [rad or m]
  const double *spread_v; // [n] the same for velocities [rad/s or m/s]
  double tolerance;       // a sample succeeds if its final error is within it, > 0; INFINITY: if
                          // the plant did not fail
  const double *scale;    // [2n] size of an error of 1 in (q,v), > 0; NULL: 1
  const fb_output_bounds *outputs; // bounds on output errors, also required for success; NULL: none
  double *output_errors;           // out: output errors [samples x count], INFINITY if the plant
                                   // failed; NULL: not kept
  double *ends;                    // out: (q,v) at the last knot [samples x 2n], NAN if the plant
                                   // failed; NULL: not kept
  const double *u_min, *u_max;     // [nu] NULL: none
  const dm_limits *limit;          // compared with the states at the knots; NULL: none
  fb_limit_use limit_use;          // how position limits are used
  int settled; // the first knot at which the motion has settled, for the errors of rest; 0: none
  const struct fb_slip *slip; // of wheels on the plant (control/loop/mujoco.h); NULL: without
  double slip_limit;          // largest length that a wheel may slide, > 0 [m]
  const long *met;            // how often the plant has met a stop so far; NULL: no stops
  fb_excess_count *positions; // [n] in and out: per coordinate; NULL: not kept.
  fb_excess_count *speeds;    // Counts only samples that ran, in any order
  // Optional sampler of the start error d [2n] of sample s, called with `from`; `from` NULL draws
  // it uniformly within the spreads. NAN: there is no start, and the sample fails.
  void (*draw)(const void *from, int n, int s, double *d);
  // The same after `again` >= 1 starts of this sample outside the limits; NULL: there is no other
  // draw, and the start outside is used.
  void (*redraw)(const void *from, int n, int s, int again, double *d);
  const void *from;
  fb_start_refusal *refused; // out: if DM_BAD_INPUT is returned; NULL: not reported
} fb_monte_carlo_settings;

typedef struct fb_sample {
  double start_q_error, start_v_error; // largest components of the start error
  double final_error, worst_error;     // in (q,v), by scale; INFINITY if the plant failed
  double late_error;    // the error after three quarters of the run; INFINITY if the plant failed
                        // before
  int worst_state;      // index in (q,v) of the final error; -1 if the plant failed
  int saturated, steps; // knots at which a limit cut an input; steps taken
  int succeeded;        // 0 or 1
  int lost, lost_state; // the knot at which it is lost, and the state; -1: it is not lost; the
                        // state is -1 if there was no start
  fb_excess position, speed; // beyond limits, at all knots reached
  int redrawn;               // number of rejected starts
  int outside; // the coordinate outside its limits in the last rejected start; -1: none
  double standing,
      swing;          // of positions from the settled knot on, by scale: the largest |middle| and
                      // half of the largest range of an error
  int stands, swings; // their coordinates; -1: none
  int passed;         // the coordinate furthest beyond its allowance at a position limit; -1: none,
  double passed_by;   // and by how much; 0: none [m or rad]
  int stopped;        // how often it met a stop
  int wheel;          // the rolling constraint whose wheel slid farthest; -1: none,
  double slip;        // and how far [m]
  int arrived;        // 0 or 1: it succeeded when position limits are ignored
  int left;           // the step at which it left the law's envelope; -1: it did not
  double reach;       // the largest share of the envelope (control/feedback/envelope.h)
  int output;         // the output bound with the largest share of error; -1: none
  double output_error;        // its error; INFINITY if the plant failed [m, rad or 1]
  double cost;                // max dx'P dx, if it is monitored
  fb_horizon_record horizons; // of receding-horizon control
} fb_sample;

// Run the samples of one plant. Errors are plain differences: q is not wrapped.
//   s      the system that converts velocities to momenta and back, with the schedule's states
//   rows   out: one per sample [samples]
//   fan    out: q of the first nfan samples [nfan x (N+1) x n], NAN after a failed step; or NULL
//   progress  called after each sample with the number done; may return false to stop early; or
//             NULL
// A drawn start is projected onto the constraints. If the plant or the start of a sample fails, the
// sample does not succeed and the run continues.
// Returns DM_OK, DM_INTERRUPTED (rows and fans of samples not run are zeroed), DM_BAD_INPUT if
// FB_DRAWS starts of a sample are outside the limits, DM_NO_MEMORY, or the status of a failure on
// the desired states. Cost: the plant's steps, and a velocity at each knot.
dm_status fb_monte_carlo_run(const fb_tvlqr *f, const dm_system *s, const fb_plant *plant,
                             const fb_monte_carlo_settings *set, fb_sample *rows, int nfan,
                             double *fan, bool (*progress)(void *, int done), void *user);

// Draw sample s: uniform start errors dq, dv [n] in [-spread, spread]; or draw it again after
// `again` starts outside the limits.
void fb_monte_carlo_draw(const fb_monte_carlo_settings *set, int n, int s, double *dq, double *dv);
void fb_monte_carlo_redraw(const fb_monte_carlo_settings *set, int n, int s, int again, double *dq,
                           double *dv);

// Summary of the samples.
typedef struct fb_verdict {
  int succeeded, failed; // samples that succeeded; samples whose plant failed before the end
  int saturated;         // samples in which a limit cut an input
  int passed;            // samples that exceeded a position limit
  int redrawn;           // rejected starts over all samples
  int worst; // the sample with the largest final error (the first of equals); -1: no samples
  double worst_final_error, worst_error; // over all samples
} fb_verdict;

fb_verdict fb_monte_carlo_verdict(const fb_sample *rows, int samples);

DM_END_C
#endif
