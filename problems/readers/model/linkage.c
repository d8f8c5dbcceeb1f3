#include "problems/readers/model/linkage.h"

#include "lib/base/names.h"
#include "problems/readers/model/tree_builder.h"
#include "problems/readers/model/urdf_words.h"

#include <string.h>

static int count_elements(pb_xml_node *robot, const char *name) {
  int n = 0;
  for (pb_xml_node *e = pb_xml_next(robot->children, name); e; e = pb_xml_next(e->next, name)) n++;
  return n;
}

// the index of the link named by <parent> or <child> of a joint
static dm_status find_joint_end(pb_xml *x, pb_linkage *g, const pb_joint *j, const char *which,
                                int *link) {
  pb_xml_node *element;
  const char *name;
  char meant[96];

  // the element, its attribute, and the link of that name
  DM_TRY(pb_xml_child(x, j->element, which, &element));
  if (!element)
    return pb_refuse_xml(x, j->element, "joint '%.64s': found no <%s>, expected <%s link=\"...\"/>",
                         j->name, which, which);
  DM_TRY(pb_xml_name(x, element, "link", &name));
  *link = dm_names_find(g->link_name, g->nlink, name);
  if (*link >= 0) return DM_OK;

  // "world" may be used as a parent without declaration
  if (!strcmp(name, "world") && !strcmp(which, "parent")) {
    *link = g->nlink;
    g->link_name[g->nlink] = name;
    g->link[g->nlink++] = (pb_link){name, element, -1, -1, -1};
    return DM_OK;
  }
  return pb_refuse_xml(x, element, "joint '%.64s': its %s is link '%.64s', which does not exist%s",
                       j->name, which, name, pb_did_you_mean(g->link_name, g->nlink, name, meant));
}

// append a name in document order; refuse duplicates
static dm_status add_name(pb_xml *x, pb_xml_node *e, const char **list, int *n) {
  DM_TRY(pb_xml_name(x, e, "name", &list[*n]));
  if (dm_names_find(list, *n, list[*n]) >= 0)
    return pb_refuse_xml(x, e, "found a second %s named '%.64s', expected every name once", e->name,
                         list[*n]);
  ++*n;
  return DM_OK;
}

// collect links, then joints, which refer to links by name
static dm_status collect_parts(pb_xml *x, pb_xml_node *robot, pb_linkage *g) {
  // bounded, because time and memory grow with the square
  int nlink = count_elements(robot, "link");
  int njoint = count_elements(robot, "joint");
  if (nlink == 0) return pb_refuse_xml(x, robot, "found no <link>, expected at least one");
  if (nlink > PB_MAX_PARTS || njoint > PB_MAX_PARTS)
    return pb_refuse_xml(x, robot, "found %d links and %d joints, expected at most %d", nlink,
                         njoint, PB_MAX_PARTS);
  // room for all, and for an undeclared world
  PB_NEW(x->r->arena, g->link, nlink + 1);
  PB_NEW(x->r->arena, g->link_name, nlink + 1);
  PB_NEW(x->r->arena, g->joint, njoint);
  PB_NEW(x->r->arena, g->joint_name, njoint);

  // links, with no joint above them yet
  for (pb_xml_node *e = pb_xml_next(robot->children, "link"); e; e = pb_xml_next(e->next, "link")) {
    DM_TRY(add_name(x, e, g->link_name, &g->nlink));
    int i = g->nlink - 1;
    g->link[i] = (pb_link){g->link_name[i], e, -1, -1, -1};
  }

  // joints, each between two existing links
  for (pb_xml_node *e = pb_xml_next(robot->children, "joint"); e;
       e = pb_xml_next(e->next, "joint")) {
    DM_TRY(add_name(x, e, g->joint_name, &g->njoint));
    pb_joint *j = &g->joint[g->njoint - 1];
    *j = (pb_joint){.name = g->joint_name[g->njoint - 1], .element = e, .next = -1, .coord = -1};
    DM_TRY(pb_xml_name(x, e, "type", &j->type));
    DM_TRY(find_joint_end(x, g, j, "parent", &j->parent));
    DM_TRY(find_joint_end(x, g, j, "child", &j->child));
  }
  return DM_OK;
}

// attach joints to their parent links, last to first, so that lists are in document order
static dm_status hang_joints(pb_xml *x, pb_linkage *g) {
  for (int i = g->njoint - 1; i >= 0; i--) {
    pb_joint *j = &g->joint[i];
    pb_link *child = &g->link[j->child];

    // a link below two joints closes a loop
    if (child->up >= 0)
      return pb_refuse_xml(x, g->joint[child->up].element,
                           "link '%.64s' hangs on joint '%.64s' and on joint '%.64s', expected a "
                           "tree: one joint for each link",
                           child->name, j->name, g->joint[child->up].name);

    // prepend to the parent's list
    child->up = i;
    j->next = g->link[j->parent].first;
    g->link[j->parent].first = i;
  }
  return DM_OK;
}

// macros are not expanded
static dm_status refuse_macros(pb_xml *x, pb_xml_node *robot) {
  for (pb_xml_node *e = pb_xml_next(robot->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    if (!strncmp(e->name, "xacro:", 6))
      return pb_refuse_xml(x, e, "found the macro <%.46s>, expected a file that xacro has expanded",
                           e->name);
  }
  return DM_OK;
}

dm_status pb_linkage_read(pb_xml *x, pb_linkage *g) {
  *g = (pb_linkage){0};
  pb_xml_node *robot = pb_xml_root(x);

  // macros first: they invalidate everything else in the file
  DM_TRY(refuse_macros(x, robot));
  DM_TRY(pb_words_check(&pb_urdf_words, x, robot));
  DM_TRY(collect_parts(x, robot, g));
  DM_TRY(hang_joints(x, g));

  // exactly one root, with every link below it
  g->root = -1;
  for (int i = 0; i < g->nlink; i++) {
    if (g->link[i].up >= 0) continue;
    // a link without a joint above it is the root; two roots are two robots
    if (g->root >= 0)
      return pb_refuse_xml(x, g->link[i].element,
                           "links '%.64s' and '%.64s' hang on no joint, expected one root",
                           g->link[g->root].name, g->link[i].name);
    g->root = i;
  }
  // each link has at most one joint above it, so a link that does not lead to the root is in a loop
  // or below one
  for (int i = 0; i < g->nlink; i++) {
    int at = i;
    for (int steps = 0; g->link[at].up >= 0; steps++) {
      if (steps > g->nlink)
        return pb_refuse_xml(x, g->joint[g->link[at].up].element,
                             "joint '%.64s' closes a loop over link '%.64s', expected a tree",
                             g->joint[g->link[at].up].name, g->link[at].name);
      at = g->joint[g->link[at].up].parent;
    }
  }
  return DM_OK;
}
