// problems/readers/model/assembly.h: `assemble:` of a start or goal: how it is brought onto the
// constraints.
#ifndef PB_MODEL_ASSEMBLY_H
#define PB_MODEL_ASSEMBLY_H
#include "lib/mechanics/system.h"
#include "problems/readers/format/schema.h"

// q and v (of a third-order transcription also a) of `start:` or `goal:`, NAN where free, where what
// is free in q is to be found (NAN: not said), and how they are brought onto the constraints.
typedef struct pb_end {
  const double *q, *v, *a, *near; // [n]
  const char *assemble, *keyframe;
  const struct pb_node *outputs; // what is asked of outputs there, or NULL
  const char *held; // of a start, "true": it stood still for a step before; else "false" or NULL
  const char *periodic;                 // of a goal, "true": it is the start; else "false" or NULL
  const struct pb_node *travel, *turns; // of such a goal: how far it is off it, or NULL
} pb_end;

#define PB_ASSEMBLE_KEYS(section)                                                                  \
  PB_KEY(section, near, .type = PB_EACH_COORD, .turn = "angle", .unit = "m or rad",                \
         .absent = "free", .note = "–", .rest = "free"),                                           \
      PB_KEY(section, assemble, .type = PB_WORD, .absent = "project",                              \
             .words = "project energy none")

// What start and goal may both say.
#define PB_END_KEYS                                                                                \
  PB_KEY(pb_end, q, .type = PB_EACH_COORD, .also = "position positions x state", .turn = "angle",  \
         .unit = "m or rad", .absent = "free", .rest = "free", .words = "free"),                   \
      PB_KEY(pb_end, v, .type = PB_EACH_COORD, .also = "velocity velocities qd qdot dq",           \
             .turn = "rate", .unit = "m/s or rad/s", .absent = "free", .rest = "free",             \
             .words = "free"),                                                                     \
      PB_KEY(pb_end, keyframe, .type = PB_TEXT, .also = "key pose"),                               \
      PB_KEY(pb_end, outputs, .type = PB_NODE, .words = "value or [low, high] by output"),         \
      PB_KEY(pb_end, a, .type = PB_EACH_COORD, .also = "acceleration accelerations qdd qddot ddq", \
             .unit = "m/s2 or rad/s2", .absent = "free", .rest = "free", .words = "free"),         \
      PB_ASSEMBLE_KEYS(pb_end)

// Bring an end onto the constraints of a system; its arrays are replaced by others in the arena.
//   project  a configuration given in full moves by the least change, a velocity given in full by
//            that of the least energy, with a warning that says how far; where part of it is free,
//            that part alone moves, from near, and is then given where near is
//   energy   what is free (where nothing is: all that is not kinematic) is put where the potential
//            energy is least, and the velocity as above
//   none     nothing is changed
// Values beyond 1e100, in SI units, are refused: energies overflow.
// other [n]: what stands for near where nothing is said; NAN: 0. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT at the node with a sentence that names the constraint or the coordinate.
dm_status pb_end_assemble(pb_reader *r, const pb_node *node, const char *path, const dm_system *s,
                          const double *other, pb_end *end);
#endif
