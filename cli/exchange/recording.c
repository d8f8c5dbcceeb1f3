#include "cli/exchange/recording.h"

#include <assert.h>
#include <string.h>

enum {
  CHUNK_BYTES = 1 << 20, // minimum size of a chunk, except the last
  OPENING = 9            // bytes before a record's content: opcode and length
};

typedef enum opcode {
  HEADER = 1,
  FOOTER,
  SCHEMA,
  CHANNEL,
  MESSAGE,
  CHUNK,
  MESSAGE_INDEX,
  CHUNK_INDEX,
  STATISTICS = 0x0b,
  METADATA,
  METADATA_INDEX,
  SUMMARY_OFFSET,
  DATA_END
} opcode;

static const unsigned char magic[] = {0x89, 'M', 'C', 'A', 'P', 0x30, '\r', '\n'};

// -- fields and records

static void put_string(cli_bytes *b, const char *text) {
  cli_bytes_integer(b, strlen(text), 4);
  cli_bytes_put(b, text, strlen(text));
}

static void put_time_span(cli_bytes *b, const cli_recording_span *span) {
  const bool none = span->first > span->last;
  cli_bytes_integer(b, none ? 0 : span->first, 8);
  cli_bytes_integer(b, none ? 0 : span->last, 8);
}

static void widen_span(cli_recording_span *span, uint64_t time) {
  if (time < span->first) span->first = time;
  if (time > span->last) span->last = time;
}

static const cli_recording_span no_span = {UINT64_MAX, 0};

// begin a record with unknown length, which close_record sets; returns the offset of its content
static size_t open_record(cli_bytes *b, opcode op) {
  cli_bytes_integer(b, op, 1);
  cli_bytes_integer(b, 0, 8);
  return b->n;
}

static void close_record(cli_bytes *b, size_t content) {
  cli_bytes_set(b, content - 8, b->n - content, 8);
}

// write and clear a buffer
static void flush_bytes(cli_recording *r, cli_bytes *b) {
  r->lost = r->lost || b->lost;
  if (!b->lost) fwrite(b->at, 1, b->n, r->f);
  r->size += b->n;
  cli_bytes_free(b);
}

// copy a record from the data to the summary
static void put_twice(cli_recording *r, cli_bytes *summary, size_t from) {
  if (!summary->lost) fwrite(summary->at + from, 1, summary->n - from, r->f);
  r->size += summary->n - from;
}

// -- before the first message

void cli_recording_begin(cli_recording *r, FILE *f, const char *library) {
  cli_bytes b = {0};
  *r = (cli_recording){.f = f, .whole = no_span, .chunk_span = no_span};
  cli_bytes_put(&b, magic, sizeof magic);
  const size_t header = open_record(&b, HEADER);
  put_string(&b, ""); // no profile
  put_string(&b, library);
  close_record(&b, header);
  flush_bytes(r, &b);
}

void cli_recording_metadata(cli_recording *r, const char *name, const char *const (*pair)[2],
                            int n) {
  cli_bytes b = {0};
  const uint64_t at = r->size;
  const size_t record = open_record(&b, METADATA);
  put_string(&b, name);
  cli_bytes_integer(&b, 0, 4);
  const size_t map = b.n;
  for (int i = 0; i < n; i++) {
    put_string(&b, pair[i][0]);
    put_string(&b, pair[i][1]);
  }
  cli_bytes_set(&b, map - 4, b.n - map, 4);
  close_record(&b, record);
  const size_t length = b.n;
  flush_bytes(r, &b);

  // its position
  const size_t index = open_record(&r->metadata_indexes, METADATA_INDEX);
  cli_bytes_integer(&r->metadata_indexes, at, 8);
  cli_bytes_integer(&r->metadata_indexes, length, 8);
  put_string(&r->metadata_indexes, name);
  close_record(&r->metadata_indexes, index);
  r->metadata++;
}

