/* A guard against the assertion `!_io_error` of libzmq 4.3.4 (issues 4364 and 4841). Without it, any peer can end the
 * process.
 *
 * The assertion needs three things. A peer sends more messages than the receive high-water mark (RCVHWM), so the
 * engine stops reading and asks epoll for no events. The peer then resets the connection. epoll reports EPOLLERR and
 * EPOLLHUP even for a descriptor without requested events, and the engine marks itself broken. If the unread bytes hold
 * a PING of ZMTP, or if a heartbeat is due, the engine then tries to write, and the assertion aborts the process. A
 * single connection with 64 bytes is enough, and no socket option prevents it.
 *
 * The guard therefore shows libzmq a reset only where it reads or writes. It removes a descriptor that asks for no
 * events from the epoll set, and adds it again with its next event. It hides EPOLLERR and EPOLLHUP of a readable or
 * writable descriptor. With both EPOLLHUP and EPOLLIN, libzmq reads twice, and may have stopped reading before the
 * second time. The engine gets the error from its own recv or send, and closes the connection as usual.
 *
 * These definitions replace the C library's for the whole program. They change calls from libzmq only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/* The sanitizer has its own definitions, from which it derives the order of events. */
#define OTM_LEAVES_EPOLL_ALONE
#endif
#endif

#ifndef OTM_LEAVES_EPOLL_ALONE

/* The address range of libzmq's code. Empty before the constructor has run. */
static uintptr_t zmq_first, zmq_end;

static int find_zmq(struct dl_phdr_info *library, size_t size, void *known) {
  (void)size;
  for (int index = 0; index < library->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[index];
    uintptr_t first = library->dlpi_addr + part->p_vaddr, end = first + part->p_memsz;
    if (part->p_type != PT_LOAD || (uintptr_t)known < first || (uintptr_t)known >= end) continue;
    zmq_first = first;
    zmq_end = end;
    return 1;
  }
  return 0;
}

__attribute__((constructor)) static void find(void) {
  void *known = dlsym(RTLD_DEFAULT, "zmq_ctx_new");
  if (known != NULL) dl_iterate_phdr(find_zmq, known);
}

static bool is_zmq(void *caller) { return (uintptr_t)caller >= zmq_first && (uintptr_t)caller < zmq_end; }

int epoll_ctl(int set, int operation, int descriptor, struct epoll_event *event) {
  bool guarded = is_zmq(__builtin_return_address(0));
  if (guarded && operation == EPOLL_CTL_MOD && event->events == 0) operation = EPOLL_CTL_DEL;
  int result = (int)syscall(SYS_epoll_ctl, set, operation, descriptor, event);
  if (result == 0 || !guarded || errno != ENOENT) return result;
  /* libzmq requested no events for the descriptor before, so it is not in the set. */
  if (operation == EPOLL_CTL_DEL) return 0;
  return (int)syscall(SYS_epoll_ctl, set, EPOLL_CTL_ADD, descriptor, event);
}

int epoll_wait(int set, struct epoll_event *events, int count, int timeout) {
  int found = epoll_pwait(set, events, count, timeout, NULL);
  if (!is_zmq(__builtin_return_address(0))) return found;
  for (int index = 0; index < found; index++) {
    if (events[index].events & (EPOLLIN | EPOLLOUT)) events[index].events &= ~(uint32_t)(EPOLLERR | EPOLLHUP);
  }
  return found;
}

#endif
