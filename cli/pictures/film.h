// cli/pictures/film.h: what a moving picture shows at which times: motions of folders one after
// another in one view, their strokes in px, as few frames as show them.
#ifndef CLI_PICTURES_FILM_H
#define CLI_PICTURES_FILM_H
#include "cli/pictures/strokes.h"

enum {
  CLI_FILM_LONGEST = 20, // s that are shown of a motion where no times are chosen
  CLI_FILM_MOST = 60,    // s, at most
  CLI_FILM_BESIDE = 24   // px around what is shown
};

// The motion of a folder in the picture.
typedef struct cli_film_part {
  cli_scene scene;
  cli_strokes strokes;
  double from, to, begin; // s of the motion that are shown; when in the picture's time
  int m;                  // points: both ends of each stroke, of each shadow, and ends of chains
  int shadow, way;        // the first of shadows and of ends
  int places, frames;     // places that frames are chosen from, frames
  double *t, *at;         // [places], [places x m x 2] s of the part; px
  int *frame;             // [frames] their places
} cli_film_part;

// Squares on the ground of a deep view.
typedef struct cli_ground {
  dm_vec axis[2];          // unit vectors along it
  double ends[2][2], step; // m
} cli_ground;

typedef struct cli_film {
  FILE *f; // that the picture is written to
  int n;
  cli_film_part *part; // [n]
  cli_view view;
  cli_ground ground;
  double low[2], high[2]; // of what is shown, m
  double scale;           // px/m
  double width, height;   // px
  double time, rest;      // s, with the rest at the end; that
} cli_film;

// The film of folders, their motions read; to be freed in any case. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_film_new(cli_film *w, const cli_exhibits *all, const cli_request *r);
void cli_film_free(cli_film *w);

// Whether a motion ends as it began, and goes on without a rest.
bool cli_film_goes_on(const cli_film_part *p);

// Where a place of the world is in the picture, px; one on the ground, by its squares' axes [m].
void cli_film_place(const cli_film *w, dm_vec x, double px[2]);
void cli_film_ground(const cli_film *w, double x, double y, double px[2]);
#endif
