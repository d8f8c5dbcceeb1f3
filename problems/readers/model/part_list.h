// problems/readers/model/part_list.h: read a list `model.SECTION` of parts of one kind.
#ifndef PB_MODEL_PART_LIST_H
#define PB_MODEL_PART_LIST_H
#include "problems/readers/model/tree_builder.h"

struct pb_key;

typedef struct pb_part_list {
  dm_part_kind kind;
  const char *section;
  size_t size, name;         // of a description, and the offset of its name, a const char *
  const struct pb_key *keys; // of an entry
  // read one entry; an entry without a name adds no part
  dm_status (*read)(const pb_reader *r, const struct pb_part_list *list, const pb_node *node,
                    const dm_model *m, void *part);
} pb_part_list;

// Memory for `more` parts and all entries of a list. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_part_list_new(const pb_part_source *from, const pb_part_list *list, int more,
                           void **parts);

// Read all entries after the first n parts, which are those of the robot's file, and compile them
// together; names must be unique. Without parts the group stays NULL.
//   parts  from pb_part_list_new; the first n are filled in
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT at the entry or at the list that is refused.
dm_status pb_part_list_read(const pb_part_source *from, const pb_part_list *list, void *parts,
                            int n, dm_robot *out);
#endif
