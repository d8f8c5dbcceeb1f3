// problems/readers/task/opened.h: open a problem file: its text, its sections, and the name of its
// results.
#ifndef PB_TASK_OPENED_H
#define PB_TASK_OPENED_H
#include "problems/readers/task/sections.h"

// Open r->file and begin the digest. Returns DM_OK, DM_NO_MEMORY, or DM_IO with a message.
dm_status pb_opened_text(pb_reader *r, char **text, size_t *size);

// Whether a file is XML, by its extension or its first character: a robot's file.
bool pb_opened_robot(const char *path, const char *text);

// Parse the text, apply the replacements, and find the sections. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_opened_root(pb_reader *r, const char *text, size_t size, const pb_node **root,
                         pb_sections *s);

// The name of the results: word, the file's `name`, else from the path.
dm_status pb_opened_name(const pb_reader *r, const pb_node *root, const char *word, char **name);

// The status of a reader with the message of a failure that has no line in the file: out of memory,
// or numbers that are not finite.
dm_status pb_opened_report(const pb_reader *r, dm_status s);
#endif
