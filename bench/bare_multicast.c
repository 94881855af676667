/* SPDX-License-Identifier: Apache-2.0
 * The ceiling of multicasts on a machine: bytes from one sender to several receivers by UDP, with segmentation and
 * receive offload, and nothing else: no repair, no seal, no MPI. Receivers only say how much has come, so that the
 * sender keeps within their buffers.
 *
 *     trunkline-bare-multicast send OWN_ADDRESS RECEIVERS
 *     trunkline-bare-multicast take OWN_ADDRESS NUMBER SENDERS_ADDRESS
 *
 * Receivers are numbered from 0, and run before the sender. Each prints nanoseconds of its processor for each byte, the
 * sender GB/s first. Who hears nothing for ten seconds ends with status 1: something got lost.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

enum {
  PAYLOAD = 1472,          /* of a frame of 1500 bytes */
  TOGETHER = 44 * PAYLOAD, /* what the kernel cuts itself */
  WINDOW = 1000000,        /* sent and not said to have come */
  BUFFER = 4 << 20,        /* wanted of the kernel */
  MEMORY = 256 * TOGETHER, /* where bytes come from and go to: as long as a long message */
  MOST_RECEIVERS = 64,
  QUIET_MS = 10000,
  GROUP_PORT = 45000,
  OWN_PORT = 45001
};
static const long total = 15000L * TOGETHER;

struct come {
  int number;
  long bytes;
};

static char memory[MEMORY + TOGETHER];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double processor_s(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void fail(const char* what) {
  perror(what);
  exit(2);
}

static void set(int socket, int level, int option, const void* value, socklen_t bytes) {
  if (setsockopt(socket, level, option, value, bytes) != 0) fail("setsockopt");
}

static struct sockaddr_in address(const char* ip, unsigned short port) {
  struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_aton(ip, &made.sin_addr) == 0) fail(ip);
  return made;
}

static int bound_to(struct sockaddr_in where) {
  const int made = socket(AF_INET, SOCK_DGRAM, 0);
  const int bytes = BUFFER;
  if (made < 0) fail("socket");
  set(made, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  set(made, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  if (bind(made, (const struct sockaddr*)&where, sizeof where) != 0) fail("bind");
  return made;
}

static void send_some(int own, const struct sockaddr_in* group, long from) {
  const unsigned short each = PAYLOAD;
  union {
    struct cmsghdr aligned;
    char bytes[CMSG_SPACE(sizeof each)];
  } control;
  memset(&control, 0, sizeof control);
  struct iovec part = {memory + from % MEMORY, TOGETHER};
  struct msghdr message = {.msg_name = (void*)group,
                           .msg_namelen = sizeof *group,
                           .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control.bytes};
  struct cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_UDP;
  head->cmsg_type = UDP_SEGMENT;
  head->cmsg_len = CMSG_LEN(sizeof each);
  memcpy(CMSG_DATA(head), &each, sizeof each);
  if (sendmsg(own, &message, 0) < 0) fail("sendmsg");
}

static int send_all(int own, int receivers, const struct sockaddr_in* group) {
  long come[MOST_RECEIVERS] = {0};
  long sent = 0;
  long least = 0;
  const double began = now();
  while (least < total) {
    struct pollfd any = {own, POLLIN, 0};
    const int must_wait = sent == total || sent - least + TOGETHER > WINDOW;
    if (must_wait && poll(&any, 1, QUIET_MS) <= 0) return 1;
    struct come one;
    while (recv(own, &one, sizeof one, MSG_DONTWAIT) == (ssize_t)sizeof one) come[one.number] = one.bytes;
    least = total;
    for (int i = 0; i < receivers; ++i) {
      if (come[i] < least) least = come[i];
    }
    if (sent == total || sent - least + TOGETHER > WINDOW) continue;
    send_some(own, group, sent);
    sent += TOGETHER;
  }
  printf("%.2f GB/s, %.3f ns/B\n", (double)total / (now() - began) * 1e-9, processor_s() / (double)total * 1e9);
  return 0;
}

static int take_all(int own, struct sockaddr_in self, int number, struct sockaddr_in sender, struct sockaddr_in group) {
  const int on = 1;
  const int hears = bound_to(group);
  const struct ip_mreq member = {group.sin_addr, self.sin_addr};
  set(hears, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member);
  set(hears, SOL_UDP, UDP_GRO, &on, sizeof on);
  const struct timeval quiet = {QUIET_MS / 1000, 0};
  set(hears, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof quiet);
  printf("up\n");
  fflush(stdout);
  struct come all = {number, 0};
  const double before_s = processor_s();
  while (all.bytes < total) {
    const ssize_t got = recv(hears, memory + all.bytes % MEMORY, TOGETHER, 0);
    if (got <= 0) return 1;
    all.bytes += got;
    if (sendto(own, &all, sizeof all, 0, (const struct sockaddr*)&sender, sizeof sender) < 0) fail("sendto");
  }
  printf("%.3f ns/B\n", (processor_s() - before_s) / (double)total * 1e9);
  return 0;
}

int main(int argc, char** argv) {
  const int sends = argc == 4 && strcmp(argv[1], "send") == 0;
  if (!sends && (argc != 5 || strcmp(argv[1], "take") != 0)) return 2;
  const int number = atoi(argv[3]);
  if (number < 0 || number > MOST_RECEIVERS - 1) return 2;
  const struct sockaddr_in self = address(argv[2], OWN_PORT);
  const struct sockaddr_in group = address("239.255.7.7", GROUP_PORT);
  const int own = bound_to(self);
  memset(memory, 1, sizeof memory);
  if (!sends) return take_all(own, self, number, address(argv[4], OWN_PORT), group);
  const unsigned char off = 0;
  set(own, IPPROTO_IP, IP_MULTICAST_IF, &self.sin_addr, sizeof self.sin_addr);
  set(own, IPPROTO_IP, IP_MULTICAST_LOOP, &off, sizeof off);
  return send_all(own, number, &group);
}
