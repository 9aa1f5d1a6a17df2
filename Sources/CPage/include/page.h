#ifndef ONTHEMAP_PAGE_H
#define ONTHEMAP_PAGE_H

#include <stddef.h>

/// A file of the page, as it was when the program was built.
typedef struct {
  /// Below Sources/WebPage, or `leaflet/…` for those of the system's package.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} onthemap_page_file;

/// All files of the page, for as long as the process runs.
///
/// `count` takes how many there are.
const onthemap_page_file *_Nonnull onthemap_page(size_t *_Nonnull count);

#endif
