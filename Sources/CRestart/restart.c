#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "restart.h"

/* The count of crashes in a row begins again with a crash CALM_S seconds or more after the start. */
enum { CALM_S = 60, CRASHES_MAX = 9, DESCRIPTORS_MAX = 65536 };

static const int crash_signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
/* The program's runtime sets these signals to SIG_IGN, which the next program would inherit. */
static const int other_signals[] = {SIGHUP, SIGINT, SIGTERM};
enum { OTHERS = sizeof other_signals / sizeof *other_signals };

static const char *program;
static char *const *program_arguments;
static char **program_environment;
static char crashes_text[] = "OTM_CRASHES=0";
static int crashes_so_far;
static time_t started;
/* Id of the thread in `restart`. 0 before a crash. */
static _Atomic pid_t restarting_thread;
static struct sigaction other_actions[OTHERS];
static sigset_t mask;

static time_t now(void) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* Calls only functions that are safe in a signal handler: the process may have stopped anywhere. */
static void restart(int number) {
  pid_t thread = (pid_t)syscall(SYS_gettid), first = 0;
  if (!atomic_compare_exchange_strong(&restarting_thread, &first, thread)) {
    /* Another thread has crashed before this thread. Its exec ends this thread. */
    while (first != thread) pause();
    /* The handler itself has crashed. */
    _exit(128 + number);
  }
  char line[] = "onthemap: crashed with signal 00: restarting\n";
  char *digits = strchr(line, '0');
  digits[0] = (char)('0' + number / 10 % 10);
  digits[1] = (char)('0' + number % 10);
  say(line);
  int crashes = now() - started >= CALM_S ? 1 : crashes_so_far + 1;
  crashes_text[sizeof crashes_text - 2] = (char)('0' + (crashes < CRASHES_MAX ? crashes : CRASHES_MAX));
  /* exec must close all listening sockets, because the next program needs their ports. Do not close them here: libzmq's
   * thread calls abort if its descriptor closes earlier. exec closes them after it has ended the other threads. */
  if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    for (int descriptor = 3; descriptor < DESCRIPTORS_MAX; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  for (int index = 0; index < OTHERS; index++) sigaction(other_signals[index], &other_actions[index], NULL);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  /* The next program inherits this thread's scheduling policy. A thread that hashes passwords has idle priority. Linux
   * lets only root raise it. Without root, the next program keeps the policy. */
  struct sched_param usual = {0};
  sched_setscheduler(0, SCHED_OTHER, &usual);
  execve(program, program_arguments, program_environment);
  say("onthemap: cannot start again\n");
  _exit(128 + number);
}

void otm_restart_when_crashed(const char *path, char *const arguments[], int crashes) {
  size_t count = 0;
  while (environ[count] != NULL) count++;
  program_environment = calloc(count + 2, sizeof *program_environment);
  program = strdup(path);
  if (program_environment == NULL || program == NULL) return;
  /* Copy the environment, because the program may change its own. */
  for (size_t index = 0; index < count; index++) program_environment[index] = strdup(environ[index]);
  program_environment[count] = crashes_text;
  program_arguments = arguments;
  crashes_so_far = crashes;
  started = now();
  sigprocmask(SIG_SETMASK, NULL, &mask);
  for (int index = 0; index < OTHERS; index++) sigaction(other_signals[index], NULL, &other_actions[index]);
  struct sigaction action = {.sa_handler = restart};
  for (size_t index = 0; index < sizeof crash_signals / sizeof *crash_signals; index++) {
    sigaction(crash_signals[index], &action, NULL);
  }
}
