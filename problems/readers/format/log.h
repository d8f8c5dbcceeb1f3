// problems/readers/format/log.h: logs of a robot: measured quantities with their times.
//
// A log is a CSV file with a header line. Each quantity has a column of values and a column of
// times, which several quantities may share. Times may be irregular. An empty cell or `nan` is a
// dropped sample. Other columns are ignored.
#ifndef PB_FORMAT_LOG_H
#define PB_FORMAT_LOG_H
#include "problems/readers/format/reader.h"

// A quantity to read.
typedef struct pb_log_column {
  const char *name;  // "q.elbow", for messages
  const char *value; // column of its values; NULL: the quantity is always 0
  const char *time;  // column of their times
  double factor;     // of the values
  double delay;      // s, added to the times
} pb_log_column;

// Its samples.
typedef struct pb_log_channel {
  const char *name;
  int samples, dropped;    // dropped: between samples; samples 0: the quantity is always 0
  const double *t, *value; // [samples] s, ascending
} pb_log_channel;

typedef struct pb_log {
  const char *file;
  int n;
  pb_log_channel *channel; // [n] in the order of the request
  int nignored;
  const char **ignored; // [nignored] columns
} pb_log;

// Read a file.
//   column  [n]
//   second  time in the file that is 1 s: 1, 1e3 for ms, ..
//   out     in the arena
// Returns DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with the file and the line: a file that cannot be
// read, a missing column (with the nearest name), a cell that is not a number, a value without
// time, times that do not ascend, or fewer than two samples of a quantity.
dm_status pb_log_read(pb_reader *r, const char *path, const pb_log_column *column, int n,
                      double second, pb_log *out);
#endif
