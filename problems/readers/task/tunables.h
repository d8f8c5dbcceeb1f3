// problems/readers/task/tunables.h: the numbers of a problem file that a search may change, and the
// file with others in their place.
//
// Each is a factor of what stands in the file: a number, or all numbers of a list, such as a bound
// on both sides. `feedback.hold` follows `horizon.time`, so that both take as long as before. A whole
// number stays one, and a limit of inputs does not go beyond what the motor gives, or the file says.
#ifndef PB_TASK_TUNABLES_H
#define PB_TASK_TUNABLES_H
#include "problems/readers/format/reader.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/format/yaml.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

DM_BEGIN_C

// A number of the file.
typedef struct pb_tunable {
  const char *path;        // "feedback.Q.q.shoulder", "bounds.u.elbow.0"
  int line, column;        // from 1
  const char *written;     // as it stands there
  double value, low, high; // as it stands there; what it is kept within
  int factor;              // which; -1: the time that `hold` is left
  bool whole;              // of a key that takes whole numbers
} pb_tunable;

typedef struct pb_tunables {
  int n, factors, tries; // numbers; factors that a search changes; of the file's `tune`:
  uint64_t seed;
  double time, step;  // s; standard deviation of the first changes, in logarithms
  pb_tunable *number; // [n]
  const char **name;  // [factors] the path that each is of
  double total;       // of the motion and what `hold` adds                           s
  int motion;         // the factor of horizon.time; -1: it is not changed
  const char *text;   // of the file
  struct pb_chunk *memory;
} pb_tunables;

// Read them: what `feedback.tune.vary` names, or what there is of Q, R, Qf, the state's cost, the
// horizon's time and the bounds of inputs. Returns DM_OK; DM_IO, DM_BAD_INPUT, DM_NO_MEMORY with a
// sentence in msg, *out NULL.
dm_status pb_tunables_read(pb_tunables **out, const char *path, dm_message *msg);
// Refuse names in `feedback.tune.vary` of the file that root is of which are no keys with numbers, hold
// the settings of the search, or have a number in common. Returns DM_OK, DM_BAD_INPUT, DM_NO_MEMORY.
dm_status pb_tunables_check(pb_reader *r, const pb_node *root);

void pb_tunables_free(pb_tunables *t); // NULL is accepted

// Keep the limits of inputs, `bounds.u` and `feedback.limits`, within what motors give: of the
// inputs name [nu] u_min and u_max [nu]. One that the file has beyond them goes no further.
void pb_tunables_limit(pb_tunables *t, const char *const *name, int nu, const double *u_min,
                       const double *u_max);

// Whether number i would be beyond what it is kept within.
bool pb_tunables_limited(const pb_tunables *t, int i, const double *x);

// The text of number i under factors exp(x) [factors], six digits, at x = 0 as it stands in the
// file; returns text.
const char *pb_tunables_value(const pb_tunables *t, int i, const double *x, char text[32]);

// Write the file with these numbers in it.
void pb_tunables_write(const pb_tunables *t, const double *x, FILE *f);

DM_END_C
#endif
