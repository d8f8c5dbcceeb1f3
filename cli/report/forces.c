#include "cli/report/forces.h"

#include "cli/report/base64.h"
#include "cli/report/places.h"
#include "lib/multibody/robot_contact_laws.h"
#include "lib/multibody/vector_product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 2000 }; // of a series

// the list of forces of one robot, while it is built
typedef struct force_list {
  const cli_exhibit *x;
  const pb_robot *robot;
  const dm_model *m;
  double step; // of the integrator, s
  cli_json *all;
} force_list;

static const dm_vec origin = {0, 0, 0}, axis_of_joint = {0, 0, 1};

// -- one force

static cli_json *add_force(force_list *w, const char *part, const char *kind, const char *name,
                           const char *unit) {
  cli_json *o = json_object_new_object();
  json_object_array_add(w->all, o);
  cli_json_text(o, "name", name);
  cli_json_text(o, "part", part);
  cli_json_text(o, "kind", kind);
  cli_json_text(o, "unit", unit);
  json_object_object_add(o, "terms", json_object_new_array());
  return o;
}

// add a term to a force: factor times the column `kind.name`, or a constant if kind is NULL
static cli_json *add_term(cli_json *force, const char *kind, const char *name, double factor) {
  cli_json *term = json_object_new_object();
  json_object_array_add(json_object_object_get(force, "terms"), term);
  cli_json_number(term, "factor", factor);
  if (kind) {
    char column[256];
    snprintf(column, sizeof column, "%s.%s", kind, name);
    cli_json_text(term, "column", column);
  }
  return term;
}

static void add_piece(cli_json *force, dm_segment line) {
  cli_json *lines = json_object_object_get(force, "lines");
  if (!lines) {
    lines = json_object_new_array();
    json_object_object_add(force, "lines", lines);
  }
  cli_json *o = json_object_new_object();
  json_object_array_add(lines, o);
  json_object_object_add(o, "from", cli_make_point(line.joint[0], line.end[0]));
  json_object_object_add(o, "to", cli_make_point(line.joint[1], line.end[1]));
}

// -- forces on coordinates

// the first joint that follows a coordinate
static int find_follower(const dm_model *m, int coord) {
  int j = 0;
  while (j < m->nj && m->coord[j] != coord) j++;
  return j < m->nj ? j : -1;
}

// add a force along a coordinate, at its joint, along or about the axis; NULL: no joint follows it
static cli_json *add_at_coord(force_list *w, const char *part, const char *name, int coord,
                              const char *kind, const char *column, double factor) {
  const int j = find_follower(w->m, coord);
  if (j < 0) return NULL;
  const bool slides = w->m->slides[j];
  cli_json *o = add_force(w, part, slides ? "push" : "turn", name, slides ? "N" : "N m");
  cli_set_vector(o, j, "at", origin);
  cli_json *term = add_term(o, kind, column, factor);
  cli_set_vector(term, j, "along", axis_of_joint);
  return o;
}

// -- loads

// add a force along a path
static cli_json *add_path(force_list *w, const dm_tendons *all, int tendon, const char *part,
                          const char *name) {
  int first;
  const int n = dm_tendons_pieces_of(all, tendon, &first);
  cli_json *o = add_force(w, part, "line", name, "N");
  for (int i = 0; i < n; i++) add_piece(o, dm_tendons_piece(all, first + i));
  return o;
}

// a wrench as an arrow and an arc
static void add_wrench(force_list *w, const dm_load_place *at, const char *name,
                       const char *input) {
  const bool turned = at->kind == DM_WRENCH_BODY, world = at->kind == DM_WRENCH_WORLD;
  const struct {
    const char *kind, *unit;
    dm_vec vector;
  } half[] = {{"push", "N", at->force}, {"turn", "N m", at->torque}};
  for (int i = 0; i < 2; i++) {
    if (!(dm_dot(half[i].vector, half[i].vector) > 0)) continue;
    cli_json *o = add_force(w, input ? "input" : "load", half[i].kind, name, half[i].unit);

    // a wrench in the world frame acts at the origin
    cli_set_vector(o, world ? -1 : at->joint, "at", world ? origin : at->point);
    cli_json *term = add_term(o, input ? "u" : NULL, input, 1);
    cli_set_vector(term, turned ? at->joint : -1, "along", half[i].vector);
  }
}

