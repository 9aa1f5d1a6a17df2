// Swift's module Glibc lacks this header.
#include <sys/epoll.h>
