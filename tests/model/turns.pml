// SPDX-License-Identifier: Apache-2.0
// "By turns" of docs/multicast.md, for few ranks, pieces and calls, to be searched exhaustively: each rank multicasts its share
// in pieces, keeps what others may ask for, and forgets it as their pieces say what they have. Names are those of
// runtime/execute/multicast/turns. A piece is one packet; turns go by rank.
//
// - Any datagram may be lost, any number of them; those on their way come in any order.
// - Ranks come to their calls in order, as late as they like.
// - Time: where nothing else can happen, the clock ticks, and who lacks something asks for the first piece in the row that
//   it lacks: first by a datagram, which may be lost as its answer may, then over TCP.
// - Never stuck is an assertion: a few ticks without anything new are an error.

#ifndef RANKS
#define RANKS 3
#endif
#ifndef PIECES
#define PIECES 2
#endif
#ifndef CALLS
#define CALLS 1
#endif
#ifndef AT_ONCE
#define AT_ONCE RANKS
#endif
#ifndef BEHIND
#define BEHIND 2     // who has sent a piece has those of all ranks that are so many before it
#endif

#define PLACE(call, owner, piece) ((((call) - 1) * RANKS + (owner)) * PIECES + (piece))
#define SHARE ((1 << PIECES) - 1)
#define OF_CALL(call) (((1 << (RANKS * PIECES)) - 1) << PLACE(call, 0, 0))
#define IS_WHOLE(r) (got[r] == OF_CALL(1))
#define HAS_SENT(owner, call, piece) (at[owner] > (call) || (at[owner] == (call) && sent[owner] > (piece)))
/// The pieces of `owner` that `r` has, from the first one on without a gap; there are 4 at most.
#define LEADING(bits) (((bits) & 1) == 0 -> 0 : (((bits) & 2) == 0 -> 1 : (((bits) & 4) == 0 -> 2 : (((bits) & 8) == 0 -> 3 : 4))))
#define HERE(r, owner) LEADING(got[r] >> PLACE(1, owner, 0) & SHARE)
/// It has all pieces of `owner` that stand AT_ONCE places before its own next one in the row.
#define NEEDED_MORE(r, owner) (r >= owner + AT_ONCE -> 2 : (r + RANKS >= owner + AT_ONCE -> 1 : 0))
#define HAS_ENOUGH(r, owner) (owner == r || HERE(r, owner) + 1 >= sent[r] + NEEDED_MORE(r, owner))
#define MAY_SEND(r) (at[r] > 0 && sent[r] < PIECES && HAS_ENOUGH(r, 0) && HAS_ENOUGH(r, 1) && HAS_ENOUGH(r, (2 % RANKS)))
#define MOST_IDLE 6

byte at[RANKS];       // the call it is in; 0: none yet
int got[RANKS];       // pieces of that call, its own too
byte sent[RANKS];     // pieces of its own
int in_air[RANKS];    // pieces on their way to it; a bit for each of each call
int kept[RANKS];      // pieces that it has sent, and that others may ask for
bool asked[RANKS];    // since the last news
bool due[RANKS];      // its timer
bool is_over[RANKS];
byte idle;
chan back[RANKS] = [1] of { byte };  // answers over TCP: a place

// Of one step alone.
byte o, n, p, fewest, first;

/// What everybody has, as their pieces say.
inline forget_what_all_have(r) {
  fewest = PIECES;
  for (o : 0 .. RANKS - 1) {
    p = HERE(r, o);
    if
    :: o != r && p < fewest -> fewest = p
    :: else
    fi
  }
  for (n : 0 .. PIECES - 1) {
    if
#ifdef MUTATION_forgets_too_soon
    :: n + BEHIND - 1 < fewest
#else
    :: n + BEHIND < fewest
#endif
       -> kept[r] = kept[r] & ~(1 << PLACE(at[r], r, n))
    :: else
    fi
  }
  o = 0; p = 0; n = 0; fewest = 0
}

inline send(r) {
  d_step {
    forget_what_all_have(r);
#ifndef MUTATION_keeps_nothing
    kept[r] = kept[r] | (1 << PLACE(at[r], r, sent[r]));
#endif
    for (o : 0 .. RANKS - 1) {
      if
      :: o != r ->
         in_air[o] = in_air[o] | (1 << PLACE(at[r], r, sent[r]));
         p = 0;
         if
         :: at[o] == at[r] -> p = HERE(o, r)
         :: else
         fi;
         assert(at[o] > at[r] || sent[r] <= p + 3)  // what comes is within the window
      :: else
      fi
    }
    sent[r]++;
    o = 0; p = 0; idle = 0
  }
}

