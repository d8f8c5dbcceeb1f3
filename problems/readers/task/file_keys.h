// problems/readers/task/file_keys.h: the keys of a whole problem file.
#ifndef PB_TASK_FILE_KEYS_H
#define PB_TASK_FILE_KEYS_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_file_keys[]; // for pb_sections
#endif
