// cli/console/json.h: JSON objects with the shortest numbers and null where a number is not finite.
#ifndef CLI_CONSOLE_JSON_H
#define CLI_CONSOLE_JSON_H
#include "problems/readers/format/file.h"

#include <json.h>
#include <stdbool.h>

typedef json_object cli_json;

// Set obj.key. A number that is not finite, and a NULL text, become null.
void cli_json_number(cli_json *obj, const char *key, double value);
void cli_json_int(cli_json *obj, const char *key, long long value);
void cli_json_text(cli_json *obj, const char *key, const char *value);
void cli_json_bool(cli_json *obj, const char *key, bool value);

// Set obj.key to an empty object (replacing what was there) and return it.
cli_json *cli_json_object(cli_json *obj, const char *key);

// The object of a dotted name in obj, a.b in obj.a; those that are not there yet are made.
cli_json *cli_json_open(cli_json *obj, const char *name);

// Set obj.key to a vector [n], a matrix [rows x cols] row-major (nested arrays), or names [n].
void cli_json_vector(cli_json *obj, const char *key, const double *x, int n);
void cli_json_matrix(cli_json *obj, const char *key, const double *x, int rows, int cols);
void cli_json_names(cli_json *obj, const char *key, const char *const *name, int n);

// Read the object that a result.json holds, to be put. Returns DM_OK; DM_IO where it cannot be read
// and DM_BAD_INPUT where it holds none, with *object NULL and why in msg.
dm_status cli_json_read(cli_json **object, const pb_file *file, dm_message *msg);

// The text of obj.key, or NULL; obj may be NULL.
const char *cli_json_get_text(const cli_json *obj, const char *key);

// The object obj.key, or NULL where there is none.
cli_json *cli_json_get_object(const cli_json *obj, const char *key);

// The integer obj.key, or `absent` where there is none.
int cli_json_get_int(const cli_json *obj, const char *key, int absent);
double cli_json_get_number(const cli_json *obj, const char *key, double absent);

// The object as indented plain text (lib/base/text.h): what is not, in a file's name for example,
// is
// '?'. Valid until obj is freed or changed.
const char *cli_json_pretty(cli_json *obj);
#endif
