// problems/readers/format/reader.h: the state shared by all readers: memory, messages, the files
// read so far, and the names that a problem may use once its model is known.
#ifndef PB_FORMAT_READER_H
#define PB_FORMAT_READER_H
#include "problems/readers/format/arena.h"
#include "problems/readers/format/file.h"
#include "problems/readers/format/sha256.h"
#include "problems/readers/format/sources.h"
#include "problems/readers/format/warnings.h"

#include <stdbool.h>
#include <stdio.h>

// A named state from the robot's file; NAN if the file gives no value.
typedef struct pb_keyframe {
  const char *name;
  const double *q, *v; // [n]
} pb_keyframe;

typedef struct pb_reader {
  pb_arena *arena;
  struct pb_warnings *warnings;
  dm_message *msg;
  const char *file;                 // the problem (or robot) file as given
  pb_sha256 digest;                 // of all bytes read, file after file
  const char *folder;               // where the files it names are; NULL: relative to it
  const pb_folder *copies;          // folder of copies to read instead of the files; or NULL
  bool logs;                        // files are logs: up to 1 GiB, and none is in `sources`
  const pb_source *known;           // files that another reader has read, for pb_file_once; or NULL
  pb_source *sources, *last_source; // the files read
  const struct pb_replace *replace; // [nreplace] values replaced in the problem file
  int nreplace;
  // set once the model is read: coordinates, and inputs, with forces before kinematic coordinates
  // (one number for all inputs applies to the first nf)
  int n, nu, nf;
  const char *const *coord, *const *input;
  const char *clock; // the coordinate that the time in forces adds (clock.h); NULL: none
  int nball;         // ball joints, with the index of the first coordinate of each quaternion
  const int *quaternion;
  int nkeyframe; // states in the robot's file
  const pb_keyframe *keyframe;
  int nc; // rows of constraints, each with its name
  const char *const *row;
  const struct pb_definitions *definitions; // names of `let`, for expressions; or NULL
  int nlocked;                              // joints locked by the file, and joints that copy them
  const char *const *locked;
  int asked;         // set once the horizon is read: the file's step count (horizon.asked); or 0
  const char *phase; // the phase of `phases:` being read alone; or NULL
  bool goes_on;      // another phase follows this one
  bool follows;      // it follows another phase
  const struct pb_node
      *repeats; // the join of the first phase, by which phases are periodic; or NULL
  dm_message
      *draft; // inspection only: receives the reason why the model cannot be stepped; else NULL
} pb_reader;

// Refuse a file: write "FILE:LINE:COLUMN: " and a sentence to the message; a line or column of 0 is
// left out. Returns DM_BAD_INPUT.
dm_status pb_refuse(const pb_reader *r, const char *file, int line, int column, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

// Record a warning "FILE:LINE: sentence". Returns DM_OK or DM_NO_MEMORY.
dm_status pb_warn(pb_reader *r, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// "; did you mean 'name'?" for the nearest of the known names, or "". Writes and returns text.
const char *pb_did_you_mean(const char *const *list, int n, const char *name, char text[96]);

// Read a whole file (at most 64 MiB; logs 1 GiB), or its copy in r->copies, into the arena and terminate it
// with a zero. Add it to the digest and to r->sources under its name in the problem. Returns DM_OK,
// DM_NO_MEMORY, or DM_IO with the reason in `reason`.
dm_status pb_file_read(pb_reader *r, const char *name, const char *path, char **bytes, size_t *size,
                       dm_message *reason);

// Read a file relative to r->file only once, even if it is named repeatedly; *out: its original
// bytes.
dm_status pb_file_once(pb_reader *r, const char *name, const pb_source **out, dm_message *reason);

// The path of a file named in r->file: absolute names as they are, others relative to r->folder or,
// if NULL, to r->file. In the arena; NULL if out of memory.
const char *pb_file_beside(const pb_reader *r, const char *name);
#endif
