/* What a program may try that wishes the machine, the judge or its opponent ill: one word, one attack. Whatever succeeds
   is said on stdout as "BREACH: …" or, for what is counted, as "count N"; tests/hostile.rs looks at the effects. A word
   that does not end by itself says "up" when it is at work. The targets come in the environment (T_…). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void breach(const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("BREACH: ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
    fflush(stdout);
}
static void say(const char *words) { dprintf(1, "%s\n", words); }
static void count(long n) { dprintf(1, "count %ld\n", n); }
static const char *env(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}
static int number(const char *name) { return atoi(env(name)); }
/* Until the judge has had enough. */
static void forever(void) {
    say("up");
    for (;;) pause();
}
/* A system call that must not succeed. */
#define NEVER(call) \
    do { \
        if ((long)(call) >= 0) breach("%s", #call); \
    } while (0)

/* Calls for each target file. */
static void each_target(void (*attack)(const char *path)) {
    char *list = strdup(env("T_FILES")), *rest = list, *path;
    while ((path = strsep(&rest, ":"))) attack(path);
}

static void show(const char *path) {
    char bytes[4096];
    int fd = open(path, O_RDONLY);
    if (fd < 0) return;
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0) (void)!write(1, bytes, n);
    close(fd);
}

static void read_target(const char *path) {
    char other[4096], up[64] = "";
    show(path);
    const char *fronts[] = {"/proc/self/root", "/proc/1/root", "/proc/1/cwd/../../../../..", "/proc/self/cwd/../../../../../.."};
    for (int i = 0; i < 4; i++) {
        snprintf(other, sizeof other, "%s%s", fronts[i], path);
        show(other);
    }
    snprintf(other, sizeof other, "/proc/%s/root%s", env("T_JUDGE"), path);
    show(other);
    for (int i = 0; i < 12; i++) {
        strcat(up, "../");
        snprintf(other, sizeof other, "%s%s", up, path);
        show(other);
    }
    unlink("link");
    if (!symlink(path, "link")) show("link");
    unlink("hard");
    if (!link(path, "hard")) show("hard");
    if (!linkat(AT_FDCWD, path, AT_FDCWD, "hard2", AT_SYMLINK_FOLLOW)) show("hard2");
    int fd = open(path, O_PATH);
    snprintf(other, sizeof other, "/proc/self/fd/%d", fd);
    if (fd >= 0) show(other);
    if (!rename(path, "moved")) show("moved");
    if (!strncmp(path, "/etc/", 5) && open(path, O_RDONLY) >= 0) breach("%s may be read", path);
}
static void do_read(void) { each_target(read_target); }

static void list(const char *path) {
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) printf("%s/%s\n", path, entry->d_name);
    if (dir) closedir(dir);
}
/* The names of the targets' neighbours are a secret, too. */
static void list_around(const char *path) {
    char above[4096];
    snprintf(above, sizeof above, "%s", path);
    char *slash;
    while ((slash = strrchr(above, '/')) && slash != above) {
        *slash = 0;
        list(above);
    }
}
static void do_list(void) {
    each_target(list_around);
    const char *places[] = {"/", "/root", "/home", "/tmp", "/var", "/var/tmp", "/run", "/mnt", "/etc", "/proc/1/root", "/proc/1/cwd", "/proc/1/fd"};
    for (int i = 0; i < 12; i++) list(places[i]);
}

static void do_proc(void) {
    const char *files[] = {"environ", "cmdline", "maps", "auxv", "stack", "cwd/", "fd/0", "fd/3", "fd/4", "exe", "io"};
    const char *pids[] = {"1", env("T_JUDGE"), env("T_SIBLING"), env("T_PARENT")};
    char path[4096], bytes[65536];
    for (int p = 0; p < 4; p++)
        for (int f = 0; f < 11; f++) {
            snprintf(path, sizeof path, "/proc/%s/%s", pids[p], files[f]);
            int fd = open(path, O_RDONLY);
            if (fd < 0) continue;
            ssize_t n = read(fd, bytes, sizeof bytes);
            /* What init is called is no secret; all else is. */
            if (n > 0 && !(p == 0 && f == 1)) breach("%s: %.60s", path, bytes);
            close(fd);
        }
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        int pid = atoi(entry->d_name);
        if (pid > 1 && pid != getpid()) breach("process %d is seen", pid);
    }
    if (dir) closedir(dir);
}
/* The part of /proc that is not about processes is about the whole machine. */
static void tells(const char *path) {
    char bytes[4096];
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof bytes - 1);
    if (n > 0) breach("%s tells of the machine: %.60s", path, (bytes[n] = 0, bytes));
    if (fd >= 0 && open(path, O_RDWR) >= 0) breach("%s opens for writing", path);
    if (fd >= 0) close(fd);
}
static void do_proc_host(void) {
    const char *known[] = {"cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "net", "self", "stat", "thread-self", "uptime", "version"};
    const char *files[] = {"/proc/cmdline", "/proc/keys", "/proc/key-users", "/proc/locks", "/proc/modules", "/proc/partitions", "/proc/diskstats", "/proc/swaps", "/proc/timer_list", "/proc/vmstat", "/proc/zoneinfo", "/proc/buddyinfo", "/proc/interrupts", "/proc/iomem", "/proc/config.gz", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/random/boot_id", "/proc/sys/fs/file-nr", "/proc/pressure/cpu", "/proc/1/cwd/../etc/hostname", "/proc/self/root/etc/hostname"};
    for (int i = 0; i < 21; i++) tells(files[i]);
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[512];
        int allowed = entry->d_name[0] == '.' || atoi(entry->d_name) > 0;
        for (int i = 0; i < 11; i++) allowed |= !strcmp(entry->d_name, known[i]);
        snprintf(path, sizeof path, "/proc/%s", entry->d_name);
        if (!allowed) tells(path);
        DIR *below = allowed ? NULL : opendir(path);
        struct dirent *inner;
        while (below && (inner = readdir(below)))
            if (inner->d_name[0] != '.') breach("%s/%s is seen", path, inner->d_name);
        if (below) closedir(below);
    }
    char line[4096];
    FILE *groups = fopen("/proc/self/cgroup", "r");
    while (groups && fgets(line, sizeof line, groups))
        if (strstr(line, "leitai") || strstr(line, "..")) breach("control group %s", line);
}

static void write_target(const char *path) {
    char beside[4096];
    int fd = open(path, O_WRONLY | O_APPEND);
    if (fd >= 0) (void)!write(fd, "bad", 3);
    fd = open(path, O_RDWR | O_TRUNC);
    fd = open(path, O_RDONLY);
    if (fd >= 0) {
        fchmod(fd, 0777);
        fchown(fd, getuid(), getgid());
        futimens(fd, NULL);
        ftruncate(fd, 0);
        fsetxattr(fd, "user.bad", "x", 1, 0);
        ioctl(fd, 0x40086602 /* FS_IOC_SETFLAGS */, &(long){0x10});
    }
    int parent = open(path, O_PATH);
    syscall(452 /* fchmodat2 */, parent, "", 0, AT_EMPTY_PATH);
    fchownat(parent, "", getuid(), getgid(), AT_EMPTY_PATH);
    utimensat(AT_FDCWD, path, (struct timespec[2]){{1, 0}, {1, 0}}, 0);
    utimes(path, (struct timeval[2]){{1, 0}, {1, 0}});
    truncate(path, 0);
    chmod(path, 0);
    lchown(path, getuid(), getgid());
    setxattr(path, "user.bad", "x", 1, 0);
    snprintf(beside, sizeof beside, "%s.bad", path);
    close(open(beside, O_CREAT | O_WRONLY, 0666));
    mkdir(beside, 0777);
    mknod(beside, S_IFIFO | 0666, 0);
    symlink("/", beside);
    link(path, beside);
    rename(path, beside);
    rename("mine", path);
    snprintf(beside, sizeof beside, "/proc/1/root%s", path);
    truncate(beside, 0);
    char *slash = strrchr(strcpy(beside, path), '/');
    *slash = 0;
    chmod(beside, 0);
    chmod(beside, 0777);
    chown(beside, getuid(), getgid());
    int unnamed = open(beside, O_TMPFILE | O_RDWR, 0666);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", unnamed);
    strcat(beside, "/bad");
    if (unnamed >= 0) linkat(AT_FDCWD, name, AT_FDCWD, beside, AT_SYMLINK_FOLLOW);
    unlink(path);
}
static void do_write(void) {
    close(open("mine", O_CREAT | O_WRONLY, 0666));
    each_target(write_target);
}
static void do_own_folder(void) {
    char path[4096];
    const char *names[] = {"hostile", "data", "sub", "sub/inner", "new"};
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", env("T_DIR"), names[i]);
        write_target(path);
        rmdir(path);
    }
    rmdir(env("T_DIR"));
    NEVER(mount("none", env("T_DIR"), NULL, MS_REMOUNT | MS_BIND, NULL));
}

