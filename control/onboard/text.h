// control/onboard/text.h: the on-board files as text, made by control/onboard/embed.py when dmoc is built.
#ifndef FB_ONBOARD_TEXT_H
#define FB_ONBOARD_TEXT_H

typedef struct fb_onboard_text {
  const char *name, *text;
} fb_onboard_text;

extern const fb_onboard_text fb_onboard_texts[]; // ended by a name that is NULL

#endif
