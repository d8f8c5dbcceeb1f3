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

// Where the inertia of a body comes from.
typedef enum pb_mjcf_source { PB_MJCF_INERTIAL, PB_MJCF_EITHER, PB_MJCF_GEOMS } pb_mjcf_source;

// What a file's <compiler> says.
typedef struct pb_mjcf_settings {
  const char *name;      // of its file, as the problem has it; meshes stand beside it
  double angle;          // rad of its unit of angles
  const char *order;     // of three turns: eulerseq
  bool autolimits;       // a range alone is a limit
  const char *meshdir;   // "": none
  bool strippath;        // meshes are named without their folders
  pb_mjcf_source source; // <inertial>, or its geoms of these groups
  double group[2];
  double lightest[2]; // boundmass, boundinertia
  double total;       // settotalmass; -1: none                              [kg]
  bool balance;       // a moment above the sum of the others becomes their mean
  bool align;         // bodies that float alone have the axes of their inertia
  bool exact;         // meshes weigh what their sides enclose
} pb_mjcf_settings;

typedef struct pb_mjcf {
  const pb_xml *x;
  pb_mjcf_settings own;         // of the main file
  double gravity[3];            // m/s2
  double density, viscosity;    // of the fluid                                 [kg/m3, Pa s]
  bool springs, dampers, holds; // are these switched on?
  int nclass;
  pb_mjcf_class *class; // [nclass] parents first
  int outermost;        // the class of what says none; -1: none
  int unnamed;          // bodies without a name so far
} pb_mjcf;

// What expansions leave with an element, in its place's note; all of it may be empty.
typedef struct pb_mjcf_note {
  dm_pose frame;                    // of the <frame>s around it, in its body's
  const char *childclass;           // of these; NULL: that around it, "": none at all
  const pb_mjcf_settings *settings; // of the file it was attached from; NULL: the main one
} pb_mjcf_note;

// An element, and the class (-1: none) that stands in where it says nothing.
typedef struct pb_mjcf_element {
  const xmlNode *e;
  int class;
} pb_mjcf_element;

// Read <option> and <default> of a document whose settings are known. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT
// with the line.
dm_status pb_mjcf_read_options(pb_mjcf *m);

// Read <compiler> of a document alone, over the settings' defaults.
dm_status pb_mjcf_read_settings(const pb_xml *x, const char *name, pb_mjcf_settings *out);

// The note of an element (an empty one where it has none), and the settings that hold for it.
const pb_mjcf_note *pb_mjcf_note_of(const xmlNode *e);
// Put an element with its note within another note: its frame, and class and file where its own says none.
dm_status pb_mjcf_wrap(const pb_xml *x, xmlNode *e, const pb_mjcf_note *around);
const pb_mjcf_settings *pb_mjcf_settings_of(const pb_mjcf *m, const xmlNode *e);

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

// The pose of an element by pos and one of quat, axisangle, xyaxes, zaxis, euler, within the frames
// around it. `turned`: out, whether one of these is there; or NULL.
dm_status pb_mjcf_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, bool *turned);

// The turn of three angles in the unit and order of a file, at the origin.
dm_pose pb_mjcf_turn(const pb_mjcf_settings *s, const double angle[3]);

// The pose at p whose axis z points along a unit vector, by the shortest turn.
dm_pose pb_mjcf_pose_along(dm_vec z, dm_vec p);

// The pose of a turn by a unit quaternion [4] at p.
dm_pose pb_mjcf_pose_turned(const double q[4], dm_vec p);

// The unit quaternion [4] of a pose's turn.
void pb_mjcf_quaternion(const dm_pose *X, double q[4]);

// The pose of an element by its ends, fromto: its middle, z along the line to the first one; and half their
// distance. there: out, whether it has some.
dm_status pb_mjcf_ends(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, double *half,
                       bool *there);

// The pose of a site, by its ends where it has fromto.
dm_status pb_mjcf_site_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out);

// Whether an element of a word within another one has a name.
dm_status pb_mjcf_has_name(const pb_mjcf *m, const xmlNode *top, const char *word, const char *name,
                           bool *found);

// The name of a body, or body_1, body_2 .. in the order of the document.
dm_status pb_mjcf_body_name(pb_mjcf *m, const xmlNode *body, const char **name);

// The next child of <mujoco> of a word after `last` (NULL: the first), for sections may stand twice.
xmlNode *pb_mjcf_section(const pb_mjcf *m, const char *word, const xmlNode *last);
#endif
