// lib/base/status.h: the status codes returned by all functions of dmoc.
//
// 0: done. > 0: stopped early, the outputs contain the last iterate. < 0: failure, the outputs are
// untouched.
#ifndef DM_BASE_STATUS_H
#define DM_BASE_STATUS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

#define DM_STATUS_LIST(X)                                                                          \
  X(DM_OK, 0, "ok")                                                                                \
  X(DM_MAX_ITER, 1, "iteration limit reached; the outputs hold the last iterate")                  \
  X(DM_INFEASIBLE, 2, "no point satisfies the constraints near where the search ended")            \
  X(DM_INTERRUPTED, 3, "interrupted; the outputs hold the last iterate")                           \
  X(DM_STALLED, 4, "no further progress; the outputs hold the last iterate")                       \
  X(DM_ACCEPTABLE, 5, "no further progress, at an optimum to six digits")                          \
  X(DM_SADDLE, 6, "stationary, but no minimum: a saddle or a maximum")                             \
  X(DM_BAD_INPUT, -1, "an input has a wrong size or value")                                        \
  X(DM_NO_MEMORY, -2, "out of memory")                                                             \
  X(DM_SINGULAR, -3, "a linear system is singular")                                                \
  X(DM_NOT_FINITE, -4, "a number is not finite")                                                   \
  X(DM_NOT_DEFINITE, -5, "a matrix that must be positive definite is not")                         \
  X(DM_IO, -6, "a file could not be read or written")                                              \
  X(DM_UNAVAILABLE, -7, "this build has no such part")                                             \
  X(DM_FAULT, -8, "a fault in dmoc or in a library it calls")                                      \
  X(DM_CUT_SHORT, -9, "ended by a wish or a limit of time before there was an outcome")

typedef enum dm_status {
#define X(name, value, text) name = value,
  DM_STATUS_LIST(X)
#undef X
} dm_status;

// Message of a reader or builder about bad input: one sentence with file, line and names.
typedef struct dm_message {
  char text[512];
} dm_message;

// The text of a status, or "unknown status"; static storage.
const char *dm_status_text(dm_status s);

// Write a printf-formatted sentence to msg (which may be NULL), truncated if too long, with '?' for
// characters that are not plain text (lib/base/text.h), and return s:
// `return dm_fail(msg, DM_BAD_INPUT, "mass must be > 0, got %g", m);`
dm_status dm_fail(dm_message *msg, dm_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Return a failure to the caller; continue for results >= 0.
#define DM_TRY(call)                                                                               \
  do {                                                                                             \
    dm_status try_ = (call);                                                                       \
    if (try_ < 0) return try_;                                                                     \
  } while (0)

DM_END_C
#endif