static void add_loads(force_list *w) {
  const dm_loads *loads = w->robot->mechanism.loads;
  const pb_names *names = &w->x->call.run.p->names;
  const int before = w->m->nu - w->m->nload;
  for (int i = 0; i < (loads ? dm_loads_count(loads) : 0); i++) {
    const dm_load_place at = dm_loads_place(loads, i);
    const char *name = dm_loads_name(loads, i);
    const int u = before + at.input;
    const char *input = at.input >= 0 && u < names->nu ? names->input[u] : NULL;

    // dampers and steering are not drawn
    if (at.kind == DM_CABLE && at.tendon >= 0) {
      cli_json *o = add_path(w, dm_loads_tendons(loads), at.tendon, "cable", name);
      add_term(o, input ? "u" : NULL, input, 1);
    } else if (at.kind <= DM_WRENCH_MIXED) {
      add_wrench(w, &at, name, input);
    }
  }
}

// -- springs

static void add_springs(force_list *w) {
  const dm_springs *springs = w->robot->mechanism.springs;
  const dm_tendons *all = springs ? dm_springs_tendons(springs) : NULL;
  for (int i = 0; i < (springs ? dm_springs_count(springs) : 0); i++) {
    const char *name = dm_springs_name(springs, i);
    int first;
    if (dm_tendons_pieces_of(all, i, &first) == 0) {
      // a spring along a combination acts on each of its coordinates, opposite to its tension
      const int *coord;
      const int n = dm_tendons_coords(all, i, &coord);
      const double *factor = dm_tendons_factors(all, i);
      for (int k = 0; k < n; k++)
        add_at_coord(w, "spring", name, coord[k], "tension", name, -factor[k]);
    } else
      add_term(add_path(w, all, i, "spring", name), "tension", name, 1);
  }
}

// -- constraints

// A row n.(x0 - x1): the force -n lambda / h on x0, or the opposite force on x1 if x0 is fixed.
// Rows of one constraint are terms of one arrow, `last` with its name.
static cli_json *add_row_push(force_list *w, cli_json *last, const dm_row_push *push,
                              const char *name, const char *column, double step) {
  const bool still = push->line.joint[0] < 0;
  const int end = still ? 1 : 0;
  if (!last) {
    last = add_force(w, "constraint", "push", name, "N");
    cli_set_vector(last, push->line.joint[end], "at", push->line.end[end]);
  }
  cli_json *term = add_term(last, "lambda", column, (still ? 1 : -1) / step);
  cli_set_vector(term, push->joint, "along", push->along);
  return last;
}

static void add_constraints(force_list *w) {
  const dm_constraints *all = w->robot->mechanism.constraints;
  const pb_names *names = &w->x->call.run.p->names;
  const char *before = NULL;
  cli_json *last = NULL;
  for (int i = 0; all && i < dm_constraints_count(all) && i < names->nc; i++) {
    const char *name = dm_constraints_row_name(all, i);
    dm_segment line;
    dm_row_push push;
    if (name != before) last = NULL;
    before = name;

    // a rod is drawn as a line; a point, a line or a plane as a force on one body
    if (dm_constraints_segment(all, i, &line)) {
      cli_json *o = add_force(w, "constraint", "line", name, "N");
      add_piece(o, line);
      cli_json_bool(o, "squared", true);
      add_term(o, "lambda", names->row[i], 1 / w->step);
    } else if (dm_constraints_push(all, i, &push)) {
      last = add_row_push(w, last, &push, name, names->row[i], w->step);
    }
  }
}

// -- contacts

// the friction of contact i along each tangent, to its force on x0, or the opposite on x1
static void add_tangents(force_list *w, cli_json *o, int i, int row, double factor) {
  const dm_contact *list;
  double axis[2][3];
  (void)dm_contacts_list(w->robot->mechanism.contacts, &list);
  if (!(list[i].friction > 0)) return;
  dm_robot_contact_tangents(&list[i], axis);
  for (int t = 0; t < 2; t++) {
    const dm_body_vector along =
        dm_body_vector_direction(w->m, list[i].body[1], dm_v(axis[t][0], axis[t][1], axis[t][2]));
    const bool moves = along.joint[0] >= 0;
    cli_json *term = add_term(o, "contact", w->x->call.run.p->names.contact[row + 1 + t], factor);
    cli_set_vector(term, along.joint[0], "along",
                   moves ? dm_mul(along.sign[0], along.local[0]) : along.fixed);
  }
}

