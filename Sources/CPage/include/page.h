#ifndef ONTHEMAP_PAGE_H
#define ONTHEMAP_PAGE_H

#include <stddef.h>

/// A file of the page, as of the build.
typedef struct {
  /// Path below Sources/WebPage, or `leaflet/…` for a file of the system's package.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} onthemap_page_file;

/// Returns all files of the page. The array is valid until the process ends.
///
/// `count` receives the number of files.
const onthemap_page_file *_Nonnull onthemap_page(size_t *_Nonnull count);

#endif