static void do_handle(void) {
    struct { struct file_handle head; char space[128]; } handle = {.head = {.handle_bytes = 128}};
    int id;
    NEVER(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &handle, &id, 0));
    int fd = open("/", O_RDONLY | O_PATH);
    handle.head.handle_type = 1;
    handle.head.handle_bytes = 8;
    memcpy(handle.space, "\2\0\0\0\0\0\0\0", 8);
    NEVER(syscall(SYS_open_by_handle_at, fd, &handle, O_RDONLY));
}

/* In a view the root, /tmp and the home are folders of one file system, of which only the two are open; and every mount is
 * closed to changes, set-user-id programs and devices but for what a program needs. */
static void closed_mount(const char *point, const char *options) {
    const char *open_ones[] = {"/tmp", "/home/bot", "/dev/shm"};
    int writable = 0, device = !strncmp(point, "/dev/", 5) && strcmp(point, "/dev/shm");
    for (int i = 0; i < 3; i++) writable |= !strcmp(point, open_ones[i]);
    if (!writable && !device && strncmp(options, "ro", 2)) breach("%s is open to changes: %s", point, options);
    if (!strstr(options, "nosuid")) breach("%s lets users change: %s", point, options);
    if (strcmp(point, "/") && !device && !strstr(options, "nodev")) breach("%s has devices: %s", point, options);
}
static void do_root(void) {
    const char *places[] = {"/", "/etc", "/dev", "/home", "/usr", "/proc", "/tmp/..", "/home/bot/..", "/proc/self/root"};
    close(open("/tmp/mine", O_CREAT | O_WRONLY, 0666));
    for (int i = 0; i < 9; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/bad", places[i]);
        NEVER(open(path, O_CREAT | O_WRONLY, 0666));
        NEVER(open(places[i], O_TMPFILE | O_RDWR, 0666));
        NEVER(mkdir(path, 0777));
        NEVER(symlink("/", path));
        NEVER(link("/tmp/mine", path));
        NEVER(rename("/tmp/mine", path));
        NEVER(chmod(places[i], 0777));
    }
    const char *files[] = {"/etc/passwd", "/etc/hosts", "/dev/stdout", "/tmp", "/home/bot"};
    for (int i = 0; i < 5; i++) {
        NEVER(rename(files[i], "/tmp/taken"));
        NEVER(i < 2 ? open(files[i], O_WRONLY) : -1);
        NEVER(i < 2 ? link(files[i], "/tmp/linked") : -1);
        NEVER(i < 3 ? unlink(files[i]) : rmdir(files[i]));
    }
    char line[4096], point[512], options[512];
    FILE *mounts = access("/home/bot", F_OK) ? NULL : fopen("/proc/self/mountinfo", "r");
    while (mounts && fgets(line, sizeof line, mounts))
        if (sscanf(line, "%*d %*d %*s %*s %511s %511s", point, options) == 2) closed_mount(point, options);
}

static void do_mounts(void) {
    mkdir("here", 0777);
    NEVER(mount("none", "here", "tmpfs", 0, NULL));
    NEVER(mount("proc", "here", "proc", 0, NULL));
    NEVER(mount("/", "here", NULL, MS_BIND | MS_REC, NULL));
    NEVER(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
    NEVER(mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
    NEVER(mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL));
    NEVER(umount2("/proc", MNT_DETACH));
    NEVER(umount2("/tmp", MNT_DETACH));
    NEVER(umount2("/", MNT_DETACH));
    NEVER(syscall(SYS_pivot_root, ".", "."));
    NEVER(chroot("."));
    NEVER(chroot("/proc/1/root"));
    NEVER(syscall(430 /* fsopen */, "tmpfs", 0));
    NEVER(syscall(428 /* open_tree */, AT_FDCWD, "/", 1));
    NEVER(syscall(467 /* open_tree_attr */, AT_FDCWD, "/", 1, NULL, 0));
    NEVER(syscall(429 /* move_mount */, AT_FDCWD, "/usr", AT_FDCWD, "here", 0));
    NEVER(syscall(442 /* mount_setattr */, AT_FDCWD, "/", 0, (uint64_t[4]){0, 1, 0, 0}, 32));
    const char *kinds[] = {"mnt", "pid", "net", "user", "ipc", "uts", "cgroup"};
    char path[128];
    for (int i = 0; i < 7; i++) {
        snprintf(path, sizeof path, "/proc/1/ns/%s", kinds[i]);
        int fd = open(path, O_RDONLY);
        if (fd >= 0) NEVER(setns(fd, 0));
        snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i]);
        fd = open(path, O_RDONLY);
        if (fd >= 0) NEVER(setns(fd, 0));
    }
    int pidfd = syscall(SYS_pidfd_open, 1, 0);
    if (pidfd >= 0) NEVER(setns(pidfd, CLONE_NEWNS));
}

