// zlib: gzip, RFC 1952.
#include <zlib.h>
