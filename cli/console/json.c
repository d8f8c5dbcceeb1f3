#include "cli/console/json.h"

#include "lib/base/decimal.h"
#include "lib/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static json_object *make_number(double value) {
  char text[DM_DECIMAL];
  dm_decimal_put(value, text);
  return isfinite(value) ? json_object_new_double_s(value, text) : NULL;
}

void cli_json_number(cli_json *obj, const char *key, double value) {
  json_object_object_add(obj, key, make_number(value));
}

void cli_json_int(cli_json *obj, const char *key, long long value) {
  json_object_object_add(obj, key, json_object_new_int64(value));
}

void cli_json_text(cli_json *obj, const char *key, const char *value) {
  json_object_object_add(obj, key, value ? json_object_new_string(value) : NULL);
}

void cli_json_bool(cli_json *obj, const char *key, bool value) {
  json_object_object_add(obj, key, json_object_new_boolean(value));
}

cli_json *cli_json_object(cli_json *obj, const char *key) {
  json_object *child = json_object_new_object();
  json_object_object_add(obj, key, child);
  return child;
}

cli_json *cli_json_open(cli_json *obj, const char *name) {
  // the part before the first dot names an object that contains the rest
  const char *dot = strchr(name, '.');
  char key[128];
  snprintf(key, sizeof key, "%.*s", (int)(dot ? dot - name : (int)sizeof key - 1), name);
  cli_json *inner;
  if (!json_object_object_get_ex(obj, key, &inner)) inner = cli_json_object(obj, key);
  return dot ? cli_json_open(inner, dot + 1) : inner;
}

static json_object *make_vector(const double *x, int n) {
  json_object *array = json_object_new_array();
  for (int i = 0; i < n; i++) json_object_array_add(array, make_number(x[i]));
  return array;
}

void cli_json_vector(cli_json *obj, const char *key, const double *x, int n) {
  json_object_object_add(obj, key, make_vector(x, n));
}

void cli_json_matrix(cli_json *obj, const char *key, const double *x, int rows, int cols) {
  json_object *array = json_object_new_array();
  for (int i = 0; i < rows; i++) json_object_array_add(array, make_vector(x + i * cols, cols));
  json_object_object_add(obj, key, array);
}

void cli_json_names(cli_json *obj, const char *key, const char *const *name, int n) {
  json_object *array = json_object_new_array();
  for (int i = 0; i < n; i++) json_object_array_add(array, json_object_new_string(name[i]));
  json_object_object_add(obj, key, array);
}

dm_status cli_json_read(cli_json **object, const pb_file *file, dm_message *msg) {
  dm_message why;
  *object = NULL;
  FILE *f = pb_file_open(file, PB_LARGEST_FILE, &why);
  if (!f) return dm_fail(msg, DM_IO, "%s cannot be read: %s", file->path, why.text);

  // json_object_from_fd returns NULL both for parse and for read errors
  errno = 0;
  cli_json *o = json_object_from_fd(fileno(f));
  const bool broken = !o && errno == EIO;
  fclose(f);
  if (broken) return dm_fail(msg, DM_IO, "%s cannot be read: %s", file->path, strerror(EIO));
  if (json_object_is_type(o, json_type_object)) {
    *object = o;
    return DM_OK;
  }
  json_object_put(o);
  return dm_fail(msg, DM_BAD_INPUT, "%s is damaged: expected an object with a key problem",
                 file->path);
}

const char *cli_json_get_text(const cli_json *obj, const char *key) {
  json_object *value = NULL;
  if (!obj || !json_object_object_get_ex(obj, key, &value)) return NULL;
  return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

cli_json *cli_json_get_object(const cli_json *obj, const char *key) {
  json_object *value = NULL;
  if (!obj || !json_object_object_get_ex(obj, key, &value)) return NULL;
  return json_object_is_type(value, json_type_object) ? value : NULL;
}

double cli_json_get_number(const cli_json *obj, const char *key, double absent) {
  cli_json *value = NULL;
  if (!obj || !json_object_object_get_ex(obj, key, &value)) return absent;
  return json_object_is_type(value, json_type_double) ? json_object_get_double(value) : absent;
}

int cli_json_get_int(const cli_json *obj, const char *key, int absent) {
  json_object *value = NULL;
  if (!obj || !json_object_object_get_ex(obj, key, &value)) return absent;
  return json_object_is_type(value, json_type_int) ? json_object_get_int(value) : absent;
}

const char *cli_json_pretty(cli_json *obj) {
  const char *text = json_object_to_json_string_ext(
      obj, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);

  // json-c passes bytes that are not valid UTF-8; the text belongs to the object
  return dm_text_make_plain((char *)text, "\n", '?');
}