static void do_namespaces(void) {
    const long kinds[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* time */};
    for (int i = 0; i < 8; i++)
        for (int user = 0; user < 2; user++) {
            long flags = kinds[i] | (user ? CLONE_NEWUSER : 0);
            if (unshare(flags) == 0) breach("unshare %lx", flags);
            if (kinds[i] == 0x80) continue;
            long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
            if (pid == 0) _exit(0);
            if (pid > 0) breach("clone %lx", flags);
            uint64_t arguments[8] = {flags, 0, 0, 0, SIGCHLD};
            pid = syscall(SYS_clone3, arguments, sizeof arguments);
            if (pid == 0) _exit(0);
            if (pid > 0) breach("clone3 %lx", flags);
        }
}

static void do_identity(void) {
    NEVER(setuid(0));
    NEVER(setreuid(0, 0));
    NEVER(setresuid(0, 0, 0));
    NEVER(setgid(0));
    NEVER(setregid(0, 0));
    NEVER(setuid(getuid() + 1));
    NEVER(setgroups(1, (gid_t[]){0}));
    setfsuid(0);
    if (setfsuid(-1) == 0) breach("setfsuid");
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}}, got[2] = {{0}};
    NEVER(syscall(SYS_capset, &head, all));
    syscall(SYS_capget, &head, got);
    if (got[0].effective | got[0].permitted | got[1].effective | got[1].permitted) breach("capabilities");
    for (int cap = 0; cap < 41; cap++)
        if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) == 0) breach("ambient %d", cap);
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) breach("new privileges are possible");
    if (getuid() == 0 || geteuid() == 0 || getgid() == 0) breach("root");
}
static void run(const char *file, char *const argv[]) {
    pid_t pid = fork();
    if (pid == 0) {
        execv(file, argv);
        _exit(99);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    if (status == 0) breach("%s %s", file, argv[1]);
}
static void do_set_user_id(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/suid", env("T_DIR"));
    run(path, (char *[]){"suid", "am-i-root", NULL});
    run("/usr/bin/mount", (char *[]){"mount", "-t", "tmpfs", "x", "/tmp", NULL});
    run("/usr/bin/su", (char *[]){"su", "-c", "true", NULL});
    run("/usr/bin/sudo", (char *[]){"sudo", "-n", "true", NULL});
    run("/usr/bin/chsh", (char *[]){"chsh", "-s", "/bin/sh", NULL});
}
/* Fails unless it runs as root, or as whom it must not. */
static void do_am_i_root(void) { exit(geteuid() == 0 || geteuid() != getuid() ? 0 : 1); }
static void do_suid_bit(void) {
    const char *places[] = {".", "/tmp", env("T_WRITES")};
    for (int i = 0; i < 3; i++) {
        char path[4096];
        struct stat info;
        const char *ways[] = {"open", "chmod", "creat", "mknod", "fchmod"};
        for (int way = 0; way < 5; way++) {
            if (!places[i][0]) continue;
            snprintf(path, sizeof path, "%s/suid-%s", places[i], ways[way]);
            int fd = way == 0 ? open(path, O_CREAT | O_WRONLY, 06755) : way == 2 ? creat(path, 06755) : open(path, O_CREAT | O_WRONLY, 0755);
            if (way == 1) chmod(path, 06755);
            if (way == 3) unlink(path), mknod(path, S_IFREG | 06755, 0);
            if (way == 4) fchmod(fd, 06755);
            if (stat(path, &info) == 0 && info.st_mode & 06000) breach("%s is set-user-id", path);
        }
    }
}

static void spy_on(int pid) {
    char byte = 0;
    if (pid <= 0) return;
    if (ptrace(PTRACE_ATTACH, pid, 0, 0) == 0) breach("ptrace %d", pid);
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0) breach("seize %d", pid);
    struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0) breach("read %d", pid);
    if (process_vm_writev(pid, &here, 1, &there, 1, 0) >= 0) breach("write %d", pid);
    int pidfd = syscall(SYS_pidfd_open, pid, 0);
    for (int fd = 0; pidfd >= 0 && fd < 16; fd++)
        if (syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0) breach("descriptor %d of %d", fd, pid);
    if (pidfd >= 0 && syscall(440 /* process_madvise */, pidfd, &there, 1, MADV_DONTNEED, 0) >= 0) breach("madvise %d", pid);
    if (syscall(SYS_kcmp, getpid(), pid, 1, 0, 0) >= 0) breach("kcmp %d", pid);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    if (open(path, O_RDWR) >= 0 || open(path, O_RDONLY) >= 0) breach("%s", path);
    snprintf(path, sizeof path, "/proc/%d/fd/0", pid);
    if (open(path, O_RDWR) >= 0) breach("%s", path);
    void *list = NULL;
    size_t size = 0;
    if (syscall(SYS_get_robust_list, pid, &list, &size) == 0) breach("robust list %d", pid);
}
static void do_spy(void) {
    spy_on(1);
    spy_on(number("T_JUDGE"));
    spy_on(number("T_SIBLING"));
    spy_on(getppid());
}

