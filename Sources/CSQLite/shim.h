// What Swift cannot call of SQLite's C API, because it is variadic. Only this: GRDB has the rest.
#include <sqlite3.h>

// With it each allocation takes a lock, to count what nobody asks for.
static inline int otm_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
