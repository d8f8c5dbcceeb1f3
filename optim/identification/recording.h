// optim/identification/recording.h: a log of a machine, and the motion on equal steps that it
// measured.
//
// The position at a knot t_k is the value there of a polynomial of degree 2, fitted by least squares
// to the samples within half a step, or if these are less than four, to the three nearest samples
// within two steps (fewer samples: a line, a constant). Its weight is the inverse of its variance
// in units of the variance of one sample, at most the number of samples within half a step: the
// sigma of a knot is sigma / sqrt(weight). A knot without samples within half a step has weight 0.
// The input of a step is the mean of u(t - delay) over it; its derivative by the delay is the
// difference of u at the ends of the step, over h. Beyond its samples an input is constant.
//
// The four positions of a quaternion are measured at the same times. Its sign may change from a
// sample to the next: samples take the sign that is nearer to the one before.
//
// A gap is an interval between two samples of one channel that is longer than OC_LONGEST_GAP steps. It
// cuts the log into pieces.
#ifndef OC_IDENTIFICATION_RECORDING_H
#define OC_IDENTIFICATION_RECORDING_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

enum { OC_LONGEST_GAP = 4 };

// Samples of one quantity with their own times, which increase. NaN: a dropped sample.
typedef struct oc_channel {
  const char *name; // for messages
  int count;
  const double *t, *y; // [count] s; rad, m, N m or N
} oc_channel;

typedef struct oc_recording {
  const char *name;      // of the log, for messages
  int n, nu;             // coordinates, inputs of the robot, in its order
  const oc_channel *q;   // [n] positions
  const oc_channel *u;   // [nu] inputs; count 0: this input is always 0
  int quaternions;       // ball joints
  const int *quaternion; // [quaternions] the first of the four positions of each
  bool held;             // inputs are constant from a sample to the next; else straight lines
} oc_recording;

typedef struct oc_measured_motion {
  const char *name; // borrowed from the recording
  int n, nu, knots;
  double h, start; // step, time of knot 0 [s]
  double *q;       // [knots x n] measured positions; without a sample, on a line between others
  double *weight;  // [knots x n] relative precision; 0: without a sample
  double *u;       // [knots x nu] mean input of the step from knot k, of its piece
  double *u_delay; // [knots x nu] its derivative by the delay [N m/s or N/s]
  int pieces;      // consecutive runs of knots without a gap
  int (*piece)[2]; // [pieces] first knot and number of knots, at least 3
  struct oc_input_integral *integral; // of the inputs, for other delays
} oc_measured_motion;

// Average a log on steps h > 0 [s], with delay 0. Copies everything but names.
// Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with a sentence that names the log and the channel: times
// that do not increase, no piece of at least 3 knots, or steps shorter than the time between samples.
dm_status oc_measured_motion_new(oc_measured_motion **out, const oc_recording *log, double h,
                                 dm_message *msg);
void oc_measured_motion_free(oc_measured_motion *w); // accepts NULL

// Set u and u_delay for another delay between the input's record and its effect [s]. Does not
// allocate.
void oc_measured_motion_delay(oc_measured_motion *w, double delay);

DM_END_C
#endif