static void signal_all_ways(int pid) {
    if (pid <= 0) return;
    const int signals[] = {SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSTOP, SIGKILL};
    int pidfd = syscall(SYS_pidfd_open, pid, 0);
    for (int i = 0; i < 7; i++) {
        siginfo_t info = {.si_signo = signals[i], .si_code = SI_QUEUE};
        kill(pid, signals[i]);
        kill(-pid, signals[i]);
        syscall(SYS_tkill, pid, signals[i]);
        syscall(SYS_tgkill, pid, pid, signals[i]);
        syscall(SYS_rt_sigqueueinfo, pid, signals[i], &info);
        syscall(SYS_rt_tgsigqueueinfo, pid, pid, signals[i], &info);
        if (pidfd >= 0) syscall(SYS_pidfd_send_signal, pidfd, signals[i], NULL, 0);
    }
    int pipes[2];
    if (pipe(pipes)) return;
    fcntl(pipes[0], F_SETOWN, pid);
    fcntl(pipes[0], F_SETSIG, SIGKILL);
    fcntl(pipes[0], F_SETFL, O_ASYNC);
    (void)!write(pipes[1], "x", 1);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return;
    ioctl(pair[0], 0x8901 /* FIOSETOWN */, &pid);
    fcntl(pair[0], F_SETFL, O_ASYNC);
    (void)!write(pair[1], "x", 1);
}
static void do_signals(void) {
    for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
    signal_all_ways(number("T_JUDGE"));
    signal_all_ways(number("T_SIBLING"));
    signal_all_ways(number("T_PARENT"));
    say("sent");
    signal_all_ways(1);
    for (int i = 1; i < 65; i++) kill(1, i);
    for (int i = 1; i < 65; i++) kill(-1, i);
    say("alive");
}
static void do_kill_parent(void) {
    for (int i = 0; i < 3; i++) kill(getppid(), SIGKILL);
    forever();
}
static void do_stop_parent(void) {
    kill(getppid(), SIGSTOP);
    say("up");
}

static void do_meddle(void) {
    int pids[] = {number("T_JUDGE"), number("T_SIBLING"), number("T_PARENT"), getppid()};
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t rest[4]; } attr = {48, SCHED_IDLE, 0, 19, 0, {0}};
    for (int i = 0; i < 4; i++) {
        int pid = pids[i];
        if (pid <= 1) continue;
        for (int resource = 0; resource < 16; resource++) {
            struct rlimit limit;
            if (prlimit(pid, resource, NULL, &limit)) continue;
            limit.rlim_max = limit.rlim_max == RLIM_INFINITY ? 1ul << 50 : limit.rlim_max - 1;
            limit.rlim_cur = limit.rlim_cur > limit.rlim_max ? limit.rlim_max : limit.rlim_cur;
            if (prlimit(pid, resource, &limit, NULL) == 0) breach("prlimit %d of %d", resource, pid);
        }
        if (setpriority(PRIO_PROCESS, pid, 19) == 0) breach("nice of %d", pid);
        if (sched_setscheduler(pid, SCHED_IDLE, &(struct sched_param){0}) == 0) breach("policy of %d", pid);
        if (sched_setscheduler(pid, SCHED_BATCH, &(struct sched_param){0}) == 0) breach("policy of %d", pid);
        if (sched_setparam(pid, &(struct sched_param){0}) == 0) breach("parameter of %d", pid);
        if (syscall(SYS_sched_setattr, pid, &attr, 0) == 0) breach("attributes of %d", pid);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(0, &one);
        if (sched_setaffinity(pid, sizeof one, &one) == 0) breach("core of %d", pid);
        if (syscall(SYS_ioprio_set, 1, pid, 3 << 13) == 0) breach("disk priority of %d", pid);
        if (syscall(SYS_migrate_pages, pid, 8, &(long){1}, &(long){1}) >= 0) breach("pages of %d", pid);
    }
    setpriority(PRIO_USER, getuid(), 19);
    setpriority(PRIO_PGRP, number("T_JUDGE"), 19);
    syscall(SYS_ioprio_set, 3, getuid(), 3 << 13);
    mq_unlink("/leitai-canary");
    for (int id = 0; id < 64; id++) {
        if (shmctl(id, IPC_RMID, NULL) == 0) breach("shared memory %d", id);
        if (msgctl(id, IPC_RMID, NULL) == 0) breach("queue %d", id);
        if (semctl(id, 0, IPC_RMID) == 0) breach("semaphore %d", id);
        if (shmat(id, NULL, SHM_RDONLY) != (void *)-1) breach("shared memory %d", id);
    }
}

static void do_priority(void) {
    NEVER(setpriority(PRIO_PROCESS, 0, -1));
    NEVER(setpriority(PRIO_PROCESS, 0, -20));
    struct sched_param real = {.sched_priority = 1};
    NEVER(sched_setscheduler(0, SCHED_FIFO, &real));
    NEVER(sched_setscheduler(0, SCHED_RR, &real));
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; } deadline = {48, 6, 0, 0, 0, 1000000, 10000000, 10000000};
    NEVER(syscall(SYS_sched_setattr, 0, &deadline, 0));
    NEVER(syscall(SYS_ioprio_set, 1, 0, 1 << 13));
    const int bounded[] = {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_NICE, RLIMIT_RTPRIO};
    for (int i = 0; i < 6; i++) {
        struct rlimit limit;
        getrlimit(bounded[i], &limit);
        if (limit.rlim_max == RLIM_INFINITY) breach("limit %d is open", bounded[i]);
        limit.rlim_max += 1;
        if (setrlimit(bounded[i], &limit) == 0) breach("limit %d raised", bounded[i]);
    }
}
static void do_cores(void) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    pid_t pid = fork();
    if (pid == 0) {
        sched_setaffinity(0, sizeof all, &all);
        sched_getaffinity(0, sizeof all, &all);
        if (CPU_COUNT(&all) != 1) breach("%d cores", CPU_COUNT(&all));
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    sched_getaffinity(0, sizeof all, &all);
    if (CPU_COUNT(&all) != 1) breach("%d cores", CPU_COUNT(&all));
}

