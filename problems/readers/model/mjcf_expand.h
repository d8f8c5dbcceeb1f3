// problems/readers/model/mjcf_expand.h: one document of MuJoCo's XML, with bodies where it has
// instructions to make them.
//
//   <include>     replaced by what its file holds (problems/readers/model/mjcf_include.h)
//   <attach>      replaced by a body or frame of another file or of this one, renamed by its prefix,
//                 with the tendons, equalities and actuators that refer to it alone
//   <replicate>   replaced by its copies, each in a frame of its own and renamed by its number
//   <frame>       its children stand in its place, with its pose and class in their notes
//                 (pb_mjcf_note)
#ifndef PB_MODEL_MJCF_EXPAND_H
#define PB_MODEL_MJCF_EXPAND_H
#include "problems/readers/model/mjcf_file.h"

enum { PB_MJCF_COPIED = 200000, PB_MJCF_ATTACHED = 16 }; // elements copied; files in one another

// Open a robot: make one document of an open file, check its words, and read <compiler>, <option> and
// <default>.
//   name  of the file, as its problem has it
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_begin(pb_mjcf *m, pb_xml *x, const char *name);
#endif
