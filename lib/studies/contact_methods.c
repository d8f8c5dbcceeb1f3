#include "lib/studies/contact_methods.h"

#include "lib/base/names.h"
#include "lib/contact/variational_contact.h"
#include "lib/studies/direct_methods.h"
#include "lib/studies/event_driven.h"

const dm_contact_method *const dm_contact_methods[] = {
    &dm_contact_gvi,     &dm_contact_smooth,  &dm_contact_gvi_linearized,
    &dm_direct_midpoint, &dm_direct_endpoint, &dm_newmark,
    &dm_imex_newmark,    &dm_collision,       NULL,
};

dm_status dm_contact_method_find(const dm_contact_method **out, const char *name, dm_message *msg) {
  enum { COUNT = sizeof dm_contact_methods / sizeof *dm_contact_methods - 1 };
  const char *known[COUNT];
  char text[160];
  for (int i = 0; i < COUNT; i++) known[i] = dm_contact_methods[i]->name;
  int i = dm_names_find(known, COUNT, name);
  if (i < 0)
    return dm_fail(msg, DM_BAD_INPUT, "found the method '%s' for contacts, expected %s", name,
                   dm_names_list(known, COUNT, text, sizeof text));
  *out = dm_contact_methods[i];
  return DM_OK;
}