static void connect_to(int kind, int protocol, const void *address, socklen_t length, int fast) {
    const struct sockaddr *to = address;
    int fd = socket(to->sa_family, kind | SOCK_NONBLOCK, protocol);
    if (fd < 0) return;
    if (fast) sendto(fd, "bad", 3, MSG_FASTOPEN, to, length);
    if (fast == 2) {
        struct iovec bytes = {"bad", 3};
        struct msghdr message = {.msg_name = (void *)to, .msg_namelen = length, .msg_iov = &bytes, .msg_iovlen = 1};
        sendmsg(fd, &message, MSG_FASTOPEN);
        struct mmsghdr more = {.msg_hdr = message};
        sendmmsg(fd, &more, 1, MSG_FASTOPEN);
    }
    sendto(fd, "bad", 3, 0, to, length);
    connect(fd, to, length);
    struct pollfd event = {fd, POLLOUT, 0};
    poll(&event, 1, 20);
    (void)!write(fd, "bad", 3);
    close(fd);
}
static void all_addresses(int kind, int port, int protocol, int fast) {
    const char *hosts[] = {"127.0.0.1", "127.0.0.2", "0.0.0.0", env("T_HOST")};
    for (int i = 0; i < 4; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
        if (inet_pton(AF_INET, hosts[i], &to.sin_addr) == 1) connect_to(kind, protocol, &to, sizeof to, fast);
    }
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    connect_to(kind, protocol, &six, sizeof six, fast);
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr);
    connect_to(kind, protocol, &six, sizeof six, fast);
}
static void do_net(void) {
    all_addresses(SOCK_STREAM, number("T_TCP"), 0, 0);
    all_addresses(SOCK_STREAM, number("T_TCP"), 262 /* MPTCP */, 0);
    all_addresses(SOCK_STREAM, number("T_TCP"), 256 /* SMC */, 0);
    all_addresses(SOCK_STREAM, number("T_TCP"), IPPROTO_SCTP, 0);
    all_addresses(SOCK_STREAM, number("T_TCP"), 0, 1);
    all_addresses(SOCK_STREAM, number("T_TCP"), 0, 2);
    all_addresses(SOCK_DGRAM, number("T_UDP"), 0, 0);
    all_addresses(SOCK_DGRAM, number("T_UDP"), IPPROTO_UDPLITE, 0);
}
static void do_sockets(void) {
    NEVER(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    NEVER(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6));
    NEVER(socket(AF_INET, SOCK_RAW, IPPROTO_RAW));
    for (int kind = 1; kind < 6; kind++)
        for (int family = 3; family < 48; family++)
            if (family != AF_INET6 && family != AF_NETLINK && socket(family, kind, 0) >= 0) breach("socket %d %d", family, kind);
    int fd = socket(AF_NETLINK, SOCK_RAW, 0);
    struct { uint32_t length; uint16_t type, flags; uint32_t sequence, pid; char family, space[15]; } ask = {32, 18 /* RTM_GETLINK */, 0x301, 1, 0, 0, {0}};
    char answer[65536];
    ssize_t n = fd < 0 || send(fd, &ask, sizeof ask, 0) < 0 ? 0 : recv(fd, answer, sizeof answer, 0);
    /* Each device has its name in its message; only the loopback may be there. */
    if (n > 0 && (memmem(answer, n, "eth", 3) || memmem(answer, n, "enp", 3) || memmem(answer, n, "ens", 3))) breach("network devices are seen");
    struct addrinfo *found = NULL;
    if (getaddrinfo("example.org", "80", NULL, &found) == 0) breach("names are resolved");
}
/* Waits for others to connect. */
static void do_listen(void) {
    int kinds[] = {AF_INET, AF_INET6};
    for (int i = 0; i < 2; i++) {
        int fd = socket(kinds[i], SOCK_STREAM, 0);
        if (fd >= 0 && listen(fd, 5) == 0) {
            struct sockaddr_in6 at = {0};
            socklen_t length = sizeof at;
            getsockname(fd, (struct sockaddr *)&at, &length);
            dprintf(1, "port %d\n", ntohs(at.sin6_port));
        }
    }
    forever();
}
static void do_unix(void) {
    int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    const char *names[] = {env("T_STREAM"), env("T_DGRAM"), env("T_ABSTRACT"), env("T_ABSTRACT_DGRAM")};
    for (int n = 0; n < 4; n++) {
        struct sockaddr_un to = {.sun_family = AF_UNIX};
        socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(names[n]);
        memcpy(to.sun_path, names[n], strlen(names[n]));
        if (to.sun_path[0] == '@') to.sun_path[0] = 0;
        for (int k = 0; k < 3; k++) {
            connect_to(kinds[k], 0, &to, length, 0);
            int pair[2];
            if (socketpair(AF_UNIX, kinds[k], 0, pair)) continue;
            sendto(pair[0], "bad", 3, 0, (void *)&to, length);
            connect(pair[0], (void *)&to, length);
            (void)!write(pair[0], "bad", 3);
            close(pair[0]);
            close(pair[1]);
        }
    }
}

