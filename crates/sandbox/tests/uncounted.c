/* Processor time and memory of the kernel's that an account may miss: one word, one way. "burn-…" uses BURN milliseconds
   of processor time, no less, says "up" and waits; "hold-…" takes what it gets, says "count N" (objects or bytes) and
   waits. tests/uncounted.rs knows the sums. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BURN = 40 };
static char block[1 << 16];
static void stay(void) {
    for (;;) pause();
}
static void up(void) {
    dprintf(1, "up\n");
    stay();
}
static void count(long n) {
    dprintf(1, "count %ld\n", n);
    stay();
}

/* ---- Processor time. */

static void burn_on(clockid_t clock, double milliseconds) {
    struct timespec from, now;
    clock_gettime(clock, &from);
    do clock_gettime(clock, &now);
    while ((now.tv_sec - from.tv_sec) * 1e3 + (now.tv_nsec - from.tv_nsec) / 1e6 < milliseconds);
}
static void burn(double milliseconds) { burn_on(CLOCK_PROCESS_CPUTIME_ID, milliseconds); }
/* In children that end; nobody hears of it but by the closing of a pipe. */
static void burn_in(int children, int flags) {
    int done[2];
    char byte;
    (void)!pipe(done);
    for (int i = 0; i < children; i++)
        if (syscall(SYS_clone, flags, 0, 0, 0, 0) == 0) burn((double)BURN / children), _exit(0);
    close(done[1]);
    (void)!read(done[0], &byte, 1);
}
static void burn_waited(void) {
    burn_in(1, SIGCHLD);
    wait(NULL);
}
static void burn_unwaited(void) { burn_in(4, SIGCHLD); }
static void burn_ignored(void) {
    signal(SIGCHLD, SIG_IGN);
    burn_in(8, SIGCHLD);
}
static void burn_forgotten(void) {
    struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    sigaction(SIGCHLD, &action, NULL);
    burn_in(8, SIGCHLD);
}
static void burn_silent(void) { burn_in(2, 0); }
static void burn_sibling(void) { burn_in(2, CLONE_PARENT | SIGCHLD); }
static void burn_orphaned(void) {
    int done[2];
    char byte;
    (void)!pipe(done);
    if (fork() == 0) {
        if (fork() == 0) {
            setsid();
            burn(BURN);
        }
        _exit(0);
    }
    close(done[1]);
    wait(NULL);
    (void)!read(done[0], &byte, 1);
}
static void *burn_part(void *unused) {
    burn_on(CLOCK_THREAD_CPUTIME_ID, BURN / 8.0);
    return unused;
}
static void burn_threads(void) {
    pthread_t thread;
    for (int i = 0; i < 8; i++) {
        pthread_create(&thread, NULL, burn_part, NULL);
        pthread_join(thread, NULL);
    }
}
static pthread_t leader;
static void *burn_after_leader(void *unused) {
    pthread_join(leader, NULL);
    burn_on(CLOCK_THREAD_CPUTIME_ID, BURN);
    up();
    return unused;
}
static void burn_leaderless(void) {
    pthread_t thread;
    leader = pthread_self();
    pthread_create(&thread, NULL, burn_after_leader, NULL);
    syscall(SYS_exit, 0);
}
static void burn_switched_off(void) {
    prctl(31 /* PR_TASK_PERF_EVENTS_DISABLE */, 0, 0, 0, 0);
    burn(BURN);
}
static void burn_undumpable(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    burn(BURN);
}
/* Goes on in a file that may be executed and not read, if there is a way to get one. */
static void go_on_in(const char *path, const char *word) {
    char *arguments[] = {(char *)path, (char *)word, NULL};
    if (access(path, R_OK)) execv(path, arguments);
}
static const char *copy_self(int mode) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/copy", getenv("HOME"));
    unlink(path);
    int from = open(getenv("SELF"), O_RDONLY), to = open(path, O_CREAT | O_WRONLY | O_EXCL, mode);
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0) (void)!write(to, block, n);
    close(from);
    close(to);
    return path;
}
static void burn_plain(void) { burn(BURN); }
static void burn_unreadable(void) {
    go_on_in(copy_self(0111), "burn-plain");
    const char *path = copy_self(0555);
    chmod(path, 0111);
    go_on_in(path, "burn-plain");
    syscall(452 /* fchmodat2 */, AT_FDCWD, path, 0111, 0);
    go_on_in(path, "burn-plain");
    /* The access list: the owner executes, group and others read. */
    unsigned list[] = {2, 0x00010001, ~0u, 0x00040004, ~0u, 0x00040020, ~0u};
    setxattr(path, "system.posix_acl_access", list, sizeof list, 0);
    go_on_in(path, "burn-plain");
    umask(0444);
    go_on_in(copy_self(0555), "burn-plain");
    burn(BURN);
}
/* One that the judge's own folders hold. */
static void burn_given(void) {
    go_on_in(getenv("GIVEN"), "burn-plain");
    dprintf(2, "no unreadable file was given\n");
}

