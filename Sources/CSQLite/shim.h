// The parts of SQLite's C API that Swift cannot use: a variadic function and a global variable. GRDB has the rest.
#include <sqlite3.h>

// Disables memory statistics. With them, each allocation takes a lock, for counters that the program never reads.
static inline int otm_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Sets the folder of temporary files, for all connections. Call this once, before the first connection.
static inline void otm_sqlite_keep_temporary_files(const char *folder) {
  sqlite3_temp_directory = sqlite3_mprintf("%s", folder);
}
