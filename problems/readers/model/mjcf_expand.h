// problems/readers/model/mjcf_expand.h: expand the instructions of MuJoCo's XML that create bodies,
// into one document.
//
//   <include>     replaced by the content of its file (problems/readers/model/mjcf_include.h)
//   <attach>      replaced by a body or frame of another file or of this one, renamed with its
//                 prefix, together with the tendons, equalities and actuators that refer only to it
//   <replicate>   replaced by its copies, each in its own frame and renamed with its number
//   <frame>       replaced by its children, with its pose and class in their notes (pb_mjcf_note)
#ifndef PB_MODEL_MJCF_EXPAND_H
#define PB_MODEL_MJCF_EXPAND_H
#include "problems/readers/model/mjcf_file.h"

enum { PB_MJCF_COPIED = 200000, PB_MJCF_ATTACHED = 16 }; // elements copied; nesting depth of files

// Open a robot: expand an open file to one document, check its words, and read <compiler>, <option>
// and <default>.
//   name  of the file in its problem
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_begin(pb_mjcf *m, pb_xml *x, const char *name);
#endif
