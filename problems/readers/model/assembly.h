// problems/readers/model/assembly.h: `assemble:` of a start or goal: projection onto the
// constraints.
#ifndef PB_MODEL_ASSEMBLY_H
#define PB_MODEL_ASSEMBLY_H
#include "lib/mechanics/system.h"
#include "problems/readers/format/schema.h"

// q and v (for a third-order transcription also a) of `start:` or `goal:`, NAN if free; near: where
// to look for free entries of q (NAN: not given); and how the end is projected onto the
// constraints.
typedef struct pb_end {
  const double *q, *v, *a, *near; // [n]
  const char *assemble, *keyframe;
  const struct pb_node *outputs; // conditions on outputs at this end, or NULL
  const char *held;     // start, "true": at rest during the step before; else "false" or NULL
  const char *periodic; // goal, "true": equal to the start; else "false" or NULL
  const struct pb_node *travel, *turns; // periodic goal: offset from the start, or NULL
} pb_end;

#define PB_ASSEMBLE_KEYS(section)                                                                  \
  PB_KEY(section, near, .type = PB_EACH_COORD, .turn = "angle", .unit = "m or rad",                \
         .absent = "free", .note = "–", .rest = "free",                                            \
         .about = "Seed of coordinates that are free in `q`, for constraints or energy, or for "   \
                  "the first posture of a `path`"),                                                \
      PB_KEY(section, assemble, .type = PB_WORD, .absent = "project",                              \
             .words = "project energy none",                                                       \
             .about = "How dmoc moves the configuration onto the constraints")

// The keys that start and goal share.
#define PB_END_KEYS                                                                                \
  PB_KEY(pb_end, q, .type = PB_EACH_COORD, .also = "position positions x state", .turn = "angle",  \
         .unit = "m or rad", .absent = "free", .rest = "free", .words = "free",                    \
         .about = "Position; write `free` to leave a coordinate of the start out without a "       \
                  "warning"),                                                                      \
      PB_KEY(pb_end, v, .type = PB_EACH_COORD, .also = "velocity velocities qd qdot dq",           \
             .turn = "rate", .unit = "m/s or rad/s", .absent = "free", .rest = "free",             \
             .words = "free",                                                                      \
             .about = "Velocity; at the start, kinematic coordinates default to 0; dmoc warns if " \
                      "a goal has `q` without `v`"),                                               \
      PB_KEY(pb_end, keyframe, .type = PB_TEXT, .also = "key pose",                                \
             .about = "Name of a `key` of an MJCF; it fills the gaps of `q` and `v`"),             \
      PB_KEY(pb_end, outputs, .type = PB_NODE, .words = "value or [low, high] by output",          \
             .about = "Values or ranges of outputs at this knot, also beside `q`"),                \
      PB_KEY(pb_end, a, .type = PB_EACH_COORD, .also = "acceleration accelerations qdd qddot ddq", \
             .unit = "m/s2 or rad/s2", .absent = "free", .rest = "free", .words = "free",          \
             .about = "Acceleration; only with `transcription: third-order`, required there"),     \
      PB_ASSEMBLE_KEYS(pb_end)

// Project an end onto the constraints of a system; its arrays are replaced by new ones in the
// arena.
//   project  a configuration given in full moves by the smallest change, and a velocity given in
//            full by the change of least kinetic energy, with a warning that states the amount; if
//            part of the configuration is free, only the free part moves, starting at near, and it
//            becomes given where near is given
//   energy   the free coordinates (if none is free: all that are not kinematic) move to the minimum
//            of the potential energy; the velocity as above
//   none     nothing changes
// Values beyond 1e100 in SI units are refused, because energies would overflow.
// other [n]: replaces near where near is not given; NAN: 0. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT at the node with a sentence that names the constraint or the coordinate.
dm_status pb_end_assemble(pb_reader *r, const pb_node *node, const char *path, const dm_system *s,
                          const double *other, pb_end *end);
#endif
