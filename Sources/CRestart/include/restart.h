/* Restart of the program in the same process after a crash. */
#ifndef OTM_RESTART_H
#define OTM_RESTART_H

/* Restarts the program at every later crash: SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP or SIGFPE. Call it once, at
 * startup.
 *
 * The restarted program has the same process id and arguments, and the signal actions of this moment. Only standard
 * input, output and error stay open. OTM_CRASHES holds the number of crashes in a row, 1 to 9. A crash less than a
 * minute after the start continues the row. A stack overflow ends the process, because the handler itself needs
 * some stack.
 *
 * path: the program's file. arguments: those of main. crashes: crashes in a row so far, 0 to 9. */
void otm_restart_when_crashed(const char *path, char *const arguments[], int crashes);

#endif
