// System calls that Swift's Glibc module lacks: statfs(2), adjtimex(2), eventfd(2) and epoll(7).
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/statfs.h>
#include <sys/timex.h>