/* ---- Memory. */

/* What `take` got in all of eight processes, or of as many as PROCESSES says. */
static void hold_in_all(long (*take)(void)) {
    int told[2], processes = getenv("PROCESSES") ? atoi(getenv("PROCESSES")) : 8;
    long all = 0, one;
    (void)!pipe(told);
    for (int i = 0; i < processes; i++)
        if (fork() == 0) {
            one = take();
            (void)!write(told[1], &one, sizeof one);
            stay();
        }
    for (int i = 0; i < processes; i++)
        if (read(told[0], &one, sizeof one) == sizeof one) all += one;
    count(all);
}
static void hold_pages(void) {
    size_t all = (size_t)256 << 20;
    memset(mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, all);
    count(all);
}
static long pour(int fd) {
    long all = 0;
    ssize_t n;
    while ((n = send(fd, block, sizeof block, MSG_DONTWAIT)) > 0) all += n;
    return all;
}
static void hold_netlink(void) {
    long got = 0;
    for (int protocol = 0; protocol < 32; protocol++) got += socket(AF_NETLINK, SOCK_RAW, protocol) >= 0;
    count(got);
}
static void hold_protocols(void) {
    long got = 0;
    for (int family = 0; family < 48; family++)
        for (int kind = 1; kind <= 10; kind++) {
            int known = family == AF_UNIX || family == AF_INET || family == AF_INET6;
            if (!known) got += socket(family, kind, 0) >= 0;
        }
    int others[] = {1, 2, 33, 41, 58, 132, 136, 255, 262};
    for (int i = 0; i < 9; i++)
        for (int kind = 1; kind <= 5; kind++) got += socket(AF_INET, kind, others[i]) >= 0 || socket(AF_INET6, kind, others[i]) >= 0;
    count(got);
}
static void hold_aio(void) {
    aio_context_t context = 0;
    count(syscall(SYS_io_setup, 4000, &context) == 0);
}
static void hold_filters(void) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, 0x7fff0000};
    struct sock_fprog program = {1, &allow};
    int pair[2] = {-1, -1};
    long got = 0;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    got += syscall(SYS_seccomp, 1, 0, &program) == 0;
    got += prctl(PR_SET_SECCOMP, 2, &program) == 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    got += setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
    unsigned long long handled = 1;
    got += syscall(444 /* landlock_create_ruleset */, &handled, 8, 0) >= 0;
    count(got);
}
static void hold_facilities(void) {
    long got = 0;
    char more[64] = {0};
    timer_t timer;
    got += memfd_create("x", 0) >= 0;
    got += syscall(SYS_userfaultfd, 1) >= 0;
    got += syscall(SYS_bpf, 0, more, 64) >= 0;
    got += syscall(SYS_io_uring_setup, 8, more) >= 0;
    got += syscall(SYS_perf_event_open, more, 0, -1, -1, 0) >= 0;
    got += syscall(SYS_add_key, "user", "x", "x", 1, -3) >= 0;
    got += syscall(SYS_mq_open, "/x", O_CREAT | O_RDWR, 0600, 0) >= 0;
    got += syscall(SYS_shmget, 0, 4096, 0600 | 01000) >= 0;
    got += syscall(SYS_msgget, 0, 0600) >= 0;
    got += syscall(SYS_semget, 0, 1, 0600) >= 0;
    got += syscall(SYS_unshare, CLONE_NEWUSER) == 0;
    got += inotify_init1(0) >= 0;
    got += syscall(SYS_fanotify_init, 0, 0) >= 0;
    got += timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;
    count(got);
}
static void hold_spliced(void) {
    int ends[2];
    struct iovec piece = {mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096};
    (void)!pipe(ends);
    count(vmsplice(ends[1], &piece, 1, 0) > 0);
}
static void hold_attributes(void) {
    int file = open("attributes", O_CREAT | O_RDWR, 0600);
    count(fsetxattr(file, "user.x", block, 1000, 0) == 0);
}
static int thread_of_own_files(void *unused) {
    (void)unused;
    stay();
    return 0;
}
static void hold_thread_files(void) {
    char *stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long got = clone(thread_of_own_files, stack + (1 << 16), CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, NULL) > 0;
    count(got + (syscall(SYS_close_range, ~0u - 1, ~0u, 2 /* CLOSE_RANGE_UNSHARE */) == 0));
}
/* A byte of a page keeps the page, also after its file was cut. */
static void hold_sent_files(void) {
    int pair[2], ends[2], more[2], file = open("sent", O_CREAT | O_RDWR, 0600);
    long got = 0;
    (void)!write(file, block, sizeof block);
    (void)!pipe(ends), (void)!pipe(more);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    got += syscall(SYS_sendfile, pair[0], file, &(off_t){0}, 1L) > 0;
    got += syscall(SYS_splice, file, &(off_t){0}, ends[1], NULL, 1L, 0) > 0;
    (void)!write(ends[1], block, 1);
    got += syscall(SYS_tee, ends[0], more[1], 1L, 0) > 0;
    count(got);
}
static void hold_futexes(void) { count(prctl(78 /* PR_FUTEX_HASH */, 1, 1L << 10, 0, 0) == 0); }
static void hold_locked(void) {
    int file = open(getenv("SELF"), O_RDONLY);
    count(mlock(mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0), 4096) == 0);
}
/* The bytes in one socket, however large its buffer is wished to be. */
static void hold_buffer(void) {
    int pair[2], size = 4 << 20;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size)) count(-1);
    count(pour(pair[0]));
}
static long take_sockets(void) {
    long all = 0;
    for (int pair[2]; !socketpair(AF_UNIX, SOCK_STREAM, 0, pair);) all += pour(pair[0]) + pour(pair[1]);
    return all;
}
static void hold_sockets(void) { hold_in_all(take_sockets); }
/* The same of processes whose first thread has ended. */
static struct { int told; long (*take)(void); } orphan;
static void *take_after_leader(void *unused) {
    pthread_join(leader, NULL);
    long one = orphan.take();
    (void)!write(orphan.told, &one, sizeof one);
    stay();
    return unused;
}
static long take_leaderless(long (*take)(void)) {
    int told[2];
    long all = 0, one;
    (void)!pipe(told);
    for (int i = 0; i < 7; i++)
        if (fork() == 0) {
            pthread_t thread;
            leader = pthread_self();
            orphan.told = told[1], orphan.take = take;
            pthread_create(&thread, NULL, take_after_leader, NULL);
            syscall(SYS_exit, 0);
        }
    for (int i = 0; i < 7; i++)
        if (read(told[0], &one, sizeof one) == sizeof one) all += one;
    return all;
}
static void hold_leaderless_sockets(void) { count(take_leaderless(take_sockets)); }
/* Filled sockets that only a message holds, which nobody reads. */
static void hold_in_flight(void) {
    int way[2], files[250];
    long all = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, way);
    for (;;) {
        int n = 0;
        long some = 0;
        for (; n < 250 && !socketpair(AF_UNIX, SOCK_STREAM, 0, files + n); n += 2) some += pour(files[n]) + pour(files[n + 1]);
        union { struct cmsghdr head; char space[CMSG_SPACE(sizeof files)]; } control = {0};
        struct iovec byte = {"", 1};
        struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(n * sizeof(int))};
        control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof(int))};
        memcpy(CMSG_DATA(&control.head), files, n * sizeof(int));
        int sent = n > 0 && sendmsg(way[0], &message, MSG_DONTWAIT) > 0;
        for (int i = 0; i < n; i++) close(files[i]);
        if (!sent) break;
        all += some;
    }
    count(all);
}
static long take_pipes(void) {
    long all = 0;
    for (int ends[2]; !pipe2(ends, O_NONBLOCK);) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        for (ssize_t n; (n = write(ends[1], block, sizeof block)) > 0;) all += n;
    }
    return all;
}
static void hold_pipes(void) { hold_in_all(take_pipes); }
/* Connections that nobody takes, of clients that are gone. */
static void hold_backlog(void) {
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "listener"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    long all = 0;
    if (bind(listener, (void *)&at, sizeof at) || listen(listener, 4096)) count(0);
    for (int i = 0; i < 300; i++) {
        int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (!connect(client, (void *)&at, sizeof at)) all += pour(client);
        close(client);
    }
    count(all);
}
static void hold_datagrams(void) {
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "receiver"};
    int receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    long all = 0;
    if (receiver < 0 || bind(receiver, (void *)&at, sizeof at)) count(0);
    for (int i = 0; i < 50; i++) {
        int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
        if (!connect(sender, (void *)&at, sizeof at)) all += pour(sender);
        close(sender);
    }
    count(all);
}
static long take_watches(void) {
    int polls[24], some = 0, others = 0, files[24];
    long all = 0;
    while (some < 24 && (polls[some] = epoll_create1(0)) >= 0) some++;
    while (others < 24 && (files[others] = dup(1)) >= 0) others++;
    for (int i = 0; i < some; i++)
        for (int j = 0; j < others; j++) {
            struct epoll_event event = {.events = EPOLLOUT};
            all += !epoll_ctl(polls[i], EPOLL_CTL_ADD, files[j], &event);
        }
    return all * 200;
}
static void hold_watches(void) { hold_in_all(take_watches); }
static long take_mappings(void) {
    long all = 0;
    while (all < 30000 && mmap(NULL, 4096, all & 1 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) all++;
    return all;
}
static void hold_mappings(void) { hold_in_all(take_mappings); }
static void hold_leaderless_mappings(void) { count(take_leaderless(take_mappings)); }
/* Shared memory of 64 MiB that no page table shows; with `unmap` no mapping either, but for one page. */
static void hold_shared(int unmap) {
    size_t all = (size_t)64 << 20, piece = 1 << 20;
    char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; at < all; at += piece) {
        memset(memory + at, 1, piece);
        if (unmap) munmap(memory + (at ? at : 4096), piece - (at ? 0 : 4096));
        else madvise(memory + at, piece, MADV_DONTNEED);
    }
    count(all);
}
static void hold_shared_dropped(void) { hold_shared(0); }
static void hold_shared_unmapped(void) { hold_shared(1); }
static void hold_signals(void) {
    sigset_t all;
    long got = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    while (got < 100000 && !sigqueue(getpid(), SIGRTMIN, (union sigval){0})) got++;
    count(got);
}
/* Locks are looked through one by one, so their number is bounded by time: here by 100 ms. */
static void hold_locks(void) {
    int file = open("locks", O_CREAT | O_RDWR, 0600);
    long got = 0;
    struct timespec now = {0};
    while (now.tv_sec == 0 && now.tv_nsec < 100000000) {
        struct flock lock = {.l_type = F_WRLCK, .l_start = 2 * got, .l_len = 1};
        if (fcntl(file, F_SETLK, &lock)) break;
        got++;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    }
    count(got * 216);
}