int cli_recording_schema(cli_recording *r, const char *name, const char *text) {
  assert(r->nschemas < CLI_CHANNELS);
  cli_bytes *b = &r->schemas;
  const size_t record = open_record(b, SCHEMA);
  cli_bytes_integer(b, (uint64_t)++r->nschemas, 2);
  put_string(b, name);
  put_string(b, "jsonschema");
  put_string(b, text);
  close_record(b, record);
  put_twice(r, b, record - OPENING);
  return r->nschemas;
}

int cli_recording_channel_new(cli_recording *r, int schema, const char *topic) {
  assert(r->nchannels < CLI_CHANNELS);
  cli_bytes *b = &r->channels;
  const size_t record = open_record(b, CHANNEL);
  cli_bytes_integer(b, (uint64_t)r->nchannels, 2);
  cli_bytes_integer(b, (uint64_t)schema, 2);
  put_string(b, topic);
  put_string(b, "json");
  cli_bytes_integer(b, 0, 4); // no metadata
  close_record(b, record);
  put_twice(r, b, record - OPENING);
  return r->nchannels++;
}

// -- chunks

// the header of a chunk record, up to its content
static void write_chunk_head(cli_recording *r) {
  enum { FIELDS = 8 + 8 + 8 + 4 + 4 + 8 };
  cli_bytes b = {0};
  cli_bytes_integer(&b, CHUNK, 1);
  cli_bytes_integer(&b, FIELDS + r->chunk.n, 8);
  put_time_span(&b, &r->chunk_span);
  cli_bytes_integer(&b, r->chunk.n, 8);
  cli_bytes_integer(&b, cli_bytes_crc(&r->chunk, 0), 4);
  put_string(&b, ""); // not compressed
  cli_bytes_integer(&b, r->chunk.n, 8);
  flush_bytes(r, &b);
}

// write the current chunk, if it has messages, and its indexes
static void write_chunk(cli_recording *r) {
  r->lost = r->lost || r->chunk.lost;
  if (!r->chunk.n) return;
  const uint64_t at = r->size, records = r->chunk.n;
  write_chunk_head(r);
  flush_bytes(r, &r->chunk);
  const uint64_t end = r->size;
  cli_bytes map = {0};

  // write the index of each channel with messages in the chunk, and record the positions in the
  // chunk's index
  for (int c = 0; c < r->nchannels; c++) {
    cli_bytes *index = &r->channel[c].index, b = {0};
    r->lost = r->lost || index->lost;
    if (!index->n) continue;
    cli_bytes_integer(&map, (uint64_t)c, 2);
    cli_bytes_integer(&map, r->size, 8);
    const size_t record = open_record(&b, MESSAGE_INDEX);
    cli_bytes_integer(&b, (uint64_t)c, 2);
    cli_bytes_integer(&b, index->n, 4);
    cli_bytes_put(&b, index->at, index->n);
    close_record(&b, record);
    cli_bytes_free(index);
    flush_bytes(r, &b);
  }

  // the positions
  cli_bytes *b = &r->chunk_indexes;
  const size_t record = open_record(b, CHUNK_INDEX);
  put_time_span(b, &r->chunk_span);
  cli_bytes_integer(b, at, 8);
  cli_bytes_integer(b, end - at, 8);
  cli_bytes_integer(b, map.n, 4);
  cli_bytes_put(b, map.at, map.n);
  cli_bytes_integer(b, r->size - end, 8);
  put_string(b, "");
  cli_bytes_integer(b, records, 8);
  cli_bytes_integer(b, records, 8);
  close_record(b, record);
  r->lost = r->lost || map.lost;
  cli_bytes_free(&map);
  r->chunks++;
  r->chunk_span = no_span;
}