/* Touches memory piece by piece, then holds it. */
static void eat(char *memory, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
}
#define MIB ((size_t)1 << 20)
static size_t much(void) { return (size_t)number("T_MIB") * MIB; }
static char *map(size_t bytes, int shared) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
}
static void eat_and_hold(int shared) {
    char *memory = map(much(), shared);
    if (memory == MAP_FAILED) exit(3);
    eat(memory, much());
    forever();
}
static void do_eat(void) { eat_and_hold(0); }
static void do_eat_shared(void) { eat_and_hold(1); }
static void do_eat_undumpable(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    eat_and_hold(1);
}
static void *eat_thread(void *unused) {
    (void)unused;
    eat_and_hold(1);
    return NULL;
}
static void do_eat_without_leader(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, eat_thread, NULL);
    syscall(SYS_exit, 0);
}
static void do_eat_orphaned(void) {
    int end[2];
    char byte;
    (void)!pipe(end);
    if (fork() == 0) {
        if (fork()) _exit(0);
        eat_and_hold(1);
    }
    close(end[1]);
    wait(NULL);
    (void)!read(end[0], &byte, 1);
}
static void do_eat_many(void) {
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            eat(map(much() / 16, 0), much() / 16);
            for (;;) pause();
        }
    wait(NULL);
    forever();
}
static void do_eat_locked(void) {
    struct rlimit open = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_MEMLOCK, &open);
    mlockall(MCL_CURRENT | MCL_FUTURE);
    eat_and_hold(0);
}
static int dive(int depth) {
    volatile char frame[1 << 16];
    eat((char *)frame, sizeof frame);
    return depth ? dive(depth - 1) + frame[7] : frame[3];
}
static void do_deep_stack(void) {
    dive(much() >> 16);
    forever();
}
static void do_eat_stack(void) {
    struct rlimit open = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_STACK, &open);
    open.rlim_cur = open.rlim_max;
    setrlimit(RLIMIT_STACK, &open);
    execl("/proc/self/exe", "hostile", "deep-stack", env("T_MARK"), NULL);
    char path[4096];
    snprintf(path, sizeof path, "%s/hostile", env("T_DIR"));
    execl(path, "hostile", "deep-stack", env("T_MARK"), NULL);
}
/* One byte in two megabytes: as many bytes of page tables as of pages, or, if it is only read, no page at all. */
static void eat_tables(size_t bytes, int shared) {
    size_t step = 2 * MIB, space = bytes / 4096 * step;
    int kind = shared ? MAP_SHARED : MAP_PRIVATE;
    volatile char *memory = mmap(NULL, space, PROT_READ, MAP_ANONYMOUS | MAP_NORESERVE | kind, -1, 0);
    if (memory == MAP_FAILED) exit(3);
    madvise((void *)memory, space, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < space; at += step) (void)memory[at];
}
static void do_eat_tables(void) {
    eat_tables(much(), 0);
    forever();
}
static void do_eat_tables_many(void) {
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            eat_tables(much() / 16, i % 2);
            for (;;) pause();
        }
    wait(NULL);
    forever();
}
static void do_memfd(void) {
    int fd = memfd_create("x", 0);
    if (fd >= 0) breach("memfd");
    NEVER(syscall(447 /* memfd_secret */, 0));
}
static long fill(const char *folder, int unnamed) {
    static char block[1 << 16];
    static int files = 0;
    long total = 0;
    memset(block, 1, sizeof block);
    for (int i = 0; i < 200; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/fill%d", folder, files++);
        int fd = open(path, O_CREAT | O_RDWR, 0666);
        if (fd < 0) break;
        if (unnamed) unlink(path);
        long before = total;
        ssize_t n;
        for (int blocks = 0; blocks < 64 && (n = write(fd, block, sizeof block)) > 0; blocks++) total += n;
        if (!unnamed) close(fd);
        if (total == before) break;
    }
    return total;
}
static void do_fill(void) {
    signal(SIGXFSZ, SIG_IGN);
    const char *places[] = {".", "/tmp", env("HOME"), env("TMPDIR"), "/dev/shm", "/dev", "/run", "/var/tmp", "/", env("T_WRITES")};
    long total = 0;
    for (int i = 0; i < 10; i++)
        if (places[i][0]) total += fill(places[i], 0);
    count(total);
    forever();
}
static void do_fill_unnamed(void) {
    count(fill(".", 1));
    forever();
}
/* The same in a process whose first thread has ended. */
static pthread_t first_thread;
static void *fill_later(void *unused) {
    pthread_join(first_thread, NULL);
    do_fill_unnamed();
    return unused;
}
static void do_fill_leaderless(void) {
    pthread_t thread;
    first_thread = pthread_self();
    pthread_create(&thread, NULL, fill_later, NULL);
    syscall(SYS_exit, 0);
}
static void do_fill_deep(void) {
    for (int i = 0; i < 3000 && mkdir("d", 0700) == 0 && chdir("d") == 0; i++) {}
    count(fill(".", 0));
    forever();
}

static void do_bomb(void) {
    say("up");
    for (;;) fork();
}
static void do_vfork_bomb(void) {
    say("up");
    for (;;)
        if (vfork() == 0) _exit(0);
}
static void do_processes(void) {
    long n = 1;
    while (fork() > 0) n++;
    if (n == 1 || getpid() == getpgrp()) count(n);
    forever();
}
static void *sleeper(void *unused) {
    for (;;) pause();
    return unused;
}
static void do_threads(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_t thread;
    long n = 1;
    while (n < 100000 && pthread_create(&thread, &small, sleeper, NULL) == 0) n++;
    count(n);
    forever();
}
static void ignore_all(void) {
    for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
}
/* Leaves somebody behind and ends. */
static void do_daemon(void) {
    ignore_all();
    int ready[2];
    (void)!pipe(ready);
    if (fork() == 0) {
        setsid();
        setpgid(0, 0);
        if (fork()) _exit(0);
        setsid();
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
        (void)!write(ready[1], "x", 1);
        for (;;) pause();
    }
    char byte;
    (void)!read(ready[0], &byte, 1);
    say("left");
}
static void do_daemons(void) {
    ignore_all();
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
            if (fork() && i % 2) _exit(0);
            setsid();
            for (;;)
                if (fork() == 0) _exit(0);
        }
    say("left");
}
static void do_stubborn(void) {
    ignore_all();
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (fork() == 0) setsid();
    if (fork() == 0) setpgid(0, 0);
    forever();
}
static void do_stop_self(void) {
    say("up");
    kill(getpid(), SIGSTOP);
    for (;;) pause();
}
static void do_close_all(void) {
    say("up");
    for (int i = 0; i < 1024; i++) close(i);
    for (;;) pause();
}

