#include "cli/commands/completion.h"

#include "cli/commands/commands.h"
#include "cli/console/args.h"
#include "cli/pictures/plots.h"

#include <string.h>

#define LIST_COMMAND(word) &cli_command_##word,
static const cli_command *const commands[] = {CLI_COMMANDS(LIST_COMMAND) NULL};

// words that may replace a command
static const char *const instead[][2] = {
    {"--help", "the commands"},
    {"--version", "the version"},
    {"--keys", "the keys of problem files"},
    {"--results", "the keys of result.json"},
    {"--elements", "the elements of robot files"},
    {"--man", "the manual page"},
    {"--completion", "completion for a shell"},
};
enum { INSTEAD = sizeof instead / sizeof instead[0] };

// kinds of arguments
typedef enum { ANYTHING, WORDS, FOLDER, A_FILE } kind;

static kind kind_of_value(const cli_option *o) {
  if (o->choices || !strcmp(o->value, "WHAT")) return WORDS;
  if (!strcmp(o->value, "DIR")) return FOLDER;
  return strcmp(o->value, "FILE") ? ANYTHING : A_FILE;
}

// for commands that take a problem or a model, the operand may be a file
static kind kind_of_operand(const cli_command *c) {
  return strncmp(c->usage, "DIR", 3) ? A_FILE : FOLDER;
}

// the possible values of an option
static void put_words(FILE *f, const cli_option *o) {
  if (o->choices) {
    fprintf(f, "%s", o->choices);
    return;
  }
  for (int i = 0; i < CLI_PLOT_COUNT; i++) fprintf(f, "%s ", cli_plots[i].word);
  fprintf(f, "all");
}

// text in single quotes, with a backslash before each of the marks
static void put_quoted(FILE *f, const char *text, const char *marks, const char *quote) {
  for (; *text; text++) {
    if (*text == '\'')
      fprintf(f, "%s", quote);
    else
      fprintf(f, strchr(marks, *text) ? "\\%c" : "%c", *text);
  }
}

// -- bash: one function; the previous word determines whether a value is expected

static void put_bash_values(FILE *f, const cli_command *c) {
  static const char *const action[] = {
      [ANYTHING] = "return", [FOLDER] = "kind=folder", [A_FILE] = "kind=path"};
  cli_option o;
  for (int i = 0; cli_args_option(c, i, &o); i++) {
    if (!o.value) continue;
    fprintf(f, "    %s:%s) ", c->name, o.name);
    if (kind_of_value(&o) == WORDS) {
      fprintf(f, "kind=words words='");
      put_words(f, &o);
      fprintf(f, "' ;;\n");
    } else {
      fprintf(f, "%s ;;\n", action[kind_of_value(&o)]);
    }
  }
}

static void write_bash(FILE *f) {
  fprintf(f, "# bash completion of dmoc\n"
             "_dmoc() {\n"
             "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
             "  local command=${COMP_WORDS[1]} kind='' words='' options=''\n"
             "  COMPREPLY=()\n"
             "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
             "    kind=words words='");
  for (int i = 0; commands[i]; i++) fprintf(f, "%s ", commands[i]->name);
  for (int i = 0; i < INSTEAD; i++)
    fprintf(f, "%s%s", instead[i][0], i + 1 < INSTEAD ? " " : "'\n");

  // values first, then arguments of the command
  fprintf(f, "  elif [ \"$command\" = --completion ]; then\n"
             "    kind=words words='");
  for (int i = 0; i < CLI_SHELLS; i++)
    fprintf(f, "%s%s", cli_shells[i].name, i + 1 < CLI_SHELLS ? " " : "'\n");
  fprintf(f, "  else case $command:$before in\n");
  for (int i = 0; commands[i]; i++) put_bash_values(f, commands[i]);
  fprintf(f, "    *) case $command in\n");
  for (int i = 0; commands[i]; i++) {
    const cli_command *c = commands[i];
    cli_option o;
    fprintf(f, "    %s) kind=%s options='", c->name,
            kind_of_operand(c) == FOLDER ? "folder" : "path");
    for (int j = 0; cli_args_option(c, j, &o); j++) fprintf(f, "%s%s", j ? " " : "", o.name);
    fprintf(f, "' ;;\n");
  }
  fprintf(f, "    esac ;;\n"
             "  esac fi\n"
             "  case $kind:$current in\n"
             "    words:*) ;;\n"
             "    *:-*) kind=words words=$options ;;\n"
             "  esac\n"
             "  case $kind in\n"
             "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
             "    folder) mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
             "    path) mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
             "  esac\n"
             "  [ \"$kind\" = words ] || compopt -o filenames 2>/dev/null\n"
             "}\n"
             "complete -F _dmoc dmoc\n");
}

// -- zsh: _arguments takes one row per option

static const char *const zsh_action[] = {
    [ANYTHING] = " ", [FOLDER] = "_files -/", [A_FILE] = "_files"};

