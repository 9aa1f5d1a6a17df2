// libsodium: argon2id, BLAKE2b, random bytes, comparison in constant time.
#include <sodium.h>
