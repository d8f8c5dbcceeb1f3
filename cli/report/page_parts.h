// cli/report/page_parts.h: the page around its data, made by cli/report/embed.py when dmoc is built.
#ifndef CLI_REPORT_PAGE_PARTS_H
#define CLI_REPORT_PAGE_PARTS_H
#include <stddef.h>

// What stands before the data and what stands behind them, not ended by zeros.
extern const unsigned char cli_page_before[], cli_page_behind[];
extern const size_t cli_page_before_size, cli_page_behind_size;
#endif
