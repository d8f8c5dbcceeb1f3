#include "problems/readers/model/springs.h"

#include "problems/readers/model/tendon.h"

#include <math.h>
#include <string.h>

typedef struct spring_section {
  const char *name, *joint;
  const pb_node *bodies, *points, *path, *table;
  double stiffness, rest;
} spring_section;

#define FIELD(member, ...) PB_KEY(spring_section, member, __VA_ARGS__)
const pb_key pb_spring_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED,
          .about = "Unique among springs and potentials"),
    PB_TENDON_KEYS(spring_section),
    FIELD(stiffness, .type = PB_NUMBER, .unit = "N/m or N m/rad", .range = ">= 0",
          .about = "k in the energy k/2 (s - rest)^2"),
    FIELD(rest, .type = PB_NUMBER, .unit = "m or rad", .note = "0 for a joint, else required",
          .about = "Value of s at which the force is zero"),
    FIELD(table, .type = PB_NODE, .unit = "m or rad, N or N m", .words = "[[s, force], ...]",
          .about = "Instead of `stiffness`: measured points with ascending s"),
    {0}};
#undef FIELD

typedef struct potential_section {
  const char *name, *law;
  const pb_node *formula, *bodies, *points;
#define LAW_PARAMETERS(name, word, first, unit1, range1, second, unit2, range2)                    \
  double first, second;
  DM_SPRING_LAWS(LAW_PARAMETERS)
#undef LAW_PARAMETERS
} potential_section;

#define FIELD(member, ...)        PB_KEY(potential_section, member, __VA_ARGS__)
#define LAW_WORD(name, word, ...) " " word
#define LAW_KEYS(name, word, first, unit1, range1, second, unit2, range2)                          \
  FIELD(first, .type = PB_NUMBER, .unit = unit1, .range = range1,                                  \
        .about = "Parameter of `" word "`"),                                                       \
      FIELD(second, .type = PB_NUMBER, .unit = unit2, .range = range2,                             \
            .about = "Parameter of `" word "`"),
const pb_key pb_potential_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED,
          .about = "Unique among springs and potentials"),
    FIELD(formula, .type = PB_NODE, .also = "expression", .unit = "J", .words = "expression",
          .about = "V(q), an expression of coordinates `q.NAME`; or `bodies` and `law`"),
    FIELD(bodies, .type = PB_NODE, .words = "[body, body, ...]",
          .about = "Two or more bodies; each pair is at distance s"),
    FIELD(points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",
          .words = "[[x, y, z], [x, y, z], ...]", .about = "One point on each body"),
    FIELD(law, .type = PB_WORD, .words = DM_SPRING_LAWS(LAW_WORD),
          .about = "Potential energy as a function of s"),
    DM_SPRING_LAWS(LAW_KEYS){0}};
#undef LAW_KEYS
#undef LAW_WORD
#undef FIELD

