// problems/readers/model/contacts.h: read `model: {contacts: [...]}`, unilateral constraints by
// name.
#ifndef PB_MODEL_CONTACTS_H
#define PB_MODEL_CONTACTS_H
#include "lib/multibody/contact_geometry.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_contact_keys[]; // keys of one contact

// Compile the contacts of a list; NULL: none, *out is NULL. Free with dm_contacts_free; m must
// outlive them. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_contacts_read(const pb_reader *r, const pb_node *list, const dm_model *m,
                           dm_contacts **out);

// Refuse a node if q [nq] penetrates an obstacle; the message names the deepest penetration.
dm_status pb_contacts_check(const pb_reader *r, const pb_node *node, const char *path,
                            const dm_contacts *c, double length, const double *q);
#endif
