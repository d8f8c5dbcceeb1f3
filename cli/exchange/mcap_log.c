#include "cli/exchange/mcap_log.h"

#include <json.h>
#include <math.h>
#include <string.h>

enum { MAGIC = 8, CHANNEL = 4, MESSAGE = 5, CHUNK = 6, CHANNELS = 1 << 16, DEPTH = 8 };

// bytes that are read from the front
typedef struct span {
  const unsigned char *at, *end;
} span;

typedef struct recording {
  pb_reader *r;
  const char *path;
  const pb_log_column *column;
  int n;
  pb_log_channel *channel; // NULL: messages are counted
  double **t, **value;     // [n][messages]
  bool *json;              // [CHANNELS] whether a channel has JSON messages
  int messages, others;    // with joint states; JSON of other kinds, or not JSON
} recording;

// -- bytes

static bool take(span *s, size_t n, span *out) {
  if ((size_t)(s->end - s->at) < n) return false;
  *out = (span){s->at, s->at + n};
  s->at += n;
  return true;
}

static bool take_number(span *s, size_t bytes, uint64_t *x) {
  span part;
  *x = 0;
  if (!take(s, bytes, &part)) return false;
  for (size_t i = bytes; i-- > 0;) *x = *x << 8 | part.at[i];
  return true;
}

// a text or a block with its length before it
static bool take_block(span *s, size_t bytes, span *out) {
  uint64_t n;
  return take_number(s, bytes, &n) && n <= (uint64_t)(s->end - s->at) && take(s, (size_t)n, out);
}

static bool is_word(const span *s, const char *word) {
  return (size_t)(s->end - s->at) == strlen(word) && !memcmp(s->at, word, strlen(word));
}

// -- messages

static json_object *get(json_object *o, const char *key) {
  json_object *x = NULL;
  return json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, &x) ? x
                                                                                           : NULL;
}

static double get_number(json_object *o) {
  const bool number =
      json_object_is_type(o, json_type_double) || json_object_is_type(o, json_type_int);
  return number ? json_object_get_double(o) : NAN;
}

// the time of a message [s]: its own, or that of its record
static double find_time(json_object *o, uint64_t logged) {
  json_object *stamp = get(o, "timestamp");
  if (!stamp) stamp = get(get(o, "header"), "stamp");
  json_object *part = get(stamp, "nsec");
  if (!part) part = get(stamp, "nanosec");
  const double t = get_number(get(stamp, "sec")) + 1e-9 * get_number(part);
  return isfinite(t) ? t : 1e-9 * (double)logged;
}

// a number of a joint in either form; NAN: none
static double find_joint(json_object *o, const char *joint, const char *field) {
  json_object *joints = get(o, "joints"), *names = get(o, "name"), *list = get(o, field);
  const bool whole = json_object_is_type(joints, json_type_array);
  if (!whole && !json_object_is_type(names, json_type_array)) return NAN;
  const size_t n = json_object_array_length(whole ? joints : names);
  for (size_t i = 0; i < n; i++) {
    json_object *x = json_object_array_get_idx(whole ? joints : names, i);
    json_object *name = whole ? get(x, "name") : x;
    if (!json_object_is_type(name, json_type_string) || strcmp(json_object_get_string(name), joint))
      continue;
    if (whole) return get_number(get(x, field));
    const bool has =
        json_object_is_type(list, json_type_array) && i < json_object_array_length(list);
    return has ? get_number(json_object_array_get_idx(list, i)) : NAN;
  }
  return NAN;
}

static bool is_state(json_object *o) {
  return json_object_is_type(get(o, "joints"), json_type_array) ||
         (json_object_is_type(get(o, "name"), json_type_array) && get(o, "position"));
}

// append the samples of a message to the channels
static dm_status add_samples(recording *w, json_object *o, uint64_t logged) {
  const double t = find_time(o, logged);
  for (int i = 0; i < w->n; i++) {
    const pb_log_column *c = &w->column[i];
    const bool input = c->name[0] == 'u';
    if (!c->value) continue;
    const bool own = (c->value[0] == 'q' || c->value[0] == 'u') && c->value[1] == '.';
    const double x = find_joint(o, c->value + (own ? 2 : 0), input ? "effort" : "position");
    const int k = w->channel[i].samples;
    if (!isfinite(x)) continue;
    if (k && t + c->delay <= w->t[i][k - 1])
      return pb_refuse(w->r, w->path, 0, 0,
                       "%.64s: found the time %.10g s after %.10g s, expected ascending times; try "
                       "one log for each run",
                       c->name, t, w->t[i][k - 1] - c->delay);
    w->t[i][k] = t + c->delay;
    w->value[i][k] = c->factor * x;
    w->channel[i].samples++;
  }
  return DM_OK;
}

