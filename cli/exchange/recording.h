// cli/exchange/recording.h: write a recording in the MCAP format: JSON messages on topics, in order
// of time.
//
//   magic, header, metadata, schemas, channels, (chunk, message indexes).., data end,
//   the summary: schemas, channels, chunk indexes, metadata indexes, statistics, their offsets,
//   footer, magic
//
// Chunks are not compressed; chunks and the summary have a CRC-32. Source: [mcap] in
// docs/sources.md.
#ifndef CLI_EXCHANGE_RECORDING_H
#define CLI_EXCHANGE_RECORDING_H
#include "cli/exchange/byte_buffer.h"
#include "lib/base/status.h"

#include <stdio.h>

enum { CLI_CHANNELS = 128 };

// A channel: its messages so far, and the positions of those in the current chunk.
typedef struct cli_recording_channel {
  uint32_t messages;
  cli_bytes index;
} cli_recording_channel;

// A range of message times, ns; first > last: empty.
typedef struct cli_recording_span {
  uint64_t first, last;
} cli_recording_span;

typedef struct cli_recording {
  FILE *f;
  uint64_t size; // written so far
  int nschemas, nchannels;
  cli_recording_channel channel[CLI_CHANNELS];
  cli_bytes chunk; // its records
  cli_recording_span whole, chunk_span;
  uint64_t messages;
  uint32_t chunks, metadata;
  cli_bytes schemas, channels, chunk_indexes, metadata_indexes; // records of the summary
  bool lost;                                                    // out of memory
} cli_recording;

// Begin a recording; `library`: the name of the writing program.
void cli_recording_begin(cli_recording *r, FILE *f, const char *library);

// Add n pairs of names and texts; call before the first message.
void cli_recording_metadata(cli_recording *r, const char *name, const char *const (*pair)[2],
                            int n);

// Add a message schema (in JSON Schema), or a channel with a schema. Return their numbers. There
// are at most CLI_CHANNELS of each.
int cli_recording_schema(cli_recording *r, const char *name, const char *text);
int cli_recording_channel_new(cli_recording *r, int schema, const char *topic);

// Add a message at a time [ns] that is not before the previous one.
void cli_recording_message(cli_recording *r, int channel, uint64_t time, const char *text,
                           size_t size);

// Write the rest and free. Returns DM_OK or DM_NO_MEMORY; write errors are recorded in the file
// (ferror).
dm_status cli_recording_end(cli_recording *r);
#endif
