#include "cli/mpi/work_sharing.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/messages.h"
#include "cli/mpi/workers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 400, PATIENCE = 10 }; // maximum length of a rank's last message; s

// kinds of messages. To rank 0: a result, or a farewell with an error. From rank 0: finished items
// before a share begins, an item that need not be computed any more, the end of a share, broadcast
// data, permission to leave (item: whether all leave together)
typedef enum kind { RESULT, BYE, DONE, SPARE, STOP, TELL, GO } kind;

typedef struct head {
  kind kind;
  int share, item;
  uint64_t digest;
} head;

typedef struct sharing {
  const cli_share *s;
  head *out, *in; // each with room for a result or TEXT after it
  size_t capacity;
  bool *done;           // [count]
  int left;             // number of items without result
  bool failed;          // an item failed here permanently
  bool begun;           // finished items are known
  int *owed;            // [ranks] items of each rank without result
  const char **trouble; // [ranks] why a rank's results are not expected; NULL: they are
  char (*words)[TEXT];  // [ranks] last messages
  double longest, last; // duration of rank 0's longest item, s; time of the last message
} sharing;

static int share;          // number of the current share, from 1
static bool busy, over;    // over: rank 0 has ended
static bool *bye, *missed; // [ranks] left; missed: already reported
static FILE *kept;         // stderr of other ranks

