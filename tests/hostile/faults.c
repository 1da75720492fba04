/* Lets a call on the files of one folder fail: preloaded before the C library.
 *
 * FAULT_FOLDER: whose files; FAULT_AT: the first of their calls to fail, and FAULT_FOR: how many more; FAULT_ERROR: with
 * which errno, or 0 to write one byte of what is asked; FAULT_NAMELESS: whether there are files without a name;
 * FAULT_LOG: a file that gets a letter a call: w for write, s and S for the sync of a file and a folder, l and r.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

static long number(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

static int within(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    size_t length = folder ? strlen(folder) : 0;
    return length && path && !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static int held(int handle) {
    char name[64], path[4096];
    if (handle < 3 || !getenv("FAULT_FOLDER")) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return within(path);
}

static void logged(char letter) {
    const char *log = getenv("FAULT_LOG");
    int handle = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (handle < 0) return;
    syscall(SYS_write, handle, &letter, 1);
    syscall(SYS_close, handle);
}

/* Whether this call, one on the folder's files, is to fail. */
static int fails(void) {
    long since = ++calls - number("FAULT_AT");
    return number("FAULT_AT") && since >= 0 && since <= number("FAULT_FOR");
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(on_it, letter)                                                     \
    if (on_it) {                                                                   \
        if (letter) logged(letter);                                                \
        if (fails() && number("FAULT_ERROR")) return errno = (int)number("FAULT_ERROR"), -1; \
    }

ssize_t write(int handle, const void *from, size_t count) {
    REAL(write);
    if (held(handle)) {
        logged('w');
        if (fails()) {
            if (number("FAULT_ERROR")) return errno = (int)number("FAULT_ERROR"), -1;
            count = count > 1;
        }
    }
    return real(handle, from, count);
}

int fsync(int handle) {
    REAL(fsync);
    struct stat about;
    FAIL_IF(held(handle), fstat(handle, &about) || !S_ISDIR(about.st_mode) ? 's' : 'S')
    return real(handle);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    FAIL_IF(within(from), 'r')
    return real(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(linkat);
    FAIL_IF(within(to), 'l')
    return real(from_folder, from, to_folder, to, flags);
}

int close(int handle) {
    REAL(close);
    int failing = held(handle) && fails() && number("FAULT_ERROR");
    int closed = real(handle);
    return failing ? errno = (int)number("FAULT_ERROR"), -1 : closed;
}

#define OPEN(name)                                                                 \
    int name(const char *path, int flags, ...) {                                   \
        REAL(name);                                                                \
        va_list rest;                                                              \
        va_start(rest, flags);                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;    \
        va_end(rest);                                                              \
        if (within(path) && (flags & O_TMPFILE) == O_TMPFILE && !number("FAULT_NAMELESS")) \
            return errno = EOPNOTSUPP, -1;                                         \
        FAIL_IF(within(path) && flags & O_ACCMODE, 0)                              \
        return real(path, flags, mode);                                            \
    }
OPEN(open)
OPEN(open64)
