/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sockets.h"

/* So that nobody waits for a reader: as much as the kernel gives without asking. */
enum { PIPE_BYTES = 1 << 20, SAID = 4096 };

static int make_pipe(const struct machine* m, int ends[2], int wanted) {
  ends[0] = ends[1] = -1;
  if (!wanted) return 0;
  if (pipe2(ends, O_CLOEXEC) != 0) fail(m, "no pipe: ", strerror(errno));
  fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* where it is refused, the pipe is shorter */
  return 1;
}

struct child start_child(const struct machine* m, const char* const* argv, int pipes) {
  int in[2];
  int out[2];
  int err[2];
  make_pipe(m, in, pipes & CHILD_IN);
  make_pipe(m, out, pipes & CHILD_OUT);
  make_pipe(m, err, pipes & CHILD_ERR);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail(m, "no process: ", strerror(errno));
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int nothing = in[0] < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : in[0];
    dup2(nothing, STDIN_FILENO);
    if (out[1] >= 0) dup2(out[1], STDOUT_FILENO);
    if (out[1] < 0) dup2(STDERR_FILENO, STDOUT_FILENO); /* rank 0's output is for results */
    if (err[1] >= 0) dup2(err[1], STDERR_FILENO);
    execvp(argv[0], (char* const*)argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  if (in[0] >= 0) close(in[0]);
  if (out[1] >= 0) close(out[1]);
  if (err[1] >= 0) close(err[1]);
  return (struct child){.name = argv[0], .pid = pid, .in = in[1], .out = out[0], .err = err[0]};
}

/* Ends the job. */
static void give_up(const struct machine* m, const struct child* c, const char* why) {
  char said[SAID + 1] = "";
  if (c->err >= 0) {
    fcntl(c->err, F_SETFL, O_NONBLOCK);
    size_t length = 0;
    for (ssize_t got; length < SAID && (got = read(c->err, said + length, SAID - length)) > 0;) length += (size_t)got;
    said[length] = '\0';
  }
  fprintf(stderr, "trunkline-bench: rank %d: %s %s\n%s\n", m->rank, c->name, why, said);
  m->end(2);
}

/* Bytes that are there, once there are any. */
static size_t read_some(const struct machine* m, const struct child* c, int from, void* into, size_t most) {
  for (;;) {
    struct pollfd two[] = {{.fd = from, .events = POLLIN}, {.fd = rank_0_gone(), .events = POLLRDHUP}};
    if (poll(two, 2, -1) < 0) {
      if (errno == EINTR) continue;
      fail(m, "waiting for a program: ", strerror(errno));
    }
    if (two[1].revents) m->end(2);
    const ssize_t got = read(from, into, most);
    if (got > 0) return (size_t)got;
    if (got == 0 || errno != EINTR) give_up(m, c, "has ended too early");
  }
}

void read_output(const struct machine* m, const struct child* c, void* into, size_t bytes) {
  for (size_t done = 0; done < bytes;) done += read_some(m, c, c->out, (char*)into + done, bytes - done);
}

/* Byte by byte, so that nothing behind the line is taken: such lines are few. */
void wait_for_line(const struct machine* m, const struct child* c, const char* word, char* line, size_t length) {
  for (size_t end = 0;;) {
    line[end] = '\0';
    read_some(m, c, c->err, line + end, 1);
    if (line[end] != '\n') {
      end += end + 2 < length;
      continue;
    }
    line[end] = '\0';
    if (strstr(line, word)) return;
    end = 0;
  }
}

static int wait_for_end(struct child* c) {
  int status = 0;
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static void close_pipes(struct child* c) {
  if (c->out >= 0) close(c->out);
  if (c->err >= 0) close(c->err);
}

void end_child(const struct machine* m, struct child* c) {
  if (c->in >= 0) close(c->in);
  c->in = -1;
  const int status = wait_for_end(c);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) give_up(m, c, "has failed");
  close_pipes(c);
}

void ask_child(const struct machine* m, const char* const* argv, const char* word, char* line, size_t length) {
  struct child c = start_child(m, argv, CHILD_ERR);
  wait_for_line(m, &c, word, line, length);
  kill(c.pid, SIGKILL);
  wait_for_end(&c);
  close_pipes(&c);
}
