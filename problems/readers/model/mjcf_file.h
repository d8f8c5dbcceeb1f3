// problems/readers/model/mjcf_file.h: a robot in MuJoCo's XML (MJCF) before its bodies are read: the units
// of its <compiler>, the classes of its <default>, by which an element has attributes that it does
// not say, and the frames that its elements stand in.
//
//   an attribute   the element's own; else that of its class, or of the class above that
//   its class      class="..", else childclass=".." of the nearest body around it, else the outermost
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef PB_MODEL_MJCF_FILE_H
#define PB_MODEL_MJCF_FILE_H
#include "lib/multibody/spatial.h"
#include "problems/readers/format/xml.h"

typedef struct pb_mjcf_class {
  const char *name;
  xmlNode *element; // its <default>
  int above;        // the class that it is within; -1: none
} pb_mjcf_class;

// Whence a body has its inertia.
typedef enum pb_mjcf_source { PB_MJCF_INERTIAL, PB_MJCF_EITHER, PB_MJCF_GEOMS } pb_mjcf_source;

typedef struct pb_mjcf {
  const pb_xml *x;
  const char *name;      // of the file, as its problem has it; meshes stand beside it
  double angle;          // rad of its unit of angles
  const char *order;     // of three turns: eulerseq
  bool autolimits;       // a range alone is a limit
  const char *meshdir;   // "": none
  pb_mjcf_source source; // <inertial>, or its geoms of these groups
  double group[2];
  double lightest[2]; // boundmass, boundinertia
  double gravity[3];  // m/s2
  int nclass;
  pb_mjcf_class *class; // [nclass] parents first
  int outermost;        // the class of what says none; -1: none
  int unnamed;          // bodies without a name so far
} pb_mjcf;

// An element, and the class (-1: none) that stands in where it says nothing.
typedef struct pb_mjcf_element {
  const xmlNode *e;
  int class;
} pb_mjcf_element;

// Read <compiler>, <option> and <default> of an open file, and look for what cannot be read anywhere
// in it. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_begin(pb_mjcf *m, const pb_xml *x, const char *name);

// The class of an element: its own `word` (class, childclass), or that of the body around it.
dm_status pb_mjcf_class_of(const pb_mjcf *m, const xmlNode *e, const char *word, int around,
                           int *class);
dm_status pb_mjcf_at(const pb_mjcf *m, const xmlNode *e, int around, pb_mjcf_element *out);

// What has the attribute: the element, or its class's of the same word (of a motor, of any
// actuator); NULL: nobody.
const xmlNode *pb_mjcf_holder(const pb_mjcf *m, pb_mjcf_element at, const char *name);

// An attribute's text, numbers, and word, as pb_xml_* have them.
dm_status pb_mjcf_text(const pb_mjcf *m, pb_mjcf_element at, const char *name, const char **text);
dm_status pb_mjcf_number(const pb_mjcf *m, pb_mjcf_element at, const char *name, double *value);
dm_status pb_mjcf_numbers(const pb_mjcf *m, pb_mjcf_element at, const char *name, int most,
                          double *value, int *n);
dm_status pb_mjcf_word(const pb_mjcf *m, pb_mjcf_element at, const char *name,
                       const char *const *list, int n, int *word);

// Its range, where it is limited: by a word that says so, or by the range alone with autolimits. else
// it keeps what it had.
//   unit  the range is multiplied by it
dm_status pb_mjcf_range(const pb_mjcf *m, pb_mjcf_element at, const char *limited, const char *name,
                        double unit, double range[2], bool *there);

// The pose of an element by pos and one of quat, axisangle, xyaxes, zaxis, euler. `turned`: out,
// whether one of these is there; or NULL.
dm_status pb_mjcf_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, bool *turned);

// The pose at p whose axis z points along a unit vector, by the shortest turn.
dm_pose pb_mjcf_pose_along(dm_vec z, dm_vec p);

// The pose of a turn by a unit quaternion [4] at p.
dm_pose pb_mjcf_pose_turned(const double q[4], dm_vec p);

// The name of a body, or body_1, body_2 .. in the order of the document.
dm_status pb_mjcf_body_name(pb_mjcf *m, const xmlNode *body, const char **name);

// The next child of <mujoco> of a word after `last` (NULL: the first), for sections may stand twice.
xmlNode *pb_mjcf_section(const pb_mjcf *m, const char *word, const xmlNode *last);
#endif
