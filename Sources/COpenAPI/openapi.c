#include "openapi.h"

// The compiler needs almost no time for C23's `#embed`. SwiftPM's `embedInCode` writes an array with a number for each
// byte. The compiler needs 10 s for that array, and 20 s in a release build.
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
