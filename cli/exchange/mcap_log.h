// cli/exchange/mcap_log.h: read joint states from an MCAP recording as a log.
//
// Messages are JSON, in chunks without compression or outside of chunks, in one of two forms:
//
//   {"timestamp": {"sec", "nsec"}, "joints": [{"name", "position", "effort"}, ..]}      as dmoc writes
//   {"header": {"stamp": {"sec", "nanosec"}}, "name": [..], "position": [..], "effort": [..]}
//
// Other messages are ignored. Without a time of its own a message has the time of its record.
// Source: [mcap] in docs/sources.md.
#ifndef CLI_EXCHANGE_MCAP_LOG_H
#define CLI_EXCHANGE_MCAP_LOG_H
#include "problems/readers/format/log.h"

// Whether the name of a file ends with .mcap.
bool cli_mcap_log_is(const char *path);

// The same as pb_log_read: q.NAME are positions, u.NAME efforts, of the joint that a column names.
dm_status cli_mcap_log_read(pb_reader *r, const char *path, const pb_log_column *column, int n,
                            pb_log *out);
#endif
