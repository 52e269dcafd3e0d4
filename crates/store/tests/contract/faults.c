// Preloaded into a test: writes, syncs and truncations of the test's database fail when the test says so.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What the test says, in a file that both have mapped or written.
struct control {
    _Atomic int after; // How many calls go well first; less than 0: all.
    _Atomic int times; // How many fail then.
    _Atomic int error; // With which errno.
    _Atomic int seen;  // How many there were.
};

static struct control *control;

__attribute__((constructor)) static void open_control(void) {
    const char *name = getenv("LEITAI_STORE_FAULT_FILE");
    int file = name ? open(name, O_RDWR) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) control = mapped;
    close(file);
}

static int fails(int file) {
    char link[64], path[4096];
    if (!control) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, "leitai.db")) return 0;
    int after = control->after, call = atomic_fetch_add(&control->seen, 1);
    if (after < 0 || call < after || call - after >= control->times) return 0;
    errno = control->error;
    return 1;
}

#define NEXT(name) (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAULTY(type, name, arguments, ...)                                                                             \
    type name arguments {                                                                                              \
        static __typeof__(&name) next;                                                                                 \
        if (!next) next = NEXT(name);                                                                                  \
        return fails(file) ? -1 : next(file, ##__VA_ARGS__);                                                           \
    }

FAULTY(ssize_t, write, (int file, const void *from, size_t length), from, length)
FAULTY(ssize_t, pwrite, (int file, const void *from, size_t length, off_t at), from, length, at)
FAULTY(ssize_t, pwrite64, (int file, const void *from, size_t length, off64_t at), from, length, at)
FAULTY(int, fsync, (int file))
FAULTY(int, fdatasync, (int file))
FAULTY(int, ftruncate, (int file, off_t length), length)
FAULTY(int, ftruncate64, (int file, off64_t length), length)
