// cli/exchange/recording.h: a recording in the MCAP format: messages in JSON on topics, in the order
// of their times.
//
//   magic, header, metadata, schemas, channels, (chunk, message indexes).., data end,
//   the summary: schemas, channels, chunk indexes, metadata indexes, statistics, their offsets,
//   footer, magic
//
// Chunks are not compressed, and have a CRC-32 as the summary has. Source: [mcap] in
// docs/sources.md.
#ifndef CLI_EXCHANGE_RECORDING_H
#define CLI_EXCHANGE_RECORDING_H
#include "cli/exchange/byte_buffer.h"
#include "lib/base/status.h"

#include <stdio.h>

enum { CLI_CHANNELS = 128 };

// Of a channel: its messages so far, and where those of the chunk at hand stand in it.
typedef struct cli_recording_channel {
  uint32_t messages;
  cli_bytes index;
} cli_recording_channel;

// Of a time of messages, ns; first > last: of none.
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
  bool lost;                                                    // memory ran out
} cli_recording;

// Begin a recording: `library` is who writes it.
void cli_recording_begin(cli_recording *r, FILE *f, const char *library);

// Texts by their names, n of them; before the first message.
void cli_recording_metadata(cli_recording *r, const char *name, const char *const (*pair)[2],
                            int n);

// A schema of messages by its JSON schema; a channel of it. Return their numbers. There are
// CLI_CHANNELS of either at most.
int cli_recording_schema(cli_recording *r, const char *name, const char *text);
int cli_recording_channel_new(cli_recording *r, int schema, const char *topic);

// A message at a time [ns] that is not before that of the last one.
void cli_recording_message(cli_recording *r, int channel, uint64_t time, const char *text,
                           size_t size);

// Write all that is left, and free. Returns DM_OK or DM_NO_MEMORY; what the file refused is known to
// it (ferror).
dm_status cli_recording_end(cli_recording *r);
#endif
