// SPDX-License-Identifier: Apache-2.0
// Eager messages of docs/multicast.md, for few ranks and calls, to be searched exhaustively: roots leave at once, and what is
// lost is asked for later. Names are those of runtime/transport/datagram and runtime/execute/multicast/eager.
//
// - Any datagram may be lost, any number of them; those on their way come in any order, and some twice.
// - Ranks come to their calls in order, as late as they like.
// - Time: where nothing else can happen, the clock ticks, and who lacks packets asks: first by a datagram, which may be lost
//   as its answer may, then over TCP.
// - Never stuck is an assertion: a few ticks without anything new are an error.

#ifndef RANKS
#define RANKS 3
#endif
#ifndef CALLS
#define CALLS 3
#endif
#ifndef PACKETS
#define PACKETS 1
#endif
#ifndef BUDGET
#define BUDGET 2     // calls between two meetings, so what any buffer holds
#endif
#ifndef STEP
#define STEP 1       // from a call's root to the next one's
#endif
#ifndef TWICE
#define TWICE 0      // datagrams that may come twice
#endif

#define ALL ((1 << PACKETS) - 1)
#define ROOT(call) (((call) * STEP) % RANKS)
#define PLACE(call, packet) (((call) - 1) * PACKETS + (packet))
#define OF_CALL(call) (ALL << PLACE(call, 0))
#define MEETS_BEFORE(call) ((call) > 1 && ((call) - 1) % BUDGET == 0)
#define IS_WHOLE(r) (got[r] == ALL)
#define ASKS_BY_DATAGRAM 1
#define MOST_IDLE 4

byte at[RANKS];        // the call it is in; 0: none yet
byte got[RANKS];       // packets of that call
short in_air[RANKS];   // packets on their way to it, or in its buffer; a bit for each of each call
byte kept[RANKS];      // messages that it has sent; a bit for each call
byte asks[RANKS];      // in this call
byte met[RANKS];       // meetings that it has come to
bool due[RANKS];       // its timer
bool is_over[RANKS];   // has said farewell: nobody answers for it
byte twice = TWICE;
byte idle;
chan tcp[RANKS] = [2] of { byte, byte };   // asks of a rank: call, packets
chan back[RANKS] = [2] of { byte, byte };  // answers to it

// Of one step alone.
byte o, n, call, packets;
short waiting;

// ---- The root --------------------------------------------------------------------------------------------------------
/// Datagrams of calls that `o` has not come to wait in its buffer.
inline check_buffer() {
  waiting = in_air[o] >> (at[o] * PACKETS);
  n = 0;
  do
  :: waiting != 0 -> n = n + (waiting & 1); waiting = waiting >> 1
  :: else -> break
  od;
  assert(n <= BUDGET * PACKETS);  // what is sent fits every buffer
  n = 0
}

inline send(r) {
  d_step {
#ifndef MUTATION_keeps_nothing
    kept[r] = kept[r] | (1 << at[r]);
#endif
    got[r] = ALL;
    for (o : 0 .. RANKS - 1) {
      if
      :: o != r -> in_air[o] = in_air[o] | OF_CALL(at[r]); check_buffer()
      :: else
      fi
    }
    o = 0; idle = 0
  }
}

// ---- Repairs ---------------------------------------------------------------------------------------------------------
/// Of the root of `call`: what is still wanted has been kept, or was not sent yet.
inline check_kept(asker) {
  assert(at[asker] != call || IS_WHOLE(asker) || (kept[ROOT(call)] & (1 << call)) != 0 || at[ROOT(call)] < call)
}

inline answer(asker) {
  tcp[asker]?call, packets;
  check_kept(asker);
  if
  :: (kept[r] & (1 << call)) != 0 && len(back[asker]) < 2 -> back[asker]!call, packets
  :: else
  fi;
  call = 0; packets = 0
}

proctype repairs(byte r) {
  do
  :: atomic { tcp[(r + 1) % RANKS]?[call, packets] && !is_over[r] && ROOT(at[(r + 1) % RANKS]) == r -> answer((r + 1) % RANKS) }
#if RANKS > 2
  :: atomic { tcp[(r + 2) % RANKS]?[call, packets] && !is_over[r] && ROOT(at[(r + 2) % RANKS]) == r -> answer((r + 2) % RANKS) }
#endif
  :: atomic { is_over[r] -> break }
  od
}