// potential laws: their two required parameters, and their constructors
static const struct law_form {
  const char *word, *must;
  size_t first, second; // offsets in potential_section
  dm_spring_law (*make)(double, double);
#define LAW_FORM(name, word, first, unit1, range1, second, unit2, range2)                          \
  {word, #first " " #second, offsetof(potential_section, first),                                   \
   offsetof(potential_section, second), dm_spring_law_##name},
} law_forms[] = {DM_SPRING_LAWS(LAW_FORM)};
#undef LAW_FORM

#define SPRING    "model.springs[]"
#define POTENTIAL "model.potentials[]"

// forces at points, [[s, force], ...]
static dm_status read_table(const pb_reader *r, const pb_node *node, dm_spring_law *law) {
  char found[64];
  double *memory, *s, *f, pair[2];
  dm_message why = {""};
  int n = 0;
  if (node->kind != PB_SEQUENCE)
    return pb_refuse_node(r, node, SPRING ".table: found %s, expected a list of points [s, force]",
                          pb_node_describe(node, found));

  // the spline keeps 4 n numbers; s and f follow
  PB_NEW(r->arena, memory, 6 * (node->n + 1));
  s = memory + 4 * node->n;
  f = s + node->n;
  for (const pb_node *e = node->first; e; e = e->next, n++) {
    DM_TRY(pb_schema_list(r, SPRING ".table", e, 2, pair));
    s[n] = pair[0];
    f[n] = pair[1];
  }

  // natural cubic spline of the tension
  dm_status status = dm_spring_law_table(law, n, s, f, memory, &why);
  return status == DM_OK ? DM_OK : pb_refuse_node(r, node, SPRING ".table: %s", why.text);
}

static dm_status read_spring(const pb_reader *r, const pb_node *node, const dm_model *m,
                             dm_spring *out) {
  spring_section s = {.stiffness = NAN, .rest = NAN};

  // the coordinate or path it acts along
  DM_TRY(pb_schema_read(r, SPRING, node, pb_spring_keys, &s));
  DM_TRY(pb_tendon_read(r, SPRING, node, m, &out->tendon));
  out->tendon.name = s.name;

  // either a tension measured at points, which has no rest length
  if (isnan(s.stiffness) == !s.table)
    return pb_refuse_node(r, node, SPRING ": found %s, expected either stiffness or table",
                          s.table ? "both stiffness and table" : "neither stiffness nor table");
  if (s.table && !isnan(s.rest))
    return pb_refuse_key(r, pb_node_get(node, "rest"),
                         SPRING ": found 'rest' beside 'table', expected none");
  if (s.table) return read_table(r, s.table, &out->law);

  // or k (s - rest): by default a joint rests at 0; a length has no default
  if (isnan(s.rest) && !s.joint)
    return pb_refuse_node(r, node, SPRING ": found no 'rest', expected the length without force");
  out->law = dm_spring_law_linear(s.stiffness, isnan(s.rest) ? 0 : s.rest);
  return DM_OK;
}

// the law of a potential, which acts between each two of its bodies
static dm_status read_potential(const pb_reader *r, const pb_node *node, const dm_model *m,
                                const char **name, dm_spring_law *law, pb_points *x) {
  potential_section s = {0};
  const struct law_form *f = law_forms;
  DM_TRY(pb_schema_read(r, POTENTIAL, node, pb_potential_keys, &s));
  if (!s.bodies || !s.law)
    return pb_refuse_node(r, node,
                          POTENTIAL ": found no '%s', expected 'bodies' and 'law', or a "
                                    "'formula'",
                          s.bodies ? "law" : "bodies");
  while (strcmp(f->word, s.law) != 0) f++;
  DM_TRY(pb_schema_form(r, POTENTIAL, node, "law", s.law, f->must, "name bodies points law"));

  // the two parameters of the law
  const char *section = (const char *)&s;
  *name = s.name;
  *law = f->make(*(const double *)(section + f->first), *(const double *)(section + f->second));
  return pb_points_read(r, POTENTIAL, s.bodies, s.points, true, m, x);
}

// append a spring for each two of the points, starting at *n
static dm_status add_pairs(const pb_reader *r, const pb_node *node, const dm_model *m,
                           const char *name, const dm_spring_law *law, const pb_points *x,
                           dm_spring *list, int *n) {
  dm_message why = {""};
  for (int i = 0; i < x->n; i++)
    for (int j = 0; j < i; j++) {
      // the pair as a path between two points
      int *body;
      double(*point)[3];
      PB_NEW(r->arena, body, 2);
      PB_NEW(r->arena, point, 2);
      body[0] = x->body[i];
      body[1] = x->body[j];
      memcpy(point[0], x->point[i], sizeof point[0]);
      memcpy(point[1], x->point[j], sizeof point[1]);
      dm_spring *to = &list[(*n)++];
      to->law = *law;
      to->tendon =
          (dm_tendon){.name = name, .npoint = 2, .body = body, .point = (const double(*)[3])point};
      if (dm_tendon_check(m, &to->tendon, &why) != DM_OK)
        return pb_refuse_node(r, node, POTENTIAL ": %s", why.text);
    }
  return DM_OK;
}

// upper bound of the number of springs; bodies are distinct
static size_t count_springs(const pb_node *springs, const pb_node *potentials, const dm_model *m) {
  size_t n = springs ? (size_t)springs->n : 0;
  for (const pb_node *e = potentials ? potentials->first : NULL; e; e = e->next) {
    // k bodies make k (k-1)/2 pairs; a list longer than the bodies is refused later
    const pb_node *bodies = pb_node_get(e, "bodies");
    size_t k = bodies ? (size_t)bodies->n : 0;
    if (k > (size_t)m->nbody + 1) k = (size_t)m->nbody + 1;
    n += k * k / 2;
  }
  return n;
}

// append the springs of the robot's file
static dm_status add_file_springs(const pb_reader *r, const pb_tree *t, const dm_model *m,
                                  const char **names, int named, dm_spring *list, int *n) {
  for (int i = 0; i < t->nspring; i++) {
    const pb_file_spring *x = &t->spring[i];
    double shift;
    if (!pb_tree_moves_tendon(t, &x->spring.tendon)) continue;
    for (int k = 0; k < named; k++)
      if (!strcmp(names[k], x->spring.tendon.name))
        return pb_refuse(r, x->at.file, x->at.line, 0,
                         "found a spring named '%.64s', as one in model.springs of the problem, "
                         "expected another name there",
                         names[k]);

    // remove the constant part of the length from the rest length
    list[*n] = x->spring;
    DM_TRY(pb_tendon_compile(r, t, m, &x->spring.tendon, &list[*n].tendon, &shift));
    list[(*n)++].law.b -= shift;
  }
  return DM_OK;
}

dm_status pb_springs_read(const pb_part_source *from, dm_robot *out) {
  const pb_reader *r = from->r;
  const pb_tree *t = from->tree;
  const dm_model *m = from->m;
  const pb_node *springs = pb_node_get(from->model, "springs");
  const pb_node *potentials = pb_node_get(from->model, "potentials");
  dm_message why = {""};
  dm_spring *list;
  const char **names, *name = NULL; // names are unique in both lists together
  int n = 0, named = 0;
  PB_NEW(r->arena, list, count_springs(springs, potentials, m) + (size_t)t->nspring + 1);
  int room = 1; // for all names, and one more
  if (springs) room += springs->n;
  if (potentials) room += potentials->n;
  PB_NEW(r->arena, names, room);

  // check springs one by one, so that errors refer to the line
  for (const pb_node *e = springs ? springs->first : NULL; e; e = e->next, n++) {
    DM_TRY(read_spring(r, e, m, list + n));
    DM_TRY(pb_schema_once(r, SPRING, e, names, &named, list[n].tendon.name));
    if (dm_tendon_check(m, &list[n].tendon, &why) != DM_OK)
      return pb_refuse_node(r, e, SPRING ": %s", why.text);
  }

  // a potential of n bodies is n (n-1)/2 springs with one law
  for (const pb_node *e = potentials ? potentials->first : NULL; e; e = e->next) {
    dm_spring_law law;
    pb_points x;
    if (pb_node_get(e, "formula")) {
      // one of problems/readers/model/formula_parts.h
      potential_section s = {0};
      DM_TRY(pb_schema_read(r, POTENTIAL, e, pb_potential_keys, &s));
      for (const pb_node *k = e->first; k; k = k->next)
        if (strcmp(k->key, "name") != 0 && strcmp(k->key, "formula") != 0)
          return pb_refuse_key(r, k, POTENTIAL ": found '%s', expected none beside a formula",
                               k->key);
      DM_TRY(pb_schema_once(r, POTENTIAL, e, names, &named, s.name));
      continue;
    }
    DM_TRY(read_potential(r, e, m, &name, &law, &x));
    DM_TRY(pb_schema_once(r, POTENTIAL, e, names, &named, name));
    DM_TRY(add_pairs(r, e, m, name, &law, &x, list, &n));
  }
  DM_TRY(add_file_springs(r, t, m, names, named, list, &n));
  return n ? dm_springs_new(&out->springs, m, n, list, &why) : DM_OK;
}
