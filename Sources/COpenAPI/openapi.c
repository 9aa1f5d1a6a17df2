#include "openapi.h"

// C23's directive takes a file in no time. The array that SwiftPM's `embedInCode` makes of it, a number a byte, keeps
// the compiler busy for ten seconds, and for twenty in a release.
static const unsigned char document[] = {
#embed "../Ingest/openapi.json"
};

static const unsigned char feed_document[] = {
#embed "../Feed/openapi.json"
};

const unsigned char *onthemap_openapi(size_t *bytes) {
  *bytes = sizeof document;
  return document;
}

const unsigned char *onthemap_feed_openapi(size_t *bytes) {
  *bytes = sizeof feed_document;
  return feed_document;
}
