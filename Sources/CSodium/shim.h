// libsodium: BLAKE2b, random bytes, base64, comparison in constant time.
#include <sodium.h>
