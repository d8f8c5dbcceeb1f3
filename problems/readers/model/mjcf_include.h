// problems/readers/model/mjcf_include.h: the <include> of MuJoCo's XML, replaced by the children of
// another file's root.
//
//   file   relative to the main file, else to the file that includes it; `..` and absolute names
//          are followed, as MuJoCo does
//   once   every file at most once, by its name without `.` and `folder/..`, and at most 1000
//          files: this excludes cycles and exponential growth
#ifndef PB_MODEL_MJCF_INCLUDE_H
#define PB_MODEL_MJCF_INCLUDE_H
#include "problems/readers/format/xml.h"

enum {
  PB_MJCF_INCLUDES = 128, // nesting depth of included files
  PB_MJCF_FILES = 1000,   // included files of a document
  PB_MJCF_DEPTH = 400     // nesting depth of elements
};

// Replace every <include> of an open document by the content of its file.
//   name  of the main file in its problem
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line of the <include>.
dm_status pb_mjcf_include(pb_xml *x, const char *name);

// Open a file named in an element of a document as a separate document (to be closed), with its
// <include> replaced.
//   own  out: its name in the problem
dm_status pb_mjcf_open(const pb_xml *x, const pb_xml_node *e, const char *main, const char *file,
                       pb_xml *out, const char **own);

// Refuse elements that are nested too deeply for recursive functions.
dm_status pb_mjcf_check_depth(const pb_xml *x);
#endif
