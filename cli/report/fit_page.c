#include "cli/report/fit_page.h"

#include <math.h>

enum { WIDTH = 1040, HEIGHT = 180, LEFT = 60, MOST = 1500 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<style>body{font:15px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 "
    "1em;"
    "color:#222;background:#fff}table{border-collapse:collapse}td,th{padding:2px 12px 2px 0;"
    "text-align:left}svg{width:100%;height:auto}text{font-size:12px;fill:#555}.held{color:#a40}"
    "polyline{fill:none;stroke-width:1.2}</style>";

// text with the characters that HTML reserves as references
static void put_text(FILE *f, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      fputs("&lt;", f);
    else if (*text == '&')
      fputs("&amp;", f);
    else if (*text == '"')
      fputs("&quot;", f);
    else
      fputc(*text, f);
  }
}

// the force of the inputs (0), the predicted one (1), or their difference (2) at knot k
static double find_value(const cli_fit_page *page, const cli_predicted *p, int what, int k, int i) {
  const double lack = p->lack[k * page->model->nq + i];
  const double measured = cli_predicted_force(page->model, p, k, i);
  return what == 0 ? measured : what == 1 ? measured - lack : lack;
}

static void put_line(FILE *f, const cli_fit_page *page, const cli_predicted *p, int what, int i,
                     double low, double high, const char *color) {
  const int knots = p->knots - 2, every = knots / MOST + 1;
  const double wide = WIDTH - LEFT;
  bool open = false;
  for (int k = 1; k + 1 < p->knots; k += every) {
    const double y = find_value(page, p, what, k, i);
    if (isnan(y) && open) fputs("\"/>\n", f);
    if (!isnan(y) && !open) fprintf(f, "<polyline stroke=\"%s\" points=\"", color);
    open = !isnan(y);
    if (open)
      fprintf(f, "%.1f,%.1f ", LEFT + wide * k / (p->knots > 1 ? p->knots : 1),
              HEIGHT * (high - y) / (high - low));
  }
  if (open) fputs("\"/>\n", f);
}

static void put_chart(FILE *f, const cli_fit_page *page, const cli_predicted *p, int i) {
  double low = 0, high = 0;
  for (int k = 1; k + 1 < p->knots; k++)
    for (int what = 0; what < 3; what++) {
      const double y = find_value(page, p, what, k, i);
      if (!isnan(y)) low = fmin(low, y), high = fmax(high, y);
    }
  if (!(high > low)) high = low + 1;
  fputs("<h3>", f);
  put_text(f, page->model->name[i]);
  fprintf(f, "</h3>\n<svg viewBox=\"0 0 %d %d\">\n", WIDTH, HEIGHT + 20);
  fprintf(f, "<text x=\"0\" y=\"12\">%.3g</text><text x=\"0\" y=\"%d\">%.3g</text>\n", high, HEIGHT,
          low);
  fprintf(f, "<text x=\"%d\" y=\"%d\">%.4g s</text><text x=\"%d\" y=\"%d\">%.4g s</text>\n", LEFT,
          HEIGHT + 16, p->start, WIDTH - 60, HEIGHT + 16, p->start + p->step * (p->knots - 1));
  const double zero = HEIGHT * high / (high - low);
  fprintf(f, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>\n", LEFT, WIDTH,
          zero, zero);
  put_line(f, page, p, 0, i, low, high, "#1f77b4");
  put_line(f, page, p, 1, i, low, high, "#ff7f0e");
  put_line(f, page, p, 2, i, low, high, "#2ca02c");
  fprintf(f, "</svg>\n<p>rms of the difference %.4g, whiteness %.3g, free run %.2g</p>\n",
          p->joint[i].force_rms, fabs(p->joint[i].whiteness), p->free_run[i]);
}

void cli_fit_page_write(FILE *f, const cli_fit_page *page) {
  fputs(head, f);
  fputs("<title>", f);
  put_text(f, page->name);
  fputs("</title></head><body>\n<h1>", f);
  put_text(f, page->name);
  fputs("</h1>\n<p>Forces in N or N m over time: <span style=\"color:#1f77b4\">measured</span>, "
        "<span style=\"color:#ff7f0e\">predicted</span> from the positions, "
        "<span style=\"color:#2ca02c\">their difference</span>.</p>\n",
        f);
  for (int k = 0; k < page->nlogs; k++) {
    fputs(page->logs[k].held ? "<h2 class=\"held\">" : "<h2>", f);
    put_text(f, page->logs[k].log);
    fputs(page->logs[k].held ? ", held out</h2>\n" : "</h2>\n", f);
    for (int i = 0; i < page->model->nq; i++) put_chart(f, page, &page->logs[k], i);
  }

  fputs("<h2>Parameters</h2>\n<table><tr><th>parameter<th>value<th>deviation<th>robot<th>unit<th>",
        f);
  for (int i = 0; i < page->parameters->count; i++) {
    const oc_fit_parameter *x = &page->parameters->list[i];
    const char *note = page->found->bound[i]    ? "at its bound"
                       : page->found->unseen[i] ? "from the prior"
                                                : "";
    fputs("<tr><td>", f);
    put_text(f, x->path);
    fprintf(f, "<td>%.6g<td>%.2g<td>%.6g<td>", page->values->value[i], page->values->deviation[i],
            page->values->start[i]);
    put_text(f, x->unit);
    fprintf(f, "<td>%s\n", note);
  }
  fputs("</table>\n<h2>The logs determine</h2>\n<table>\n", f);
  for (int i = 0; i < page->found->combinations; i++) {
    const oc_combination *c = &page->found->combination[i];
    char text[CLI_COMBINATION];
    fputs("<tr><td>", f);
    put_text(f, cli_combination_name(page->parameters, c, text));
    fprintf(f, "<td>%.5g &plusmn; %.2g ", c->value, c->deviation);
    put_text(f, page->parameters->coefficient[c->coefficient[0]].unit);
    fputc('\n', f);
  }
  fputs("</table>\n", f);

  fputs("</body></html>\n", f);
}
