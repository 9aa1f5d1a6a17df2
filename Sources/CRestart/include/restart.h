/* Starts the program again, in the same process, when it crashes. */
#ifndef OTM_RESTART_H
#define OTM_RESTART_H

/* After this call a crash (SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE) starts the program again: same process id
 * and arguments, no open files but standard input, output and error, and the signals' actions of this moment.
 * OTM_CRASHES holds the number of crashes in a row, 1 to 9: those less than a minute after their start.
 * A stack overflow ends the process: the handler needs some stack itself.
 *
 * path: the program's file. arguments: main's. crashes: crashes in a row so far, 0 to 9. Call it once, at startup. */
void otm_restart_when_crashed(const char *path, char *const arguments[], int crashes);

#endif