static const struct { const char *word; void (*way)(void); } WORDS[] = {
    {"burn-plain", burn_plain}, {"burn-waited", burn_waited}, {"burn-unwaited", burn_unwaited}, {"burn-ignored", burn_ignored},
    {"burn-forgotten", burn_forgotten}, {"burn-silent", burn_silent}, {"burn-sibling", burn_sibling},
    {"burn-orphaned", burn_orphaned}, {"burn-threads", burn_threads}, {"burn-leaderless", burn_leaderless},
    {"burn-switched-off", burn_switched_off}, {"burn-undumpable", burn_undumpable}, {"burn-unreadable", burn_unreadable},
    {"burn-given", burn_given}, {"hold-netlink", hold_netlink}, {"hold-protocols", hold_protocols}, {"hold-aio", hold_aio},
    {"hold-filters", hold_filters}, {"hold-facilities", hold_facilities}, {"hold-spliced", hold_spliced},
    {"hold-sent-files", hold_sent_files}, {"hold-futexes", hold_futexes}, {"hold-locked", hold_locked},
    {"hold-leaderless-sockets", hold_leaderless_sockets}, {"hold-leaderless-mappings", hold_leaderless_mappings},
    {"hold-attributes", hold_attributes}, {"hold-thread-files", hold_thread_files}, {"hold-buffer", hold_buffer},
    {"hold-pages", hold_pages}, {"hold-in-flight", hold_in_flight}, {"hold-sockets", hold_sockets}, {"hold-pipes", hold_pipes}, {"hold-backlog", hold_backlog},
    {"hold-datagrams", hold_datagrams}, {"hold-watches", hold_watches}, {"hold-mappings", hold_mappings},
    {"hold-shared-dropped", hold_shared_dropped}, {"hold-shared-unmapped", hold_shared_unmapped},
    {"hold-signals", hold_signals}, {"hold-locks", hold_locks},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof WORDS / sizeof *WORDS; i++)
        if (!strcmp(WORDS[i].word, argv[1])) {
            WORDS[i].way();
            up();
        }
    fprintf(stderr, "no such word\n");
    return 2;
}
