#include "problems/readers/model/urdf_rotors.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdlib.h>

// read a number from the attribute "value" or the text of a child element
static dm_status read_number_of(const pb_xml *x, const pb_xml_node *e, const char *name,
                                double *value, bool *there) {
  const pb_xml_node *own = pb_xml_next(e->children, name);
  *there = own != NULL;
  if (!own) return DM_OK;
  if (pb_xml_has(own, "value")) return pb_xml_number(x, own, "value", value, NULL);
  const pb_xml_node *content = own->children;
  const char *text = content && content->kind == PB_XML_TEXT ? content->text : NULL;
  char *end = NULL;
  const double number = text ? strtod((const char *)text, &end) : NAN;
  const bool good = text && end != (const char *)text && isfinite(number);
  if (!good) return pb_refuse_xml(x, own, "<%s>: found no finite number, expected one", name);
  *value = number;
  return DM_OK;
}

// read the rotor of an <actuator>; its <transmission> supplies missing values
static dm_status read_rotor(const pb_xml *x, const pb_xml_node *transmission,
                            const pb_xml_node *actuator, double *inertia, double *gear) {
  const pb_xml_node *const of[] = {actuator, transmission};
  double reduction = 1;
  bool there, geared = false, reduced = false;
  *inertia = 0;
  *gear = 1;
  for (int i = 0; i < 2; i++) {
    if (!of[i]) continue;
    if (*inertia == 0) DM_TRY(read_number_of(x, of[i], "rotor_inertia", inertia, &there));
    if (!geared) DM_TRY(read_number_of(x, of[i], "gear_ratio", gear, &geared));
    if (!reduced) DM_TRY(read_number_of(x, of[i], "mechanicalReduction", &reduction, &reduced));
  }
  if (!geared) *gear = reduction;
  if (*inertia < 0)
    return pb_refuse_xml(x, actuator ? actuator : transmission,
                         "<transmission>: found rotor_inertia %g, expected a number >= 0",
                         *inertia);
  if (*inertia > 0 || fabs(reduction) == 1) return DM_OK;
  return pb_warn_xml(x, transmission,
                     "<transmission>: its mechanicalReduction %g changes nothing without a "
                     "rotor_inertia: inputs are forces at joints",
                     reduction);
}

dm_status pb_urdf_rotors(pb_xml *x, const pb_linkage *g, pb_tree *t) {
  pb_xml_node *s = pb_xml_next(pb_xml_root(x)->children, "transmission");
  for (; s; s = pb_xml_next(s->next, "transmission")) {
    const pb_xml_node *actuator = pb_xml_next(s->children, "actuator");
    double inertia, gear;
    DM_TRY(read_rotor(x, s, actuator, &inertia, &gear));
    for (pb_xml_node *e = pb_xml_next(s->children, "joint"); e; e = pb_xml_next(e->next, "joint")) {
      const char *name;
      char meant[96];
      DM_TRY(pb_xml_name(x, e, "name", &name));
      const int j = dm_names_find(g->joint_name, g->njoint, name);
      if (j < 0 && inertia > 0)
        return pb_refuse_xml(x, e, "<transmission>: found joint '%.64s', which does not exist%s",
                             name, pb_did_you_mean(g->joint_name, g->njoint, name, meant));
      if (j < 0 || g->joint[j].coord < 0) continue;
      t->coord[g->joint[j].coord].armature += gear * gear * inertia;
      if (gear == 0) continue;
      DM_TRY(pb_tree_gear(t, (pb_place){.file = x->file},
                          &(pb_file_gear){.coord = g->joint[j].coord, .ratio = gear}));
    }
  }
  return DM_OK;
}
