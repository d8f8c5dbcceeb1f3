// problems/readers/model/mjcf_file.h: a robot in MuJoCo's XML (MJCF) before its bodies are read:
// the units of its <compiler>, the default classes of its <default>, and the frames that enclose
// its elements.
//
//   an attribute   the element's own; else its class's, or the class's above that
//   its class      class="..", else childclass=".." of the nearest enclosing body, else the
//                  outermost
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef PB_MODEL_MJCF_FILE_H
#define PB_MODEL_MJCF_FILE_H
#include "lib/multibody/spatial.h"
#include "problems/readers/format/xml.h"

typedef struct pb_mjcf_class {
  const char *name;
  pb_xml_node *element; // its <default>
  int above;            // the enclosing class; -1: none
} pb_mjcf_class;

// The source of a body's inertia.
typedef enum pb_mjcf_source { PB_MJCF_INERTIAL, PB_MJCF_EITHER, PB_MJCF_GEOMS } pb_mjcf_source;

// The settings of a file's <compiler>.
typedef struct pb_mjcf_settings {
  const char *name;      // of its file in the problem; mesh files are relative to it
  double angle;          // rad per unit of angle
  const char *order;     // order of Euler angles: eulerseq
  bool autolimits;       // a range alone implies a limit
  const char *meshdir;   // "": none
  bool strippath;        // remove folders from mesh file names
  pb_mjcf_source source; // <inertial>, or the geoms of these groups
  double group[2];
  double lightest[2]; // boundmass, boundinertia
  double total;       // settotalmass; -1: none  [kg]
  bool balance;       // replace moments that violate the triangle inequality by their mean
  bool align;         // align single floating bodies with their inertial frame
  bool exact;         // exact mesh inertia, from the enclosed volume
} pb_mjcf_settings;

typedef struct pb_mjcf {
  const pb_xml *x;
  pb_mjcf_settings own;                   // settings of the main file
  double gravity[3];                      // m/s2
  double density, viscosity;              // of the fluid  [kg/m3, Pa s]
  bool springs, dampers, holds, friction; // switched on
  int nclass;
  pb_mjcf_class *class; // [nclass] parents first
  int outermost;        // the class of elements without a class; -1: none
  int unnamed;          // number of bodies without a name so far
} pb_mjcf;

// Data that expansions attach to an element, as the note of its place; every member may be empty.
typedef struct pb_mjcf_note {
  dm_pose frame;                    // product of the enclosing <frame>s, in the body's frame
  const char *childclass;           // from the frames; NULL: inherited, "": no class
  const pb_mjcf_settings *settings; // of the file it was attached from; NULL: the main file
} pb_mjcf_note;

// An element, and the class (-1: none) that supplies its missing attributes.
typedef struct pb_mjcf_element {
  const pb_xml_node *e;
  int class;
} pb_mjcf_element;

// Read <option> and <default> of a document whose settings are known. Returns DM_OK, DM_NO_MEMORY,
// or DM_BAD_INPUT with the line.
dm_status pb_mjcf_read_options(pb_mjcf *m);

// Read <compiler> of a document, starting from the default settings.
dm_status pb_mjcf_read_settings(const pb_xml *x, const char *name, pb_mjcf_settings *out);

// The note of an element (empty if it is missing), and the settings that apply to it.
const pb_mjcf_note *pb_mjcf_note_of(const pb_xml_node *e);
// Combine the note of an element with an enclosing note: compose the frames, and inherit class and
// file if it has none.
dm_status pb_mjcf_wrap(const pb_xml *x, pb_xml_node *e, const pb_mjcf_note *around);
const pb_mjcf_settings *pb_mjcf_settings_of(const pb_mjcf *m, const pb_xml_node *e);

// The class of an element: its own `word` (class, childclass), or the enclosing body's.
dm_status pb_mjcf_class_of(const pb_mjcf *m, const pb_xml_node *e, const char *word, int around,
                           int *class);
dm_status pb_mjcf_at(const pb_mjcf *m, const pb_xml_node *e, int around, pb_mjcf_element *out);

// The element that supplies an attribute: the element itself, or its class's default of the same
// word (for a motor, of any actuator); NULL: none.
const pb_xml_node *pb_mjcf_holder(const pb_mjcf *m, pb_mjcf_element at, const char *name);

// Text, numbers, or word of an attribute, as in pb_xml_*.
dm_status pb_mjcf_text(const pb_mjcf *m, pb_mjcf_element at, const char *name, const char **text);
dm_status pb_mjcf_number(const pb_mjcf *m, pb_mjcf_element at, const char *name, double *value);
dm_status pb_mjcf_numbers(const pb_mjcf *m, pb_mjcf_element at, const char *name, int most,
                          double *value, int *n);
dm_status pb_mjcf_word(const pb_mjcf *m, pb_mjcf_element at, const char *name,
                       const char *const *list, int n, int *word);

// Read the range of a limited element: limited explicitly, or by the range alone with autolimits.
// Otherwise range is unchanged.
//   unit  factor applied to the range
dm_status pb_mjcf_range(const pb_mjcf *m, pb_mjcf_element at, const char *limited, const char *name,
                        double unit, double range[2], bool *there);

// The pose of an element by pos and one of quat, axisangle, xyaxes, zaxis, euler, including
// enclosing frames. `turned`: out, whether a rotation is given; or NULL.
dm_status pb_mjcf_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, bool *turned);

// The rotation by three Euler angles in the unit and order of a file, at the origin.
dm_pose pb_mjcf_turn(const pb_mjcf_settings *s, const double angle[3]);

// The pose at p with the z axis along a unit vector, by the shortest rotation.
dm_pose pb_mjcf_pose_along(dm_vec z, dm_vec p);

// The pose with the rotation of a unit quaternion [4] at p.
dm_pose pb_mjcf_pose_turned(const double q[4], dm_vec p);

// The unit quaternion [4] of a pose's rotation.
void pb_mjcf_quaternion(const dm_pose *X, double q[4]);

// The pose of an element by its ends, fromto: at its midpoint, z pointing to the first end; half:
// half the distance between the ends. there: out, whether fromto exists.
dm_status pb_mjcf_ends(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, double *half,
                       bool *there);

// The pose of a site, from fromto if present.
dm_status pb_mjcf_site_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out);

// Whether an element of this word within another one has this name.
dm_status pb_mjcf_has_name(const pb_mjcf *m, const pb_xml_node *top, const char *word,
                           const char *name, bool *found);

// The name of a body, or body_1, body_2 .. in the order of the document.
dm_status pb_mjcf_body_name(pb_mjcf *m, const pb_xml_node *body, const char **name);

// The next child of <mujoco> with this word after `last` (NULL: the first); sections may be
// repeated.
pb_xml_node *pb_mjcf_section(const pb_mjcf *m, const char *word, const pb_xml_node *last);
#endif
