// cli/console/json.h: JSON objects with shortest numbers, and null for numbers that are not finite.
#ifndef CLI_CONSOLE_JSON_H
#define CLI_CONSOLE_JSON_H
#include "problems/readers/format/file.h"

#include <json.h>
#include <stdbool.h>

typedef json_object cli_json;

// Set obj.key. Numbers that are not finite, and NULL texts, become null.
void cli_json_number(cli_json *obj, const char *key, double value);
void cli_json_int(cli_json *obj, const char *key, long long value);
void cli_json_text(cli_json *obj, const char *key, const char *value);
void cli_json_bool(cli_json *obj, const char *key, bool value);

// Set obj.key to an empty object (replacing an existing value) and return it.
cli_json *cli_json_object(cli_json *obj, const char *key);

// The object of a dotted name in obj, a.b in obj.a; missing objects are created.
cli_json *cli_json_open(cli_json *obj, const char *name);

// Set obj.key to a vector [n], a matrix [rows x cols] row-major (nested arrays), or names [n].
void cli_json_vector(cli_json *obj, const char *key, const double *x, int n);
void cli_json_matrix(cli_json *obj, const char *key, const double *x, int rows, int cols);
void cli_json_names(cli_json *obj, const char *key, const char *const *name, int n);

// Read the object in a result.json; release with put. Returns DM_OK; DM_IO if it cannot be read; or
// DM_BAD_INPUT if it is not an object, with *object NULL and the reason in msg.
dm_status cli_json_read(cli_json **object, const pb_file *file, dm_message *msg);

// The text of obj.key, or NULL; obj may be NULL.
const char *cli_json_get_text(const cli_json *obj, const char *key);

// The object obj.key, or NULL.
cli_json *cli_json_get_object(const cli_json *obj, const char *key);

// The integer obj.key, or `absent` if it is missing.
int cli_json_get_int(const cli_json *obj, const char *key, int absent);
double cli_json_get_number(const cli_json *obj, const char *key, double absent);

// The object as indented plain text (lib/base/text.h); other characters, for example in a file
// name, become '?'. Valid until obj is freed or changed.
const char *cli_json_pretty(cli_json *obj);
#endif
