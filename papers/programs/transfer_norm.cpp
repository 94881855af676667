/* SPDX-License-Identifier: Apache-2.0
 * NORM (RFC 5740) by libnorm: one session for all messages, each of which is an object. A receiver has it when the
 * library says that the object is complete; the sender asks all for a positive acknowledgement. C++, since libnorm's
 * header is. */
#include <normApi.h>
#include <poll.h>

#include <cstdio>
#include <cstring>

extern "C" {
#include "sockets.h"
#include "transfer.h"
}

namespace {

/* A segment with NORM's headers and UDP's fits a frame of 1500 bytes. */
constexpr UINT16 port = 6003, segment = 1400, block = 64, parity = 32;
constexpr int segment_header = 40;
constexpr unsigned char auto_parity = 12; /* of the way `fec`: parity segments that every block brings along */
constexpr unsigned buffer_bytes = 32U << 20, socket_bytes = 1U << 20;
constexpr const char* group = "239.255.69.3";
constexpr double part = 0.99;          /* of the link's rate */
constexpr double round_trip_s = 0.005; /* at first; probes keep it up to date */

const machine* us;
NormInstanceHandle instance;
NormSessionHandle session;
NormObjectHandle object;

void must(bool right, const char* what) {
  if (!right) fail(us, "libnorm: ", what);
}

NormNodeId node_of(int rank) { return static_cast<NormNodeId>(rank + 1); }

void begin(const machine* m, double rate_bps) {
  us = m;
  instance = NormCreateInstance(false);
  must(instance != NORM_INSTANCE_INVALID, "no instance");
  session = NormCreateSession(instance, group, port, node_of(m->rank));
  must(session != NORM_SESSION_INVALID, "no session");
  must(NormSetMulticastInterface(session, "eth0"), "no interface eth0");
  NormSetGrttEstimate(session, round_trip_s);
  NormSetBackoffFactor(session, 0.0);
  NormSetGroupSize(session, static_cast<unsigned>(m->ranks));
  if (m->rank != 0) {
    NormSetDefaultUnicastNack(session, true);
    must(NormStartReceiver(session, buffer_bytes), "no receiver");
    NormSetRxSocketBuffer(session, socket_bytes);
    return;
  }
  NormSetCongestionControl(session, false, false);
  NormSetTxRate(session, part * payload_bps(rate_bps, segment + segment_header)); /* of a datagram's bytes */
  must(NormStartSender(session, 1, buffer_bytes, segment, block, parity), "no sender");
  NormSetTxSocketBuffer(session, socket_bytes);
  for (int r = 1; r < m->ranks; ++r) must(NormAddAckingNode(session, node_of(r)), "no acknowledging node");
}

/* The next thing that happens in the library. */
NormEvent next_event() {
  for (;;) {
    pollfd two[] = {{NormGetDescriptor(instance), POLLIN, 0}, {rank_0_gone(), POLLRDHUP, 0}};
    if (poll(two, 2, -1) < 0) continue;
    if (two[1].revents != 0) us->end(2);
    NormEvent event;
    if (two[0].revents != 0 && NormGetNextEvent(instance, &event, false)) return event;
  }
}

void run(const char* way, const message* m) {
  if (us->rank == m->root) {
    NormSetAutoParity(session, std::strcmp(way, "fec") == 0 ? auto_parity : 0);
    object = NormDataEnqueue(session, reinterpret_cast<const char*>(m->to), static_cast<UINT32>(m->bytes));
    must(object != NORM_OBJECT_INVALID, "no room for the message");
    must(NormSetWatermark(session, object, true), "no acknowledgement");
    return;
  }
  for (;;) {
    const NormEvent event = next_event();
    must(event.type != NORM_RX_OBJECT_ABORTED, "a message was given up");
    if (event.type != NORM_RX_OBJECT_COMPLETED) continue;
    object = event.object;
    NormObjectRetain(object);
    return;
  }
}

void close_message(const message* m) {
  if (us->rank != m->root) {
    must(static_cast<std::size_t>(NormObjectGetSize(object)) == m->bytes, "the message that came has another length");
    std::memcpy(m->to, NormDataAccessData(object), m->bytes);
    NormObjectRelease(object);
    return;
  }
  for (;;) {
    if (next_event().type != NORM_TX_WATERMARK_COMPLETED) continue;
    if (NormGetAckingStatus(session) == NORM_ACK_SUCCESS) return;
    NormResetWatermark(session);
  }
}

const char* version() {
  static char text[64];
  int major = 0;
  int minor = 0;
  int patch = 0;
  NormGetVersion(&major, &minor, &patch);
  std::snprintf(text, sizeof text, "libnorm %d.%d.%d", major, minor, patch);
  return text;
}

}  // namespace

const struct transfer transfer = {begin, nullptr, run, close_message, nullptr, "paced,fec", version};