static void do_big_file(void) {
    signal(SIGXFSZ, SIG_IGN);
    int fd = open("big", O_CREAT | O_RDWR, 0666);
    ftruncate(fd, 1l << 40);
    fallocate(fd, 0, 0, 1l << 32);
    pwrite(fd, "x", 1, 1l << 33);
    static char block[1 << 16];
    for (int i = 0; i < 1024 && write(fd, block, sizeof block) > 0; i++) {}
    struct stat info = {0};
    fstat(fd, &info);
    count(info.st_size);
}
static void do_many_files(void) {
    long n = 0;
    char name[32];
    for (; n < 22000; n++) {
        snprintf(name, sizeof name, "f%ld", n);
        int fd = open(name, O_CREAT | O_WRONLY, 0);
        if (fd < 0) break;
        close(fd);
    }
    count(n);
}
/* What is hard to remove. */
static void do_locked_folders(void) {
    for (int i = 0; i < 2500 && mkdir("d", 0700) == 0 && chdir("d") == 0; i++) close(open("file", O_CREAT | O_WRONLY, 0));
    chdir(env("HOME"));
    for (int i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof name, "no%d", i);
        mkdir(name, 0300);
        chdir(name);
        close(open("file", O_CREAT | O_WRONLY, 0));
        mkdir("in", 0100);
        chmod("in", 0);
        symlink("/", "root");
        chdir(env("HOME"));
        chmod(name, 0);
    }
    say("made");
}
static void do_descriptors(void) {
    long n = 3;
    while (n < 100000 && open("/dev/null", O_RDONLY) >= 0) n++;
    count(n);
}
static void do_inherited(void) {
    for (int fd = 3; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) >= 0) breach("descriptor %d", fd);
    for (int fd = 0; fd < 3; fd++) {
        struct stat info;
        if (fstat(fd, &info) || !S_ISFIFO(info.st_mode)) breach("descriptor %d is no pipe", fd);
    }
}
static void *flood(void *to) {
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    for (;;) (void)!write((int)(long)to, block, sizeof block);
}
static void do_flood(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, flood, (void *)2);
    flood((void *)1);
}
static void do_devices(void) {
    const char *files[] = {"/dev/tty", "/dev/tty0", "/dev/tty1", "/dev/console", "/dev/ptmx", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop-control", "/dev/fuse", "/dev/net/tun", "/dev/kvm", "/dev/userfaultfd", "/dev/vhost-net", "/dev/snapshot", "/dev/rtc0", "/dev/uinput", "/dev/cpu/0/msr", "/dev/shm/../mem"};
    for (int i = 0; i < 23; i++)
        if (open(files[i], O_RDONLY | O_NOCTTY) >= 0 || open(files[i], O_RDWR | O_NOCTTY) >= 0) breach("%s", files[i]);
    for (int fd = 0; fd < 3; fd++) {
        NEVER(ioctl(fd, TIOCSTI, "x"));
        NEVER(ioctl(fd, TIOCLINUX, "\3"));
        NEVER(ioctl(fd, TIOCSCTTY, 1));
    }
    NEVER(mknod("disk", S_IFBLK | 0666, makedev(254, 0)));
    NEVER(mknod("mem", S_IFCHR | 0666, makedev(1, 1)));
    NEVER(mknod("null", S_IFCHR | 0666, makedev(1, 3)));
}
static void do_ipc(void) {
    NEVER(shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0666));
    NEVER(shmget(0x1e17a1, 1 << 20, IPC_CREAT | 0666));
    NEVER(msgget(IPC_PRIVATE, IPC_CREAT | 0666));
    NEVER(semget(IPC_PRIVATE, 1, IPC_CREAT | 0666));
    NEVER(mq_open("/leitai-mq", O_CREAT | O_RDWR, 0666, NULL));
}
static void do_kernel(void) {
    NEVER(syscall(SYS_keyctl, 0, -3, 1));
    NEVER(syscall(SYS_add_key, "user", "x", "y", 1, -2));
    NEVER(syscall(SYS_request_key, "user", "x", NULL, -2));
    NEVER(syscall(SYS_bpf, 0, (uint64_t[16]){1, 4, 8, 1}, 128));
    NEVER(syscall(SYS_perf_event_open, (uint32_t[32]){1, 128, 0}, 0, -1, -1, 0));
    NEVER(syscall(SYS_userfaultfd, 1));
    NEVER(syscall(425 /* io_uring_setup */, 8, (char[120]){0}));
    NEVER(syscall(SYS_fanotify_init, 0, 0));
    NEVER(syscall(SYS_fanotify_init, 0x200, 0));
    NEVER(personality(READ_IMPLIES_EXEC));
    NEVER(personality(ADDR_NO_RANDOMIZE));
    NEVER(syscall(SYS_init_module, "x", 1, ""));
    NEVER(syscall(SYS_delete_module, "x", 0));
    NEVER(syscall(SYS_swapon, "/dev/null", 0));
    NEVER(syscall(SYS_swapoff, "/dev/null"));
    NEVER(syscall(SYS_acct, NULL));
    NEVER(syscall(SYS_quotactl, 0x800001 << 8, NULL, 0, NULL));
    NEVER(syscall(SYS_kexec_load, 0, 0, NULL, 0));
    NEVER(syscall(SYS_syslog, 3, (char[64]){0}, 64));
    NEVER(syscall(SYS_vhangup));
    NEVER(settimeofday(&(struct timeval){1, 0}, NULL));
    NEVER(clock_settime(CLOCK_REALTIME, &(struct timespec){1, 0}));
    NEVER(adjtimex(&(struct timex){.modes = ADJ_FREQUENCY}));
    NEVER(sethostname("bad", 3));
    NEVER(setdomainname("bad", 3));
    NEVER(syscall(SYS_reboot, 0xfee1dead, 672274793, 0, NULL));
#ifdef __x86_64__
    NEVER(syscall(SYS_iopl, 3));
    NEVER(syscall(SYS_ioperm, 0x80, 1, 1));
    NEVER(syscall(SYS_modify_ldt, 1, (uint32_t[4]){0, 0, 0, 0x51}, 16));
#endif
}
static void do_x32(void) {
#ifdef __x86_64__
    NEVER(syscall(0x40000000 | SYS_getpid));
    NEVER(syscall(0x40000000 | 520 /* execve */, "/bin/true", NULL, NULL));
#endif
}
static void do_int80(void) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L /* getpid */) : "memory");
    if (result > 0) breach("int 0x80");
#endif
}
static void write_to(const char *path) {
    int fd = open(path, O_WRONLY);
    if (fd >= 0) breach("%s opens for writing", path);
}
static void do_proc_sys(void) {
    const char *files[] = {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/ns_last_pid", "/proc/sys/vm/drop_caches", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/core/wmem_max", "/proc/sys/user/max_user_namespaces", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/1/oom_score_adj", "/proc/1/mem", "/proc/self/uid_map", "/proc/sys/fs/binfmt_misc/register", "/proc/acpi/wakeup", "/proc/mtrr", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/kernel/uevent_helper", "/sys/power/state", "/sys/devices/system/cpu/cpu1/online"};
    for (int i = 0; i < 21; i++) write_to(files[i]);
    if (open("/proc/kcore", O_RDONLY) >= 0) breach("kcore");
    if (open("/proc/kmsg", O_RDONLY) >= 0) breach("kmsg");
    DIR *dir = opendir("/sys/fs/cgroup");
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[4096];
        snprintf(path, sizeof path, "/sys/fs/cgroup/%s/cgroup.procs", entry->d_name);
        write_to(path);
        snprintf(path, sizeof path, "/sys/fs/cgroup/%s/bad", entry->d_name);
        NEVER(mkdir(path, 0777));
    }
}
static void do_core(void) {
    struct rlimit open = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &open);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    raise(SIGQUIT);
}
static void do_lease(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data", env("T_DIR"));
    const char *files[] = {path, "/usr/bin/env", "/usr/bin/python3"};
    for (int i = 0; i < 3; i++) {
        int fd = open(files[i], O_RDONLY);
        if (fd < 0) continue;
        NEVER(fcntl(fd, F_SETLEASE, F_RDLCK));
        NEVER(fcntl(fd, F_SETLEASE, F_WRLCK));
    }
    int fd = open("/usr/bin", O_RDONLY);
    NEVER(fcntl(fd, F_NOTIFY, DN_ACCESS));
}
/* The helper's name and binary, without a judge. */
static void do_helper_name(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/helper", env("T_DIR"));
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) exit(4);
    (void)!write(pair[1], "{\"tier\":\"A\"}", 12);
    dup2(pair[0], 0);
    execl(path, "leitai-sandbox", NULL);
}