// Contact i, with its impulse when it is made, or its mean force over the step while it is held:
// the force on x0 along the gradient of its row, or the opposite force on x1. what NULL: its force with that of
// friction, by the columns of the trajectory from `row` on.
static void add_contact(force_list *w, int i, int row, const char *what, const char *unit,
                        double factor) {
  const char *kind = what ? NULL : "contact";
  const char *column = what ? NULL : w->x->call.run.p->names.contact[row];
  const dm_contacts *all = w->robot->mechanism.contacts;
  const dm_constraints *rows = dm_contacts_rows(all);
  const char *name = dm_constraints_row_name(rows, i);
  const double sign = factor * dm_contacts_sign(all, i);
  dm_row_push push;
  dm_segment line;
  cli_json *o = NULL;
  if (dm_constraints_push(rows, i, &push)) {
    const bool still = push.line.joint[0] < 0;
    o = add_force(w, "contact", "push", name, unit);
    cli_set_vector(o, push.line.joint[still ? 1 : 0], "at", push.line.end[still ? 1 : 0]);
    cli_json *term = add_term(o, kind, column, still ? -sign : sign);
    cli_set_vector(term, push.joint, "along", push.along);
    if (!what) add_tangents(w, o, i, row, still ? -factor : factor);
  } else if (dm_constraints_segment(rows, i, &line)) {
    // two spheres, or one inside another
    o = add_force(w, "contact", "line", name, unit);
    add_piece(o, line);
    add_term(o, kind, column, -sign);
  }
  if (!o || !what) return;
  cli_json_text(o, "contact", name);
  cli_json_text(o, "what", what);
}

static void add_contacts(force_list *w) {
  const dm_contacts *all = w->robot->mechanism.contacts;
  const dm_contact *list;
  const int n = all ? dm_contacts_list(all, &list) : 0;
  const bool planned = w->x->call.run.p->names.nr > 0;
  for (int i = 0, row = 0; i < n; i++) {
    const int first = row;
    row += list[i].friction > 0 ? 3 : 1;
    if (list[i].kind == DM_OUTSIDE) continue; // along no axis
    if (planned) {
      add_contact(w, i, first, NULL, "N", 1 / w->step);
      continue;
    }
    add_contact(w, i, 0, "made", "N s", 1);
    add_contact(w, i, 0, "held", "N", 1 / w->step);
  }
}

// -- forces in joints

// the column of the impulses of dry friction, which begin after those of contacts; NULL: none
static const char *find_friction_column(const force_list *w, const dm_joint_force *x) {
  const dm_contact_laws *laws = w->x->call.run.p->task.system.contacts;
  const pb_names *names = &w->x->call.run.p->names;
  for (int l = 0; laws && l < laws->n; l++)
    if (laws->law[l].gap < 0 && !strcmp(laws->law[l].name, x->name) &&
        laws->law[l].tangent[0] < names->nr)
      return names->contact[laws->law[l].tangent[0]];
  return NULL;
}

static void add_joint_forces(force_list *w, dm_part_kind kind) {
  const dm_joint_forces *all = w->robot->mechanism.joint[dm_part_joint(kind)];
  const char *word = dm_part_rows[kind].word;
  for (int i = 0; i < dm_joint_forces_count(all); i++) {
    const dm_joint_force *x = dm_joint_forces_get(all, i);
    cli_json *o = add_at_coord(w, word, x->name, x->coord, word, x->name, 1);
    const char *impulse = find_friction_column(w, x);
    if (!o || !impulse) continue;
    cli_json *term = add_term(o, "contact", impulse, 1 / w->step);
    cli_set_vector(term, find_follower(w->m, x->coord), "along", axis_of_joint);
  }
}

// -- columns over time that are in no table

static int count_tensions(const dm_robot *r) {
  return r->springs ? dm_springs_count(r->springs) : 0;
}

static int count_joint_forces(const dm_robot *r) {
  int n = 0;
  for (int kind = 0; kind < DM_JOINT_KINDS; kind++) n += dm_joint_forces_count(r->joint[kind]);
  return n;
}

