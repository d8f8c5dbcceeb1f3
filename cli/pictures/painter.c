#include "cli/pictures/painter.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { REPLY = 3, LONGEST = 1 << 20 }; // the descriptor of the reply, and how long it may be, bytes

// the script that draws, beside the folder of the program; false: it is not there
static bool find_script(char path[CLI_PATH]) {
  static const char *const folders[] = {"python", "share/dmoc/python", ".."};
  char program[CLI_PATH];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) return false;
  program[n] = 0;
  char *slash = strrchr(program, '/');
  if (slash) *slash = 0;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const int length =
        snprintf(path, CLI_PATH, "%s/../%s/dmoc/pictures/__main__.py", program, folders[i]);
    if (length < CLI_PATH && access(path, R_OK) == 0) return true;
  }
  return false;
}

// Returns the result of spawning.
static int spawn_painter(pid_t *child, char *python, char *script, FILE *const stream[3]) {
  char bare[] = "-B"; // it leaves no compiled files beside the script
  char *words[] = {python, bare, script, NULL};
  static const int to[] = {STDIN_FILENO, STDOUT_FILENO, REPLY};
  posix_spawn_file_actions_t files;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;

  // from descriptors above those that the child gets, so that none of them is in the way
  int from[3] = {-1, -1, -1};
  for (int i = 0; i < 3 && !error; i++) {
    from[i] = fcntl(fileno(stream[i]), F_DUPFD_CLOEXEC, REPLY + 1);
    error = from[i] < 0 ? errno : posix_spawn_file_actions_adddup2(&files, from[i], to[i]);
  }
  if (!error) error = posix_spawnp(child, python, &files, NULL, words, environ);
  posix_spawn_file_actions_destroy(&files);
  for (int i = 0; i < 3; i++)
    if (from[i] >= 0) close(from[i]);
  return error;
}

// the object that the painter left; NULL: there is none
static cli_json *read_reply(FILE *file) {
  char *text = malloc(LONGEST + 1);
  rewind(file);
  if (!text) return NULL;
  text[fread(text, 1, LONGEST, file)] = 0;
  cli_json *reply = json_tokener_parse(text);
  free(text);
  if (json_object_is_type(reply, json_type_object)) return reply;
  json_object_put(reply);
  return NULL;
}

static int fail_missing(const cli_args *args, const char *python, const char *why) {
  return cli_fail(
      args, CLI_INPUT,
      "pictures are drawn by Python 3 with matplotlib, and %s cannot be run: %s; please "
      "install python3-matplotlib (Debian: apt-get install python3-matplotlib)",
      python, why);
}

// the outcome of the painter
static int take_reply(const cli_args *args, int status, cli_json **reply) {
  const char *error = cli_json_get_text(*reply, "error");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && *reply && !error) return CLI_DONE;
  const int failed =
      error ? cli_fail(args, CLI_INPUT, "%s", error)
            : cli_fail(args, CLI_FAULT,
                       "the picture cannot be drawn: Python failed; memory may have run out");
  json_object_put(*reply);
  *reply = NULL;
  return failed;
}

int cli_painter_run(const cli_args *args, FILE *facts, FILE *picture, cli_json **reply) {
  char script[CLI_PATH], python[CLI_PATH];
  const char *said = getenv("DMOC_PYTHON");
  pid_t child;
  int status = 0;
  snprintf(python, sizeof python, "%s", said && *said ? said : "python3");
  if (!find_script(script))
    return cli_fail(args, CLI_INPUT,
                    "the Python module that draws pictures is not beside the program: please "
                    "install dmoc anew");
  FILE *answer = tmpfile();
  if (!answer)
    return cli_fail(args, CLI_INPUT, "no temporary file can be written: %s", strerror(errno));
  setenv("LC_ALL", "C.UTF-8", 1); // numbers and letters do not depend on the user's language

  // while it draws, a signal ends it with us
  const int error = spawn_painter(&child, python, script, (FILE *[]){facts, picture, answer});
  if (!error) {
    cli_interrupt_ends(child);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    cli_interrupt_ends(0);
    *reply = read_reply(answer);
  }
  fclose(answer);

  // a shell's 127: there is no such program
  const bool absent = error || (WIFEXITED(status) && WEXITSTATUS(status) == 127);
  if (absent) return fail_missing(args, python, error ? strerror(error) : "it is not there");
  return take_reply(args, status, reply);
}
