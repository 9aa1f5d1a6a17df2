#ifndef ONTHEMAP_OPENAPI_H
#define ONTHEMAP_OPENAPI_H

#include <stddef.h>

/// Returns Sources/Ingest/openapi.json as of the build, in UTF-8. The bytes are valid until the process ends.
///
/// `bytes` receives the length.
const unsigned char *_Nonnull onthemap_openapi(size_t *_Nonnull bytes);

/// Returns Sources/Feed/openapi.json as of the build, in UTF-8. The bytes are valid until the process ends.
///
/// `bytes` receives the length.
const unsigned char *_Nonnull onthemap_feed_openapi(size_t *_Nonnull bytes);

#endif