// ---- A rank ----------------------------------------------------------------------------------------------------------
/// A collective call of all ranks: who leaves it knows that all have come, so that all have what came before.
inline meet(r) {
  atomic { met[r]++; idle = 0 };
#ifdef MUTATION_meets_nobody
  skip;
#else
  atomic { met[0] >= met[r] && met[1] >= met[r] && met[2 % RANKS] >= met[r] -> idle = 0 };
#endif
  kept[r] = 0
}

inline hear(r) {
  n = 0;
  do
  :: (in_air[r] >> PLACE(at[r], n) & (ALL >> n) & ~1) != 0 -> n++
  :: (in_air[r] & (1 << PLACE(at[r], n))) != 0 -> break
  od;
  if
  :: in_air[r] = in_air[r] & ~(1 << PLACE(at[r], n))
  :: twice > 0 -> twice--
  fi;
  if
  :: (got[r] & (1 << n)) == 0 -> got[r] = got[r] | (1 << n); idle = 0
  :: else
  fi;
  n = 0
}

/// By a datagram: it is lost, or its answer comes like any datagram.
inline ask(r) {
  due[r] = false;
  call = at[r];
  if
  :: asks[r] < ASKS_BY_DATAGRAM ->
     asks[r]++;
     check_kept(r);
     if
     :: skip  // lost
     :: (kept[ROOT(call)] & (1 << call)) != 0 && !is_over[ROOT(call)] -> in_air[r] = in_air[r] | ((ALL & ~got[r]) << PLACE(call, 0))
     fi
#ifndef MUTATION_never_over_tcp
  :: asks[r] >= ASKS_BY_DATAGRAM && len(tcp[r]) < 2 -> tcp[r]!call, (ALL & ~got[r])
#endif
  :: else
  fi;
  call = 0
}

proctype rank(byte r) {
  do
  :: at[r] < CALLS && (at[r] == 0 || IS_WHOLE(r)) ->
     if
     :: MEETS_BEFORE(at[r] + 1) ->
#ifndef MUTATION_no_meeting
        meet(r)
#else
        skip
#endif
     :: else
     fi;
     atomic {
       in_air[r] = in_air[r] & ~(at[r] > 0 -> OF_CALL(at[r]) : 0);
       at[r]++; got[r] = 0; asks[r] = 0; due[r] = false; idle = 0;
       if
       :: ROOT(at[r]) == r -> send(r)
       :: else
       fi
     }
  :: atomic { at[r] > 0 && !IS_WHOLE(r) && (in_air[r] & OF_CALL(at[r])) != 0 -> hear(r) }
  :: atomic { in_air[r] != 0 ->  // any of them is lost
       n = 0;
       do
       :: n < CALLS * PACKETS - 1 -> n++
       :: (in_air[r] & (1 << n)) != 0 -> break
       :: else -> break
       od;
       in_air[r] = in_air[r] & ~(1 << n); n = 0
     }
  :: atomic { due[r] && !IS_WHOLE(r) -> ask(r) }
  :: atomic { nempty(back[r]) ->
       back[r]?call, packets;
       if
       :: call == at[r] && (packets & ~got[r]) != 0 -> got[r] = got[r] | packets; idle = 0
       :: else
       fi;
       call = 0; packets = 0
     }
  :: at[r] == CALLS && IS_WHOLE(r) -> break
  od;
#ifndef MUTATION_says_no_farewell
  meet(r);
#endif
  atomic { is_over[r] = true; kept[r] = 0; idle = 0 }
}

// ---- Time ------------------------------------------------------------------------------------------------------------
proctype clock() {
  do
  :: is_over[0] && is_over[1] && is_over[2 % RANKS] -> break
  :: timeout ->
     d_step {
       idle++;
       assert(idle <= MOST_IDLE);  // never stuck
       for (o : 0 .. RANKS - 1) { due[o] = at[o] > 0 && !IS_WHOLE(o) }
       o = 0
     }
  od
}

init {
  atomic {
    n = 0;
    do
    :: n < RANKS -> run rank(n); run repairs(n); n++
    :: else -> break
    od;
    n = 0;
    run clock()
  }
}
