// argon2's own library: its memory may come from whoever calls, which libsodium does not let one do.
#include <argon2.h>