// one row of the series: tensions and forces in joints at step k, from q and its rate
static void find_row(const force_list *w, void *scratch, int k, double *inside, double *value) {
  const dm_robot *r = &w->robot->mechanism;
  const dm_trajectory *x = w->x->call.run.x;
  const int n = count_tensions(r), nq = w->m->nq, next = k < x->N ? k + 1 : k;
  const double h = dm_trajectory_step(x, next - 1);
  double *after = inside + nq;
  pb_robot_to_tree(w->robot, x->q + (size_t)next * (size_t)x->n, after);
  pb_robot_to_tree(w->robot, x->q + (size_t)k * (size_t)x->n, inside);
  if (n) dm_springs_tensions(r->springs, scratch, inside, value);
  value += n;
  for (int kind = 0; kind < DM_JOINT_KINDS; kind++)
    for (int i = 0; i < dm_joint_forces_count(r->joint[kind]); i++) {
      const int c = dm_joint_forces_get(r->joint[kind], i)->coord;
      *value++ = dm_joint_forces_at(r->joint[kind], i, (after[c] - inside[c]) / h);
    }
}

// the names of its columns, "friction.NAME"
static cli_json *name_columns(const dm_robot *r) {
  cli_json *names = json_object_new_array();
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    const bool listed =
        kind == DM_PART_SPRING || dm_part_joint((dm_part_kind)kind) < DM_JOINT_KINDS;
    for (int i = 0; listed && i < row->count(r); i++) {
      char column[256];
      snprintf(column, sizeof column, "%s.%s", kind == DM_PART_SPRING ? "tension" : row->word,
               row->name(r, i));
      json_object_array_add(names, json_object_new_string(column));
    }
  }
  return names;
}

// tensions of springs and forces in joints over time, for each knot or fewer
static dm_status put_series(cli_json *o, const force_list *w) {
  const dm_robot *robot = &w->robot->mechanism;
  const dm_trajectory *x = w->x->call.run.x;
  const int tensions = count_tensions(robot), n = tensions + count_joint_forces(robot);
  const int every = x->N / MOST_ROWS + 1, rows = x->N / every + 1;
  const size_t bytes = tensions ? dm_springs_potential(robot->springs).scratch : 0;
  double *inside = malloc((2 * (size_t)w->m->nq + (size_t)n + 1) * sizeof *inside);
  double *table = malloc(((size_t)n + 1) * (size_t)rows * sizeof *table);
  void *scratch = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  dm_status s = inside && table && scratch ? DM_OK : DM_NO_MEMORY;

  // row by row: t, then each column
  for (int r = 0; s == DM_OK && r < rows; r++) {
    double *value = inside + 2 * w->m->nq;
    find_row(w, scratch, r * every, inside, value);
    table[r] = dm_trajectory_time(x, r * every);
    for (int i = 0; i < n; i++) table[(i + 1) * rows + r] = value[i];
  }

  // names and table
  if (s == DM_OK) {
    cli_json *series = cli_json_object(o, "series");
    json_object_object_add(series, "names", name_columns(robot));
    cli_json_int(series, "rows", rows);
    s = cli_base64_numbers(series, "x", table, ((size_t)n + 1) * (size_t)rows);
  }
  free(inside);
  free(table);
  free(scratch);
  return s;
}

// how kinds of parts are drawn; NULL: as forces in joints if they are these, else not
static void (*const drawn[DM_PART_KINDS])(force_list *w) = {
    [DM_PART_SPRING] = add_springs,
    [DM_PART_CONSTRAINT] = add_constraints,
    [DM_PART_LOAD] = add_loads,
    [DM_PART_CONTACT] = add_contacts,
};

dm_status cli_forces_of(cli_json *obj, const cli_exhibit *x) {
  const pb_robot *robot = &x->call.run.p->robot;
  force_list w = {.x = x,
                  .robot = robot,
                  .m = robot->mechanism.tree,
                  .step = x->step > 0 ? x->step : x->call.run.x->h,
                  .all = json_object_new_array()};
  json_object_object_add(obj, "forces", w.all);

  // inputs on joints
  const dm_model *m = w.m;
  const pb_names *names = &w.x->call.run.p->names;
  for (int i = 0; i < m->nu && i < names->nu; i++)
    if (m->input_coord[i] >= 0)
      add_at_coord(&w, "input", names->input[i], m->input_coord[i], "u", names->input[i],
                   m->input_gear[i]);

  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    if (drawn[kind])
      drawn[kind](&w);
    else if (dm_part_joint((dm_part_kind)kind) < DM_JOINT_KINDS)
      add_joint_forces(&w, (dm_part_kind)kind);
  }
  const bool moved = robot->mechanism.springs || count_joint_forces(&robot->mechanism);
  return moved ? put_series(obj, &w) : DM_OK;
}
