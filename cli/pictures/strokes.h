// cli/pictures/strokes.h: a scene as strokes: the robot, what its bodies keep out of one another,
// and what stands about it.
//
// A stroke is a straight line between two points that joints carry, or a dot at one. Those that the
// world carries alone stand still.
#ifndef CLI_PICTURES_STROKES_H
#define CLI_PICTURES_STROKES_H
#include "cli/pictures/scene.h"

// The kinds of strokes, the furthest behind first: CLI_STROKE_NAME; the word by which a picture
// styles them; half the length of a dot, which goes to both sides of its point [px].
#define CLI_STROKES(X)                                                                             \
  X(RAIL, "rail", 0)     /* along which a cart slides */                                           \
  X(KEPT, "kept", 0)     /* a shape of keep_out or of a contact, as wide as it is */               \
  X(SPRING, "spring", 0) /* a piece of a spring's path */                                          \
  X(ROD, "rod", 0)       /* a distance that a constraint keeps */                                  \
  X(BOX, "box", 0)       /* an edge of a cuboid */                                                 \
  X(LINK, "link", 0)     /* from joint to joint */                                                 \
  X(CART, "cart", 13)    /* a mass that slides along something that stands */                      \
  X(MASS, "mass", 0)     /* another mass */                                                        \
  X(AXIS, "axis", 0)     /* about which something turns */

#define CLI_STROKE(NAME, word, reach) CLI_STROKE_##NAME,
typedef enum cli_stroke_kind { CLI_STROKES(CLI_STROKE) CLI_STROKE_KINDS } cli_stroke_kind;
#undef CLI_STROKE

typedef struct cli_stroke {
  cli_stroke_kind kind;
  dm_segment at;
  bool dot;
  double width; // of KEPT, m
} cli_stroke;

// What stands: a convex body by points whose hull it is, and planes that hold what is above them.
enum { CLI_HULL = 64 };
typedef struct cli_hull {
  int n;
  dm_vec at[CLI_HULL];
} cli_hull;
typedef struct cli_floor {
  dm_vec at, normal;
} cli_floor;

typedef struct cli_strokes {
  cli_stroke *list; // [n] by their kinds
  cli_hull *hull;   // [nhull]
  cli_floor *floor; // [nfloor]
  int n, nhull, nfloor;
} cli_strokes;

// The strokes of a scene; to be freed in any case. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_strokes_new(cli_strokes *s, cli_scene *w);
void cli_strokes_free(cli_strokes *s);
#endif
