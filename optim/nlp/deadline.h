// optim/nlp/deadline.h: when a long computation gives up: at a time, or where its caller wishes it.
//
// Whoever works for long asks every few steps, and hands back DM_CUT_SHORT, with outputs that are
// of no use; the solver above then ends with its last iterate.
#ifndef OC_NLP_DEADLINE_H
#define OC_NLP_DEADLINE_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// Steps or stages from one question to the next: microseconds if they are small, 0.2 s with 60 coordinates.
enum { OC_ASKS = 16 };

typedef struct oc_deadline {
  double until;             // s of oc_clock; INFINITY: never
  bool (*stop)(void *user); // is it to end? May be called by any thread that works for the caller;
                            // NULL: nobody wishes it
  void *user;
  dm_status over; // DM_OK, or why it was over when that was last asked: it stays so
} oc_deadline;

// Seconds since some moment, by a clock that nobody sets.
double oc_clock(void);

// Why to give up: DM_INTERRUPTED by wish, DM_MAX_ITER by time; else, and without a deadline (NULL),
// DM_OK. Costs some 20 ns.
dm_status oc_deadline_ask(oc_deadline *d);

// The same as a failure: DM_CUT_SHORT or DM_OK.
dm_status oc_deadline_heed(oc_deadline *d);

DM_END_C
#endif
