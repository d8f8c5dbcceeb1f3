// problems/readers/model/contacts.h: `model: {contacts: [...]}`, what bodies may not do, by names.
#ifndef PB_MODEL_CONTACTS_H
#define PB_MODEL_CONTACTS_H
#include "lib/multibody/contact_geometry.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_contact_keys[]; // of one contact

// Compile the contacts of a list; NULL: none, *out NULL. To be freed by dm_contacts_free; m must
// outlive them. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_contacts_read(const pb_reader *r, const pb_node *list, const dm_model *m,
                           dm_contacts **out);

// Refuse a node where q [nq] is inside an obstacle, naming the deepest.
dm_status pb_contacts_check(const pb_reader *r, const pb_node *node, const char *path,
                            const dm_contacts *c, double length, const double *q);
#endif
