#ifndef ONTHEMAP_OPENAPI_H
#define ONTHEMAP_OPENAPI_H

#include <stddef.h>

/// Sources/Ingest/openapi.json, as it was when the program was built: UTF-8, for as long as the process runs.
///
/// `bytes` takes its length.
const unsigned char *_Nonnull onthemap_openapi(size_t *_Nonnull bytes);

/// Sources/Feed/openapi.json, the same way.
const unsigned char *_Nonnull onthemap_feed_openapi(size_t *_Nonnull bytes);

#endif