static dm_status read_message(recording *w, span s) {
  uint64_t id, sequence, logged, published;
  if (!take_number(&s, 2, &id) || !take_number(&s, 4, &sequence) || !take_number(&s, 8, &logged) ||
      !take_number(&s, 8, &published))
    return pb_refuse(w->r, w->path, 0, 0,
                     "found a message that ends too early, expected a whole one");
  if (!w->json[id]) {
    w->others++;
    return DM_OK;
  }
  json_tokener *parser = json_tokener_new_ex(DEPTH);
  if (!parser) return DM_NO_MEMORY;
  json_object *o = json_tokener_parse_ex(parser, (const char *)s.at, (int)(s.end - s.at));
  dm_status status = DM_OK;
  const bool state = o && is_state(o);
  w->messages += state;
  w->others += !state;
  if (state && w->channel) status = add_samples(w, o, logged);
  json_object_put(o);
  json_tokener_free(parser);
  return status;
}

static dm_status read_records(recording *w, span s, bool inside);

static dm_status read_chunk(recording *w, span s) {
  span head, compression, records;
  if (!take(&s, 28, &head) || !take_block(&s, 4, &compression) || !take_block(&s, 8, &records))
    return pb_refuse(w->r, w->path, 0, 0,
                     "found a chunk that ends too early, expected a whole one");
  if (compression.at == compression.end) return read_records(w, records, true);
  return pb_refuse(
      w->r, w->path, 0, 0,
      "found a chunk compressed by '%.*s', expected none; try 'mcap compress "
      "--compression none'",
      (int)(compression.end - compression.at < 16 ? compression.end - compression.at : 16),
      (const char *)compression.at);
}

static dm_status read_records(recording *w, span s, bool inside) {
  while (s.at < s.end) {
    uint64_t op, id;
    span record, skipped, encoding;
    if (!inside && s.end - s.at == MAGIC) return DM_OK; // the closing magic bytes
    if (!take_number(&s, 1, &op) || !take_block(&s, 8, &record))
      return pb_refuse(w->r, w->path, 0, 0,
                       "found a record that ends too early, expected a whole recording");
    if (op == CHUNK && !inside) DM_TRY(read_chunk(w, record));
    if (op == MESSAGE) DM_TRY(read_message(w, record));
    if (op != CHANNEL) continue;
    if (take_number(&record, 2, &id) && take(&record, 2, &skipped) &&
        take_block(&record, 4, &skipped) && take_block(&record, 4, &encoding))
      w->json[id] = is_word(&encoding, "json");
  }
  return DM_OK;
}

// -- the log

static dm_status make_channels(recording *w, pb_log *out) {
  pb_arena *arena = w->r->arena;
  PB_NEW(arena, w->channel, w->n);
  PB_NEW(arena, w->t, w->n);
  PB_NEW(arena, w->value, w->n);
  for (int i = 0; i < w->n; i++) {
    PB_NEW(arena, w->t[i], w->messages);
    PB_NEW(arena, w->value[i], w->messages);
    w->channel[i] = (pb_log_channel){.name = w->column[i].name, .t = w->t[i], .value = w->value[i]};
  }
  out->channel = w->channel;
  w->messages = w->others = 0;
  return DM_OK;
}

bool cli_mcap_log_is(const char *path) {
  const size_t n = strlen(path);
  return n > 5 && !strcmp(path + n - 5, ".mcap");
}

dm_status cli_mcap_log_read(pb_reader *r, const char *path, const pb_log_column *column, int n,
                            pb_log *out) {
  static const unsigned char magic[MAGIC] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
  recording w = {.r = r, .path = path, .column = column, .n = n};
  dm_message why = {""};
  char *bytes;
  size_t size;
  *out = (pb_log){.file = path, .n = n};
  const dm_status s = pb_file_read(r, path, path, &bytes, &size, &why);
  if (s == DM_IO) return pb_refuse(r, path, 0, 0, "cannot be read: %.100s", why.text);
  DM_TRY(s);
  if (size < 2 * sizeof magic || memcmp(bytes, magic, sizeof magic))
    return pb_refuse(r, path, 0, 0, "found no MCAP recording, expected one in a file named .mcap");
  const span all = {(const unsigned char *)bytes + sizeof magic,
                    (const unsigned char *)bytes + size};
  PB_NEW(r->arena, w.json, CHANNELS);
  DM_TRY(read_records(&w, all, false));
  if (!w.messages)
    return pb_refuse(r, path, 0, 0,
                     "found no joint states among %d messages, expected JSON with joints, or with "
                     "name and position; try a CSV file",
                     w.others);
  DM_TRY(make_channels(&w, out));
  DM_TRY(read_records(&w, all, false));
  for (int i = 0; i < n; i++)
    if (column[i].value && w.channel[i].samples < 2)
      return pb_refuse(r, path, 0, 0,
                       "%.64s: found %d samples, expected two or more; try 'identify: {columns: "
                       "{%.64s: JOINT}}' for another name",
                       column[i].name, w.channel[i].samples, column[i].name);
  return DM_OK;
}