static void pause_sharing(void) {
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

int cli_work_begin(int *n, char ***word) {
  // without MPI, each of several processes would do all the work, in the same folder
  if (!cli_message_open(n, word)) {
    cli_error("started as one of several processes, but this build has no MPI: each would do all "
              "the work; install libopenmpi-dev and build again, or start one process");
    return CLI_INPUT;
  }

  // ranks that left, and those already reported
  bye = calloc((size_t)cli_message_count(), sizeof *bye);
  missed = calloc((size_t)cli_message_count(), sizeof *missed);
  if (cli_message_rank() == 0) return CLI_DONE;

  // only rank 0 prints: stdout of other ranks is discarded, their stderr is stored for the last
  // message; they survive a signal until rank 0 is notified
  cli_interrupt_minimum(CLI_ALL);
  kept = tmpfile();
  if (!freopen("/dev/null", "w", stdout) || !kept) return CLI_DONE;
  fflush(stderr);
  dup2(fileno(kept), STDERR_FILENO);
  return CLI_DONE;
}

int cli_work_count(void) {
  return busy ? 1 : cli_message_count();
}

int cli_work_hands(void) {
  if (busy) return 1;
  return cli_message_count() > 1 ? cli_message_count() : cli_workers_count();
}

int cli_work_this(void) {
  return cli_message_rank();
}

uint64_t cli_work_digest(uint64_t d, const void *bytes, size_t size) {
  const unsigned char *b = bytes; // FNV-1a
  for (size_t i = 0; i < size; i++) d = (d ^ b[i] ^ 0xcbf29ce484222325ull) * 0x100000001b3ull;
  return d;
}

static void send_word(int to, kind what, int which, int item) {
  head h = {.kind = what, .share = which, .item = item};
  cli_message_send(to, &h, sizeof h);
}

// accept an item's result from any rank; duplicates are ignored
static void take_result(sharing *w, int item, int rank, const void *result, size_t size) {
  if (w->done[item]) return;
  w->done[item] = true;
  w->left--;
  w->owed[item % cli_message_count()]--;
  w->s->collect(w->s->self, item, rank, result, size);
}

// rank 0: receive messages
static void receive_results(sharing *w) {
  int from;
  size_t size;
  while (cli_message_next(&from, w->in, w->capacity, &size)) {
    const head *h = w->in;
    w->last = cli_clock();

    // a rank that leaves states the reason
    if (h->kind == BYE) {
      bye[from] = true;
      snprintf(w->words[from], TEXT, "%.*s", (int)(size - sizeof *h), (const char *)(h + 1));
      w->trouble[from] = w->words[from][0] ? w->words[from] : "it left";
    } else if (h->share == share && h->digest != w->s->digest) {
      // same share but different data: results are unusable
      w->trouble[from] = "its motion or gains differ from those of rank 0";
    } else if (h->share == share && h->item >= 0 && h->item < w->s->count) {
      // a result
      take_result(w, h->item, from, h + 1, size - sizeof *h);
    }
  }
}

// accept a child's result
static void take_from_worker(void *self, int item, const void *result, size_t size) {
  take_result(self, item, 0, result, size);
}

static size_t work_in_child(void *self, int item, void *result) {
  const sharing *w = self;
  busy = true;
  return w->s->work(w->s->self, item, result);
}

// compute one item here
static void compute_item(sharing *w, int item) {
  // busy: shares within the item are computed by this rank alone
  double begun = cli_clock();
  busy = true;
  size_t size = w->s->work(w->s->self, item, w->out + 1);
  busy = false;

  // the longest item determines how long to wait for others
  if (cli_clock() - begun > w->longest) w->longest = cli_clock() - begun;
  if (!size) w->failed = true;
  if (!size) return;

  // rank 0 keeps the result; other ranks send it
  if (cli_message_rank() == 0) {
    take_result(w, item, 0, w->out + 1, size);
  } else {
    *w->out = (head){.kind = RESULT, .share = share, .item = item, .digest = w->s->digest};
    cli_message_send(0, w->out, sizeof *w->out + size);
  }
}

// the last item of the rank with most missing items, lost ranks first; -1: wait for each rank's
// last item
static int find_overdue(const sharing *w) {
  // patient: a message arrived within the duration of two items
  bool patient = cli_clock() - w->last < 1 + 2 * w->longest;
  const int K = cli_message_count();

  // the rank with most missing items; a lost rank comes first
  int r = 0, max = 0;
  for (int i = 0; i < K; i++) {
    int behind = w->trouble[i] && w->owed[i] ? INT_MAX : w->owed[i];
    if (behind > max) {
      r = i;
      max = behind;
    }
  }

  // wait for a rank's last item
  if (max < (patient ? 2 : 1)) return -1;
  int item = w->s->count - 1;
  while (item % K != r || w->done[item]) item--;
  return item;
}

// after an interrupt: wait for messages of living ranks
static void hear_last_call(sharing *w) {
  double begun = cli_clock();
  int waiting = 1;

  // 0.15 s: launchers kill processes soon after interrupting them
  while (waiting && cli_clock() - begun < 0.15) {
    receive_results(w);
    pause_sharing();
    waiting = 0;
    for (int r = 1; r < cli_message_count(); r++) waiting += !bye[r];
  }

  // the others are lost
  for (int r = 1; r < cli_message_count(); r++)
    if (!bye[r]) w->trouble[r] = "it does not answer";
}

// a sentence about each lost rank, reported once; leaving after an interrupt is not reported
static void tell_lost(const sharing *w, char lost[256]) {
  size_t at = 0;
  lost[0] = 0;
  for (int r = 1; r < cli_message_count() && at < 256; r++)
    // leaving after an interrupt is normal
    if (w->trouble[r] && !missed[r] && (strcmp(w->trouble[r], "it left") || !cli_interrupted())) {
      at +=
          (size_t)snprintf(lost + at, 256 - at, "%srank %d: %s", at ? "; " : "", r, w->trouble[r]);
      missed[r] = true;
    }
}

// announce finished items
static void send_done(sharing *w) {
  size_t count = (size_t)w->s->count;

  // to all, so that none computes them
  *w->out = (head){.kind = DONE, .share = share};
  memcpy(w->out + 1, w->s->skip, count);
  for (int r = 1; r < cli_message_count(); r++)
    if (!bye[r]) cli_message_send(r, w->out, sizeof *w->out + count);

  // and record them here
  memcpy(w->done, w->s->skip, count);
  for (size_t i = 0; i < count; i++) w->left -= w->done[i];
}

// rank 0: compute own items (with child processes if alone), then missing items of slow ranks,
// until all are done
static dm_status lead_share(sharing *w, char lost[256]) {
  // item i belongs to rank i % K
  int K = cli_message_count();
  if (w->s->skip) send_done(w);
  for (int i = 0; i < w->s->count; i++) w->owed[i % K] += !w->done[i];
  for (int r = 1; r < K; r++)
    if (bye[r]) w->trouble[r] = "it left";

  // compute items with child processes if there is only one rank
  const cli_crew crew = {.count = w->s->count,
                         .max_bytes = w->s->max_bytes,
                         .done = w->done,
                         .work = work_in_child,
                         .worker = w,
                         .take = take_from_worker,
                         .self = w};
  if (w->s->by_children && !busy && cli_message_count() == 1) cli_workers_run(&crew);

  for (int i = 0; i < w->s->count && !cli_interrupted() && !w->failed; i += K) {
    if (!w->done[i]) compute_item(w, i);
    receive_results(w);
  }

  // 2  missing items: wait, or compute them here if a rank is overdue or lost
  while (w->left && !cli_interrupted() && !w->failed) {
    int item = find_overdue(w);
    if (item >= 0) {
      // the rank need not compute it any more; if it was its last item, the rank is silent
      if (!w->trouble[item % K] && w->owed[item % K] < 2)
        w->trouble[item % K] = "it does not answer in time";
      if (item % K) send_word(item % K, SPARE, share, item);
      compute_item(w, item);
    } else {
      pause_sharing();
    }
    receive_results(w);
  }

  // 3  end the share for all
  if (cli_interrupted() && K > 1) hear_last_call(w);
  for (int r = 1; r < K; r++)
    if (!bye[r]) send_word(r, STOP, share, 0);
  tell_lost(w, lost);
  return w->left ? DM_INTERRUPTED : DM_OK;
}

// other ranks: process messages of rank 0; returns false if the share has ended
static bool hear_leader(sharing *w) {
  int from;
  size_t size;
  while (cli_message_next(&from, w->in, w->capacity, &size)) {
    const head *h = w->in;
    // the end of all shares, or of this one
    over = over || (h->kind == STOP && h->share == INT_MAX);
    if (h->kind == STOP && h->share >= share) return false;

    // rank 0 or an earlier run computed it
    if (h->kind == SPARE && h->share == share) w->done[h->item] = true;
    if (h->kind == DONE && h->share == share) {
      memcpy(w->done, h + 1, (size_t)w->s->count);
      w->begun = true;
    }
  }
  return !cli_interrupted() && !over;
}

// other ranks: compute own items, then process messages until the share ends
static dm_status follow_share(sharing *w) {
  bool goes_on = true;

  // wait for the list of finished items
  w->begun = !w->s->skip;
  while (!w->begun && (goes_on = hear_leader(w))) pause_sharing();

  // own items, except those that rank 0 took over
  for (int i = cli_message_rank();
       goes_on && i < w->s->count && (goes_on = hear_leader(w)) && !w->failed;
       i += cli_message_count())
    if (!w->done[i]) compute_item(w, i);

  // rank 0 ends the share
  while (goes_on && (goes_on = hear_leader(w))) pause_sharing();
  return cli_interrupted() || over ? DM_INTERRUPTED : DM_OK;
}

dm_status cli_work_share(const cli_share *s, char lost[256]) {
  // buffers for the largest message: a result, a last message, or the list of finished items
  size_t K = (size_t)cli_message_count();
  sharing w = {.s = s, .left = s->count, .last = cli_clock()};
  size_t count = s->skip ? (size_t)s->count : 0;
  w.capacity = sizeof(head) + (s->max_bytes > TEXT ? s->max_bytes : TEXT) + count;
  w.out = malloc(w.capacity);
  w.in = malloc(w.capacity);
  w.done = calloc((size_t)s->count + 1, sizeof *w.done);
  w.owed = calloc(K, sizeof *w.owed);
  w.trouble = calloc(K, sizeof *w.trouble);
  w.words = calloc(K, sizeof *w.words);

  // shares have the same numbers on all ranks, because all begin them in the same order
  dm_status status = DM_NO_MEMORY;
  lost[0] = 0;
  share++;

  // an interrupt must not lose messages of others
  cli_worth worth = K > 1 && !busy ? cli_interrupt_worth(CLI_ALL) : CLI_ALL;
  if (bye && missed && w.out && w.in && w.done && w.owed && w.trouble && w.words)
    status = cli_message_rank() == 0 ? lead_share(&w, lost) : follow_share(&w);
  if (worth != CLI_ALL && !cli_interrupted()) cli_interrupt_worth(worth);
  free(w.out);
  free(w.in);
  free(w.done);
  free(w.owed);
  free(w.trouble);
  free(w.words);
  return status;
}

// other ranks: wait for broadcast data of rank 0
static dm_status hear_tell(head *h, void *bytes, size_t size) {
  int from;
  size_t come;
  while (!cli_interrupted() && !over) {
    if (!cli_message_next(&from, h, sizeof *h + size, &come)) {
      pause_sharing();
    } else if (h->kind == TELL && h->share == share && come == sizeof *h + size) {
      // the data of this call
      memcpy(bytes, h + 1, size);
      return DM_OK;
    } else {
      // drop old messages; the end of all shares ends this call
      over = h->kind == STOP && h->share == INT_MAX;
    }
  }
  return DM_INTERRUPTED;
}

dm_status cli_work_broadcast(void *bytes, size_t size) {
  int K = cli_work_count();
  if (K == 1) return DM_OK;
  head *h = malloc(sizeof *h + size);
  if (!h) return DM_NO_MEMORY;

  // broadcasts are numbered with the shares
  share++;
  dm_status s = DM_OK;

  // distribute rank 0's data
  if (cli_message_rank() == 0) {
    *h = (head){.kind = TELL, .share = share};
    memcpy(h + 1, bytes, size);
    for (int r = 1; r < K; r++)
      if (!bye[r]) cli_message_send(r, h, sizeof *h + size);
  } else {
    s = hear_tell(h, bytes, size);
  }
  free(h);
  return s;
}

// the last line that a rank wrote to stderr, for its farewell
static size_t read_last_words(char text[TEXT]) {
  size_t length = 0;

  // the end of stderr
  fflush(stderr);
  if (kept && fseek(kept, 0, SEEK_END) == 0) {
    long end = ftell(kept);
    fseek(kept, end > TEXT - 1 ? end - (TEXT - 1) : 0, SEEK_SET);
    length = fread(text, 1, TEXT - 1, kept);
  }

  // its last line, without the program's name
  while (length && text[length - 1] == '\n') length--;
  text[length] = 0;
  char *line = strrchr(text, '\n');
  line = line ? line + 1 : text;
  if (!strncmp(line, "dmoc: ", 6)) line += 6;
  length = strlen(line);
  memmove(text, line, length + 1);
  return length;
}

// a message without a result
typedef struct letter {
  head h;
  char text[TEXT];
} letter;

// Launchers kill the remaining ranks when the first one ends: each rank waits until rank 0 has
// finished writing and tells it how to leave.
static bool follow_farewell(int status) {
  letter m = {.h = {.kind = BYE}};
  bool failed = status == CLI_INPUT || status == CLI_FAULT;

  // send a farewell, with the error after a failure
  cli_message_send(0, &m, sizeof m.h + (failed ? read_last_words(m.text) : 0));

  // wait for rank 0's permission
  int from;
  size_t size;
  while (!cli_message_next(&from, &m, sizeof m, &size) || m.h.kind != GO) pause_sharing();
  return m.h.item;
}

// rank 0: wait for the others' farewells; returns false if some are missing
static bool lead_farewell(void) {
  letter m;
  const int K = cli_message_count();
  int from, waiting = K - 1;
  size_t size;
  double begun = cli_clock();

  // no further share begins
  for (int r = 1; r < K; r++) send_word(r, STOP, INT_MAX, 0);

  // wait at most ten seconds
  while (bye && waiting && !cli_interrupted() && cli_clock() - begun < PATIENCE) {
    pause_sharing();
    while (cli_message_next(&from, &m, sizeof m, &size))
      if (m.h.kind == BYE) bye[from] = true;
    waiting = 0;
    for (int r = 1; r < K; r++) waiting += !bye[r];
  }

  // let all leave, together if all answered
  for (int r = 1; r < K; r++) send_word(r, GO, 0, !waiting);
  return !waiting;
}

int cli_work_end(int status) {
  // rank 0 waits for farewells, the others for permission to leave
  bool first = cli_message_rank() == 0, whole = true;
  if (cli_message_count() > 1) {
    if (first)
      whole = lead_farewell();
    else
      whole = follow_farewell(status);

    // finalize MPI together, or abort it from rank 0 if ranks are lost
    if (whole || (first && !cli_interrupted())) cli_message_close(whole, status);
  }
  free(bye);
  free(missed);
  return first ? status : CLI_DONE;
}