static void put_zsh_option(FILE *f, const cli_option *o) {
  // accept --from=DIR and --from DIR; a star marks repeatable options
  const char *equals = o->value && !strncmp(o->name, "--", 2) ? "=" : "";
  const char *star = o->again ? "*" : "";
  fprintf(f, " \\\n        '%s%s%s[", star, o->name, equals);
  put_quoted(f, o->what, "[]:\\", "'\\''");
  fprintf(f, "]");
  if (o->value && kind_of_value(o) == WORDS) {
    fprintf(f, ":%s:(", o->value);
    put_words(f, o);
    fprintf(f, ")");
  } else if (o->value) {
    fprintf(f, ":%s:%s", o->value, zsh_action[kind_of_value(o)]);
  }
  fprintf(f, "'");
}

static void write_zsh(FILE *f) {
  // the first word is a command, with its description, or one of its replacements
  fprintf(f, "#compdef dmoc\n"
             "_dmoc() {\n"
             "  local -a commands\n"
             "  commands=(\n");
  for (int i = 0; commands[i]; i++) {
    fprintf(f, "    '%s:", commands[i]->name);
    put_quoted(f, commands[i]->what, ":\\", "'\\''");
    fprintf(f, "'\n");
  }
  for (int i = 0; i < INSTEAD; i++) fprintf(f, "    '%s:%s'\n", instead[i][0], instead[i][1]);

  // then arguments of the command
  fprintf(f, "  )\n"
             "  if (( CURRENT == 2 )); then\n"
             "    _describe command commands\n"
             "    return\n"
             "  fi\n"
             "  local command=$words[2]\n"
             "  shift words\n"
             "  (( CURRENT-- ))\n"
             "  case $command in\n");
  for (int i = 0; commands[i]; i++) {
    const cli_command *c = commands[i];
    cli_option o;
    fprintf(f, "    %s)\n      _arguments", c->name);
    for (int j = 0; cli_args_option(c, j, &o); j++) put_zsh_option(f, &o);
    const int length = (int)strcspn(c->usage, " ");
    const bool many = !strncmp(c->usage + length - 3, "...", 3);
    fprintf(f, " \\\n        '%s:%.*s:%s' ;;\n", many ? "*" : "1", length - (many ? 3 : 0),
            c->usage, zsh_action[kind_of_operand(c)]);
  }
  fprintf(f, "    --completion) _values shell");
  for (int i = 0; i < CLI_SHELLS; i++) fprintf(f, " %s", cli_shells[i].name);
  fprintf(f, " ;;\n"
             "  esac\n"
             "}\n"
             "_dmoc \"$@\"\n");
}

// -- fish: one line per option

static void put_fish_option(FILE *f, const cli_command *c, const cli_option *o) {
  // by its long or one-letter name
  const bool is_long = !strncmp(o->name, "--", 2);
  const char letter = is_long ? 'l' : 's';
  const char *name = o->name + (is_long ? 2 : 1);
  fprintf(f, "complete -c dmoc -n '__fish_seen_subcommand_from %s' -%c %s -d '", c->name, letter,
          name);
  put_quoted(f, o->what, "\\", "\\'");
  fprintf(f, "'");

  // and its possible values
  if (o->value && kind_of_value(o) == WORDS) {
    fprintf(f, " -x -a '");
    put_words(f, o);
    fprintf(f, "'");
  } else if (o->value) {
    static const char *const action[] = {
        [ANYTHING] = "-x", [FOLDER] = "-x -a '(__fish_complete_directories)'", [A_FILE] = "-r -F"};
    fprintf(f, " %s", action[kind_of_value(o)]);
  }
  fprintf(f, "\n");
}

static void write_fish(FILE *f) {
  fprintf(f, "# fish completion of dmoc\ncomplete -c dmoc -f\n");
  for (int i = 0; i < INSTEAD; i++)
    fprintf(f, "complete -c dmoc -n __fish_use_subcommand -l %s -d '%s'\n", instead[i][0] + 2,
            instead[i][1]);
  fprintf(f, "complete -c dmoc -n '__fish_contains_opt completion' -a '");
  for (int i = 0; i < CLI_SHELLS; i++)
    fprintf(f, "%s%s", cli_shells[i].name, i + 1 < CLI_SHELLS ? " " : "'\n");
  for (int i = 0; commands[i]; i++) {
    const cli_command *c = commands[i];
    cli_option o;
    fprintf(f, "complete -c dmoc -n __fish_use_subcommand -a %s -d '", c->name);
    put_quoted(f, c->what, "\\", "\\'");
    fprintf(f, "'\ncomplete -c dmoc -n '__fish_seen_subcommand_from %s' %s\n", c->name,
            kind_of_operand(c) == FOLDER ? "-a '(__fish_complete_directories)'" : "-F");
    for (int j = 0; cli_args_option(c, j, &o); j++) put_fish_option(f, c, &o);
  }
}

const cli_shell cli_shells[CLI_SHELLS] = {
    {"bash", write_bash},
    {"zsh", write_zsh},
    {"fish", write_fish},
};
