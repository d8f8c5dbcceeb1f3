#include "lib/studies/contact_methods.h"

#include "lib/contact/variational_contact.h"
#include "lib/studies/direct_methods.h"
#include "lib/studies/event_driven.h"

#include <stdio.h>
#include <string.h>

const dm_contact_method *const dm_contact_methods[] = {
    &dm_contact_gvi,     &dm_contact_smooth,  &dm_contact_gvi_linearized,
    &dm_direct_midpoint, &dm_direct_endpoint, &dm_newmark,
    &dm_imex_newmark,    &dm_collision,       NULL,
};

dm_status dm_contact_method_find(const dm_contact_method **out, const char *name, dm_message *msg) {
  char known[160] = "";
  size_t used = 0;
  for (const dm_contact_method *const *m = dm_contact_methods; *m; m++) {
    if (!strcmp((*m)->name, name)) {
      *out = *m;
      return DM_OK;
    }
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*m)->name);
  }
  return dm_fail(msg, DM_BAD_INPUT, "found the method '%s' for contacts, expected one of %s", name,
                 known);
}
