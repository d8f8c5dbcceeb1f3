// problems/readers/model/mjcf_include.h: the <include> of MuJoCo's XML: the children of another file's
// root stand in its place.
//
//   file   beside the main file, else beside the file that includes it; `..` and absolute names are
//          followed, as MuJoCo does
//   once   every file at most once, by its name without `.` and `folder/..`, and at most 1000 files: no
//          circle and no growth by repetition can be written
#ifndef PB_MODEL_MJCF_INCLUDE_H
#define PB_MODEL_MJCF_INCLUDE_H
#include "problems/readers/format/xml.h"

enum {
  PB_MJCF_INCLUDES = 128, // files that include one another
  PB_MJCF_FILES = 1000,   // included files of a document
  PB_MJCF_DEPTH = 400     // elements in one another
};

// Replace every <include> of an open document by what its file holds.
//   name  of the main file, as its problem has it
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line of the <include>.
dm_status pb_mjcf_include(pb_xml *x, const char *name);

// Open a file named in an element of a document as one of its own (to be closed), with its <include>
// replaced.
//   own  out: its name, as the problem has it
dm_status pb_mjcf_open(const pb_xml *x, const xmlNode *e, const char *main, const char *file,
                       pb_xml *out, const char **own);

// Refuse elements that are nested too deeply for recursions.
dm_status pb_mjcf_check_depth(const pb_xml *x);
#endif
