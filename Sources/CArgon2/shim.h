// The argon2 library. Its caller can supply the memory, which libsodium does not permit.
#include <argon2.h>
