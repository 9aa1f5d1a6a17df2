// libzmq's C API, and functions that Swift's Glibc module lacks: eventfd(2), malloc_trim(3), and prctl(2), whose
// variadic form Swift cannot call.
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <zmq.h>

static inline void otm_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
