// problems/map/keys.h: the keys of a problem file for other languages.
#ifndef PB_MAP_KEYS_H
#define PB_MAP_KEYS_H
#include "lib/base/status.h"

DM_BEGIN_C

// Convert the keys of a YAML file to JSON: mappings and lists unchanged, unquoted numbers as
// numbers, other scalars as text, and empty values as null. The keys are not validated. Free *out
// with pb_keys_free. Returns DM_OK; or DM_BAD_INPUT, DM_IO or DM_NO_MEMORY with one sentence in msg
// and *out NULL.
dm_status pb_keys_read(char **out, const char *path, dm_message *msg);
void pb_keys_free(char *text); // NULL is accepted

DM_END_C
#endif
