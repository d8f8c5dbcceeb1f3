// problems/readers/model/contacts.h: read `model: {contacts: [...]}`, unilateral constraints by
// name.
#ifndef PB_MODEL_CONTACTS_H
#define PB_MODEL_CONTACTS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_contact_keys[]; // keys of one contact

// A part reader (parts.h): the list, into out->contacts.
dm_status pb_contacts_read(const pb_part_source *from, dm_robot *out);

// Read the contacts of a walk's feet, the list `contacts` of the section `verify`, into the arena: *out [*n]. They
// must be above planes of the world. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_feet_read(pb_reader *r, const pb_node *verify, const dm_robot *robot,
                       const dm_contact **out, int *n);

// Refuse a node if q [nq] penetrates an obstacle; the message names the deepest penetration.
dm_status pb_contacts_check(const pb_reader *r, const pb_node *node, const char *path,
                            const dm_contacts *c, double length, const double *q);
#endif