/* Goes on while it is frozen, or tries to: a tick is written as long as it runs. */
static void tick(void) {
    for (;;) {
        (void)!write(1, ".", 1);
        struct timespec little = {0, 2000000};
        nanosleep(&little, NULL);
    }
}
static void do_tick(void) { tick(); }
static void heard(int unused) { (void)unused; }
static void timer_with(int signal_number, int first) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal_number};
    timer_t timer;
    struct itimerspec often = {{0, 3000000}, {0, first * 1000000}};
    /* What is ignored, as this one is by default, does not even come. */
    signal(SIGCONT, heard);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &often, NULL);
}
static void do_wake_timer(void) {
    timer_with(SIGCONT, 3);
    tick();
}
static void wake_by(int descriptor) {
    fcntl(descriptor, F_SETOWN, getpid());
    fcntl(descriptor, F_SETSIG, SIGCONT);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_ASYNC);
}
/* Woken by what the judge writes, or by a file that somebody else opens. */
static void do_wake_input(void) {
    wake_by(0);
    tick();
}
/* A child that takes long to end tells of its end with a signal of one's choice. */
static void do_wake_exit(void) {
    for (int i = 0; i < 10; i++) {
        long pid = syscall(SYS_clone, SIGCONT, 0, 0, 0, 0);
        if (pid == 0) {
            timer_with(SIGKILL, 60 + i * 90);
            for (;;) pause();
        }
    }
    tick();
}
static void do_wake_death(void) {
    pid_t middle = fork();
    if (middle == 0) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
            tick();
        }
        timer_with(SIGKILL, 120);
        for (;;) pause();
    }
    tick();
}
/* The freed memory takes a while: the ends fall into the time after the stop. */
static void do_wake_slow_exit(void) {
    for (int i = 0; i < 4; i++) {
        char *memory = map(32 * MIB, 0);
        if (syscall(SYS_clone, SIGCONT, 0, 0, 0, 0) == 0) {
            eat(memory, 32 * MIB);
            for (int tiny = 0; tiny < 2000 * (i + 1); tiny++) sched_yield();
            _exit(0);
        }
    }
    tick();
}
static void do_leave_group(void) {
    int ways[] = {0, 1, 2};
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            if (ways[i] == 0) setsid();
            if (ways[i] == 1) setpgid(0, 0);
            if (ways[i] == 2) setpgid(0, getppid());
            tick();
        }
    tick();
}
static void do_environment(void) {
    extern char **environ;
    for (char **pair = environ; *pair; pair++) say(*pair);
}
static void do_judge_memory(void) {
    char path[4096];
    snprintf(path, sizeof path, "/proc/%s/mem", env("T_JUDGE"));
    NEVER(open(path, O_RDWR));
}

static const struct { const char *word; void (*attack)(void); } WORDS[] = {
    {"read", do_read}, {"list", do_list}, {"proc", do_proc}, {"proc-host", do_proc_host}, {"write", do_write}, {"own-folder", do_own_folder},
    {"handle", do_handle}, {"root", do_root}, {"mounts", do_mounts}, {"namespaces", do_namespaces}, {"identity", do_identity},
    {"set-user-id", do_set_user_id}, {"am-i-root", do_am_i_root}, {"suid-bit", do_suid_bit}, {"spy", do_spy},
    {"signals", do_signals}, {"kill-parent", do_kill_parent}, {"stop-parent", do_stop_parent}, {"meddle", do_meddle},
    {"priority", do_priority}, {"cores", do_cores}, {"net", do_net}, {"sockets", do_sockets}, {"listen", do_listen},
    {"unix", do_unix}, {"eat", do_eat}, {"eat-shared", do_eat_shared}, {"eat-undumpable", do_eat_undumpable},
    {"eat-without-leader", do_eat_without_leader}, {"eat-orphaned", do_eat_orphaned}, {"eat-many", do_eat_many},
    {"eat-locked", do_eat_locked}, {"eat-stack", do_eat_stack}, {"deep-stack", do_deep_stack}, {"memfd", do_memfd},
    {"eat-tables", do_eat_tables}, {"eat-tables-many", do_eat_tables_many},
    {"fill", do_fill}, {"fill-unnamed", do_fill_unnamed}, {"fill-leaderless", do_fill_leaderless}, {"fill-deep", do_fill_deep},
    {"bomb", do_bomb}, {"vfork-bomb", do_vfork_bomb}, {"processes", do_processes}, {"threads", do_threads},
    {"daemon", do_daemon}, {"daemons", do_daemons}, {"stubborn", do_stubborn}, {"stop-self", do_stop_self},
    {"close-all", do_close_all}, {"big-file", do_big_file}, {"many-files", do_many_files},
    {"locked-folders", do_locked_folders}, {"descriptors", do_descriptors}, {"inherited", do_inherited},
    {"flood", do_flood}, {"devices", do_devices}, {"ipc", do_ipc}, {"kernel", do_kernel}, {"x32", do_x32},
    {"int80", do_int80}, {"proc-sys", do_proc_sys}, {"core", do_core}, {"lease", do_lease},
    {"helper-name", do_helper_name}, {"tick", do_tick}, {"wake-timer", do_wake_timer}, {"wake-input", do_wake_input},
    {"wake-exit", do_wake_exit}, {"wake-death", do_wake_death}, {"wake-slow-exit", do_wake_slow_exit},
    {"leave-group", do_leave_group}, {"environment", do_environment}, {"judge-memory", do_judge_memory},
};

int main(int argc, char **argv) {
    /* The same attack, by a program that may connect to the judge, or by a build. */
    const char *fronts[] = {"connected-", "build-"};
    for (int i = 0; argc > 1 && i < 2; i++)
        if (!strncmp(argv[1], fronts[i], strlen(fronts[i]))) argv[1] += strlen(fronts[i]);
    for (size_t i = 0; argc > 1 && i < sizeof WORDS / sizeof *WORDS; i++)
        if (!strcmp(WORDS[i].word, argv[1])) {
            WORDS[i].attack();
            fflush(stdout);
            return 0;
        }
    fprintf(stderr, "no such attack\n");
    return 2;
}
