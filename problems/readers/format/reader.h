// problems/readers/format/reader.h: what all readers share: memory, messages, the files read so
// far, and the names that a problem may use once its model is known.
#ifndef PB_FORMAT_READER_H
#define PB_FORMAT_READER_H
#include "problems/readers/format/arena.h"
#include "problems/readers/format/file.h"
#include "problems/readers/format/sha256.h"
#include "problems/readers/format/sources.h"
#include "problems/readers/format/warnings.h"

#include <stdbool.h>
#include <stdio.h>

// A state that the robot's file has by name; NAN where it says nothing.
typedef struct pb_keyframe {
  const char *name;
  const double *q, *v; // [n]
} pb_keyframe;

typedef struct pb_reader {
  pb_arena *arena;
  struct pb_warnings *warnings;
  dm_message *msg;
  const char *file;                 // the problem (or robot) file as it was given
  pb_sha256 digest;                 // of all bytes read, file after file
  const char *folder;               // where files that it names are; NULL: beside it
  const pb_folder *copies;          // a folder of copies that are read in place of files; or NULL
  const pb_source *known;           // files that another reader has read, for pb_file_once; or NULL
  pb_source *sources, *last_source; // the files read
  const struct pb_replace *replace; // [nreplace] values replaced in the problem file
  int nreplace;
  // once the model is read: coordinates; inputs, the forces and then the kinematic coordinates (one
  // number for all of them is for the first nf)
  int n, nu, nf;
  const char *const *coord, *const *input;
  int nball; // ball joints, with the first coordinate of each one's quaternion
  const int *quaternion;
  int nkeyframe; // states of the robot's file
  const pb_keyframe *keyframe;
  int nc; // rows of constraints, each with its name
  const char *const *row;
  int nlocked; // joints that the file holds still, and what copies them
  const char *const *locked;
  int asked; // once the horizon is read: the steps that the file counts in (horizon.asked); or 0
  const char *phase; // of `phases:`, the one that is read alone; or NULL
  bool goes_on;      // which another one follows
  dm_message
      *draft; // the model is looked at, not stepped: takes what keeps it from that; else NULL
} pb_reader;

// Refuse a file: writes "FILE:LINE:COLUMN: " and a sentence to the message; a column (or line) of 0
// is left out. Returns DM_BAD_INPUT.
dm_status pb_refuse(const pb_reader *r, const char *file, int line, int column, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

// Keep a warning "FILE:LINE: sentence". Returns DM_OK or DM_NO_MEMORY.
dm_status pb_warn(pb_reader *r, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// "; did you mean 'name'?" for the nearest of the known names, or "", in text; returns text.
const char *pb_did_you_mean(const char *const *list, int n, const char *name, char text[96]);

// Read a whole file (at most 64 MiB), or its copy in r->copies, into the arena, ended by a zero;
// add it to the digest and to r->sources under the name that the problem has for it. Returns DM_OK,
// DM_NO_MEMORY, or DM_IO with why in reason.
dm_status pb_file_read(pb_reader *r, const char *name, const char *path, char **bytes, size_t *size,
                       dm_message *reason);

// The same of a file beside others that is read once, whoever names it: *out is it as it was read.
dm_status pb_file_once(pb_reader *r, const char *name, const pb_source **out, dm_message *reason);

// The path of a file named in r->file: as it stands where absolute, else in r->folder, or beside
// r->file. In the arena; NULL where memory is out.
const char *pb_file_beside(const pb_reader *r, const char *name);
#endif