void cli_recording_message(cli_recording *r, int channel, uint64_t time, const char *text,
                           size_t size) {
  cli_recording_channel *c = &r->channel[channel];
  cli_bytes_integer(&c->index, time, 8);
  cli_bytes_integer(&c->index, r->chunk.n, 8);
  const size_t record = open_record(&r->chunk, MESSAGE);
  cli_bytes_integer(&r->chunk, (uint64_t)channel, 2);
  cli_bytes_integer(&r->chunk, c->messages++, 4);
  cli_bytes_integer(&r->chunk, time, 8);
  cli_bytes_integer(&r->chunk, time, 8);
  cli_bytes_put(&r->chunk, text, size);
  close_record(&r->chunk, record);
  widen_span(&r->chunk_span, time);
  widen_span(&r->whole, time);
  r->messages++;
  if (r->chunk.n >= CHUNK_BYTES) write_chunk(r);
}

// -- summary

// append a group of records of one kind, and record its position
static void put_group(const cli_recording *r, cli_bytes *b, cli_bytes *offsets, opcode op,
                      const cli_bytes *group) {
  b->lost = b->lost || group->lost;
  if (!group->n) return;
  const size_t record = open_record(offsets, SUMMARY_OFFSET);
  cli_bytes_integer(offsets, op, 1);
  cli_bytes_integer(offsets, r->size + b->n, 8);
  cli_bytes_integer(offsets, group->n, 8);
  close_record(offsets, record);
  cli_bytes_put(b, group->at, group->n);
}

// the summary, and the footer with its position
static void write_summary(cli_recording *r) {
  cli_bytes b = {0}, offsets = {0}, statistics = {0};
  const uint64_t start = r->size;

  const size_t record = open_record(&statistics, STATISTICS);
  cli_bytes_integer(&statistics, r->messages, 8);
  cli_bytes_integer(&statistics, (uint64_t)r->nschemas, 2);
  cli_bytes_integer(&statistics, (uint64_t)r->nchannels, 4);
  cli_bytes_integer(&statistics, 0, 4); // attachments
  cli_bytes_integer(&statistics, r->metadata, 4);
  cli_bytes_integer(&statistics, r->chunks, 4);
  put_time_span(&statistics, &r->whole);
  cli_bytes_integer(&statistics, 10 * (uint64_t)r->nchannels, 4);
  for (int c = 0; c < r->nchannels; c++) {
    cli_bytes_integer(&statistics, (uint64_t)c, 2);
    cli_bytes_integer(&statistics, r->channel[c].messages, 8);
  }
  close_record(&statistics, record);

  put_group(r, &b, &offsets, SCHEMA, &r->schemas);
  put_group(r, &b, &offsets, CHANNEL, &r->channels);
  put_group(r, &b, &offsets, CHUNK_INDEX, &r->chunk_indexes);
  put_group(r, &b, &offsets, METADATA_INDEX, &r->metadata_indexes);
  put_group(r, &b, &offsets, STATISTICS, &statistics);
  const uint64_t offsets_start = start + b.n;
  cli_bytes_put(&b, offsets.at, offsets.n);

  // the CRC covers everything before it
  cli_bytes_integer(&b, FOOTER, 1);
  cli_bytes_integer(&b, 8 + 8 + 4, 8);
  cli_bytes_integer(&b, start, 8);
  cli_bytes_integer(&b, offsets_start, 8);
  cli_bytes_integer(&b, cli_bytes_crc(&b, 0), 4);
  cli_bytes_put(&b, magic, sizeof magic);
  b.lost = b.lost || offsets.lost;
  cli_bytes_free(&offsets);
  cli_bytes_free(&statistics);
  flush_bytes(r, &b);
}

dm_status cli_recording_end(cli_recording *r) {
  write_chunk(r);

  // the end of the data, without CRC because chunks have their own
  cli_bytes b = {0};
  const size_t record = open_record(&b, DATA_END);
  cli_bytes_integer(&b, 0, 4);
  close_record(&b, record);
  flush_bytes(r, &b);
  write_summary(r);

  cli_bytes *const all[] = {&r->schemas, &r->channels, &r->chunk_indexes, &r->metadata_indexes};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) cli_bytes_free(all[i]);
  for (int c = 0; c < r->nchannels; c++) cli_bytes_free(&r->channel[c].index);
  return r->lost ? DM_NO_MEMORY : DM_OK;
}