/// The first piece in the row that it lacks: its owner, and which one.
inline find_first_missing(r) {
  first = RANKS * PIECES;
  for (o : 0 .. RANKS - 1) {
    p = HERE(r, o);
    if
#ifdef MUTATION_asks_by_turn
    :: o != r && p < PIECES && first == RANKS * PIECES -> first = p * RANKS + o
#else
    :: o != r && p < PIECES && p * RANKS + o < first -> first = p * RANKS + o
#endif
    :: else
    fi
  }
  o = first % RANKS;
  n = first / RANKS;
  p = 0; first = 0
}

inline ask(r) {
  d_step { due[r] = false; find_first_missing(r) }
  assert(!HAS_SENT(o, at[r], n) || (kept[o] & (1 << PLACE(at[r], o, n))) != 0);  // what is missing is kept
  if
  :: !asked[r] ->
     asked[r] = true;
     if
     :: skip  // lost
     :: HAS_SENT(o, at[r], n) -> in_air[r] = in_air[r] | (1 << PLACE(at[r], o, n))
     fi
#ifndef MUTATION_never_over_tcp
  :: asked[r] && HAS_SENT(o, at[r], n) && empty(back[r]) -> back[r]!PLACE(1, o, n)
#endif
  :: asked[r] && !HAS_SENT(o, at[r], n)  // not yet
#ifdef MUTATION_never_over_tcp
  :: asked[r]
#else
  :: asked[r] && nempty(back[r])
#endif
  fi;
  o = 0; n = 0
}

proctype rank(byte r) {
  do
  :: atomic { at[r] < CALLS && (at[r] == 0 || (IS_WHOLE(r) && sent[r] == PIECES)) ->
       in_air[r] = in_air[r] & ~(at[r] > 0 -> OF_CALL(at[r]) : 0);
       // Whoever has everybody's pieces knows that all have come to this call, and have what came before.
#ifdef MUTATION_forgets_this_call
       kept[r] = 0;
#else
       kept[r] = kept[r] & (at[r] > 0 -> OF_CALL(at[r]) : 0);
#endif
       at[r]++; got[r] = SHARE << PLACE(1, r, 0); sent[r] = 0; asked[r] = false; due[r] = false; idle = 0
     }
  :: atomic { MAY_SEND(r) -> send(r) }
  :: atomic { at[r] > 0 && !IS_WHOLE(r) && (in_air[r] & OF_CALL(at[r])) != 0 ->  // any of them comes, or is lost
       n = 0;
       do
       :: (in_air[r] & OF_CALL(at[r]) & ~((1 << (PLACE(at[r], 0, 0) + n + 1)) - 1)) != 0 -> n++
       :: (in_air[r] & (1 << (PLACE(at[r], 0, 0) + n))) != 0 -> break
       od;
       in_air[r] = in_air[r] & ~(1 << (PLACE(at[r], 0, 0) + n));
       if
       :: (got[r] & (1 << n)) == 0 -> got[r] = got[r] | (1 << n); asked[r] = false; idle = 0
       :: skip
       fi;
       n = 0
     }
  :: atomic { due[r] && !IS_WHOLE(r) -> ask(r) }
  :: atomic { nempty(back[r]) ->
       back[r]?n;
       if
       :: (got[r] & (1 << n)) == 0 -> got[r] = got[r] | (1 << n); asked[r] = false; idle = 0
       :: else
       fi;
       n = 0
     }
  :: at[r] == CALLS && IS_WHOLE(r) && sent[r] == PIECES -> break
  od;
  atomic { is_over[r] = true; idle = 0 }
}

proctype clock() {
  do
  :: is_over[0] && is_over[1] && is_over[2 % RANKS] -> break
  :: timeout ->
     d_step {
       idle++;
       assert(idle <= MOST_IDLE);  // never stuck
       for (o : 0 .. RANKS - 1) { due[o] = at[o] > 0 && !is_over[o] && !IS_WHOLE(o) }
       o = 0
     }
  od
}

init {
  atomic {
    n = 0;
    do
    :: n < RANKS -> run rank(n); n++
    :: else -> break
    od;
    n = 0;
    run clock()
  }
}
