/* Starts the program again, in the same process, when it crashes. */
#ifndef OTM_RESTART_H
#define OTM_RESTART_H

/* From now on a crash (SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE) starts the program again: the same process id
 * and arguments, no open files but standard input, output and error, and the signals' actions of this moment.
 * OTM_CRASHES tells the new program its crashes in a row, 1 to 9: those less than a minute after their start.
 *
 * path: of the program. arguments: as main got them. crashes: in a row so far, 0 to 9. Call it once, at the start. */
void otm_restart_when_crashed(const char *path, char *const arguments[], int crashes);

#endif
