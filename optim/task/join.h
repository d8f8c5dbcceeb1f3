// optim/task/join.h: where one phase of a motion ends and the next begins.
//
// The phase before ends at (q_a,v_a), the phase after begins at (q_b,v_b); they may have different
// coordinates. Pairs match a value of one phase with a value of the other. Each value is a coordinate or a
// row of functions y(q) of its phase. The pairs may exchange coordinates (legs are swapped), a pair may change
// the sign of its value (s = -1: a mirror image), and may move its origin. One of two laws relates the
// velocities:
//
//   low <= y_b(q_b) - s y_a(q_a) <= high           each pair
//
//   velocity   y_b,q v_b - s y_a,q v_a = 0         each pair: release, or contact without an impact
//   momentum   p_b - Phi_q' p_a - Dh_b' Lambda = 0 each coordinate of b, p = L_v(q,v): an inelastic
//                                                  impact
//
// Under the second law, the pairs define the map q_a = Phi(q_b) of all coordinates that moved before, and
// Lambda are the impulses of the constraints of b, which hold its velocity from then on. This is M v_b = M
// v_a + Dh' Lambda in the coordinates before, with the new constraint eliminated if the coordinates after
// cannot move against it. A kinematic coordinate has no momentum: its velocity is continuous.
//
// Source: docs/theory.md section 29; [moreau-1988].
#ifndef OC_TASK_JOIN_H
#define OC_TASK_JOIN_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef enum oc_join_law { OC_JOIN_VELOCITY, OC_JOIN_MOMENTUM } oc_join_law;

// A value of the phase before and the matching value of the phase after: a coordinate, or if negative a row
// of the join's functions (oc_join_function).
typedef struct oc_pair {
  int before, after;
  bool mirrored;    // does the value change its sign?
  double low, high; // range of y_b - s y_a [m or rad]; 0, 0: the value is continuous
} oc_pair;

static inline double oc_pair_sign(const oc_pair *pair) {
  return pair->mirrored ? -1 : 1;
}

// Encode row r of the functions as a value of a pair, and decode it.
static inline int oc_join_function(int row) {
  return -1 - row;
}

typedef struct oc_join {
  oc_join_law law;
  int npairs;
  const oc_pair *pairs;
  dm_holonomic before, after; // functions of q_a and of q_b, with directional; nc = 0: none
} oc_join;

// Check a join against its two phases. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_join_check(const oc_join *join, const oc_task *before, const oc_task *after,
                        dm_message *msg);

DM_END_C
#endif
