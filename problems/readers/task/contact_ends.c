#include "problems/readers/task/contact_ends.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 100 };            // over all rows, to move an end
static const double DEEP = 1e-4;  // of the robot's length: a deeper end is refused
static const double ROUND = 1e-9; // of it: a less deep one stays as it is

// An end, and the rows at it: constraints, then those of contacts.
typedef struct end_place {
  const char *word;
  const pb_node *node;
  const dm_system *system;
  int n, nc, nr;
  const double *given; // [n] NAN: free
  double length;       // of the robot, at the end
  double *q, *h, *Dh;  // [n], [nc + nr], [nc + nr x n]
  void *scratch;
} end_place;

// the size of a row's values, as a length
static double find_size(const end_place *e, const dm_contact_law *law) {
  return law->angle ? 1 : e->length;
}

// Are all coordinates that move the gap given?
static bool is_given(const end_place *e, const dm_contact_law *law) {
  const unsigned char *mask = e->system->contacts->rows.mask + law->gap * e->n;
  for (int i = 0; i < e->n; i++)
    if (mask[i] && !(e->given && !isnan(e->given[i]))) return false;
  return true;
}

static dm_status eval_rows(end_place *e) {
  const dm_holonomic *hol = &e->system->hol, *rows = &e->system->contacts->rows;
  if (e->nc) DM_TRY(hol->eval(hol->self, e->scratch, e->q, e->h, e->Dh));
  return rows->eval(rows->self, e->scratch, e->q, e->h + e->nc, e->Dh + e->nc * e->n);
}

static dm_status open_end(pb_reader *r, end_place *e) {
  const dm_holonomic *hol = &e->system->hol, *rows = &e->system->contacts->rows;
  e->n = e->system->L.nq;
  e->nc = hol->nc;
  e->nr = rows->nc;
  PB_NEW(r->arena, e->q, e->n);
  PB_NEW(r->arena, e->h, e->nc + e->nr);
  PB_NEW(r->arena, e->Dh, (e->nc + e->nr) * e->n);
  e->scratch = pb_arena_alloc(r->arena, 1,
                              (hol->scratch > rows->scratch ? hol->scratch : rows->scratch) + 64);
  if (!e->scratch) return DM_NO_MEMORY;
  for (int k = 0; k < r->nball; k++) e->q[r->quaternion[k]] = 1;
  for (int i = 0; i < e->n; i++)
    if (e->given && !isnan(e->given[i])) e->q[i] = e->given[i];
  const double extent = dm_system_length(e->system, e->q);
  e->length = extent > 0 ? extent : 1;
  return eval_rows(e);
}

// the deepest gap that is given; NULL: none is negative
static const dm_contact_law *find_deepest(const end_place *e, double *depth) {
  const dm_contact_laws *laws = e->system->contacts;
  const dm_contact_law *deepest = NULL;
  double most = 0;
  for (const dm_contact_law *law = laws->law; law < laws->law + laws->n; law++) {
    const double inside = law->gap < 0 ? 0 : -e->h[e->nc + law->gap];
    if (law->gap < 0 || !is_given(e, law) || !(inside / find_size(e, law) > most)) continue;
    most = inside / find_size(e, law);
    *depth = inside;
    deepest = law;
  }
  return deepest;
}

// change the given coordinates by the least that takes row i to zero
static void move_row(end_place *e, int i) {
  const double *D = e->Dh + i * e->n;
  double square = 0;
  for (int j = 0; j < e->n; j++) square += e->given && !isnan(e->given[j]) ? D[j] * D[j] : 0;
  for (int j = 0; square > 0 && j < e->n; j++)
    if (!isnan(e->given[j])) e->q[j] -= e->h[i] / square * D[j];
}

// Move the end until no given gap is negative: row after row, constraints first.
static dm_status move_out(end_place *e) {
  const dm_contact_laws *laws = e->system->contacts;
  double depth;
  for (int sweep = 0; sweep < SWEEPS && find_deepest(e, &depth); sweep++) {
    for (int c = 0; c < e->nc; c++) {
      move_row(e, c);
      DM_TRY(eval_rows(e));
    }
    for (int l = 0; l < laws->n; l++) {
      const dm_contact_law *law = &laws->law[l];
      if (law->gap < 0 || !is_given(e, law) || !(e->h[e->nc + law->gap] < 0)) continue;
      move_row(e, e->nc + law->gap);
      DM_TRY(eval_rows(e));
    }
  }
  return DM_OK;
}

// the end as it is moved, with a warning
static dm_status take_moved(pb_reader *r, end_place *e, const dm_contact_law *law, double depth,
                            const double **out) {
  double *q;
  int coord = 0;
  PB_NEW(r->arena, q, e->n);
  for (int i = 0; i < e->n; i++) {
    q[i] = isnan(e->given[i]) ? NAN : e->q[i];
    if (fabs(e->q[i] - e->given[i]) > fabs(e->q[coord] - e->given[coord])) coord = i;
  }
  DM_TRY(pb_warn(r, r->file, e->node->line,
                 "%s: it is %.3g %s inside the contact '%.64s', and is moved out of it: '%.64s' "
                 "by %.3g",
                 e->word, depth, law->angle ? "rad" : "m", law->name, r->coord[coord],
                 e->q[coord] - e->given[coord]));
  *out = q;
  return DM_OK;
}

// one end, whose configuration may be changed; at the start of the motion all gaps must be given
static dm_status check_end(pb_reader *r, end_place *e, bool whole, const double **q) {
  const dm_contact_laws *laws = e->system->contacts;
  double depth = 0, rest = 0;
  e->given = *q;
  DM_TRY(open_end(r, e));
  for (int l = 0; whole && l < laws->n; l++)
    if (laws->law[l].gap >= 0 && !is_given(e, &laws->law[l]))
      return pb_refuse_node(r, e->node,
                            "%s: found free coordinates that move the contact '%.64s', expected a "
                            "value of each (q)",
                            e->word, laws->law[l].name);

  const dm_contact_law *law = find_deepest(e, &depth);
  const double size = law ? find_size(e, law) : 1;
  if (!law || depth <= ROUND * size) return DM_OK;
  if (depth <= DEEP * size) {
    DM_TRY(move_out(e));
    const dm_contact_law *left = find_deepest(e, &rest);
    if (!left || rest <= ROUND * find_size(e, left)) return take_moved(r, e, law, depth, q);
  }
  return pb_refuse_node(r, e->node,
                        "%s: found it inside an obstacle, %.3g %s deep in the contact '%.64s', "
                        "expected at most %.2g (1e-4 of the robot's length); move a body out of it",
                        e->word, depth, law->angle ? "rad" : "m", law->name, DEEP * size);
}

dm_status pb_contact_ends_check(pb_reader *r, const pb_node *root, const pb_sections *s,
                                oc_task *task) {
  end_place start = {.word = "start", .node = s->start ? s->start : root, .system = &task->system};
  end_place goal = {.word = "goal", .node = s->goal ? s->goal : root, .system = &task->system};
  DM_TRY(check_end(r, &start, !r->follows && !r->repeats, &task->start.q));
  return check_end(r, &goal, false, &task->goal.q);
}
