// problems/map/keys.h: the keys of a problem file as other languages read them.
#ifndef PB_MAP_KEYS_H
#define PB_MAP_KEYS_H
#include "lib/base/status.h"

DM_BEGIN_C

// The keys of a YAML file as JSON: mappings and lists as they stand, plain numbers as numbers, all
// else as text, what is left empty as null. Whether they are right is not asked. *out is to be
// freed by pb_keys_free. Returns DM_OK, or DM_BAD_INPUT / DM_IO / DM_NO_MEMORY with one sentence in
// msg, *out NULL.
dm_status pb_keys_read(char **out, const char *path, dm_message *msg);
void pb_keys_free(char *text); // accepts NULL

DM_END_C
#endif
