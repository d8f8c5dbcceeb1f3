// optim/nlp/deadline.h: the deadline of a long computation: a time limit, or a stop request of the
// caller.
//
// Long computations check it every few steps and return DM_CUT_SHORT with unusable outputs; the
// calling solver then returns its last iterate.
#ifndef OC_NLP_DEADLINE_H
#define OC_NLP_DEADLINE_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// Steps or stages between two checks: microseconds for small ones, 0.2 s with 60 coordinates.
enum { OC_ASKS = 16 };

typedef struct oc_deadline {
  double until;             // s of oc_clock; INFINITY: never
  bool (*stop)(void *user); // returns true to stop; may be called by any thread that works for the
                            // caller; NULL: no stop requests
  void *user;
  dm_status over; // DM_OK, or the reason once it was over
} oc_deadline;

// Seconds of a monotonic clock.
double oc_clock(void);

// The reason to stop: DM_INTERRUPTED by request, DM_MAX_ITER by time; otherwise, and for NULL,
// DM_OK. Cost: about 20 ns.
dm_status oc_deadline_ask(oc_deadline *d);

// The same as a failure: DM_CUT_SHORT or DM_OK.
dm_status oc_deadline_heed(oc_deadline *d);

DM_END_C
#endif
