// The parts of C APIs that Swift cannot use. Of SQLite: a variadic function and a global variable. GRDB has the rest. Of
// Linux: a system call that glibc declares only with _GNU_SOURCE.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

// Disables memory statistics. With them, each allocation takes a lock, for counters that the program never reads.
static inline int otm_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Sets the folder of temporary files, for all connections. Call this once, before the first connection.
static inline void otm_sqlite_keep_temporary_files(const char *folder) {
  sqlite3_temp_directory = sqlite3_mprintf("%s", folder);
}

// Exchanges the names of two folders in one step: renameat2(2) with RENAME_EXCHANGE. Returns 0, or -1 with errno.
static inline int otm_exchange_names(const char *a, const char *b) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2);
}
