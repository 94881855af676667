// SPDX-License-Identifier: Apache-2.0
// The protocol of docs/multicast.md, for few ranks and packets, to be searched exhaustively. Its names are those of
// runtime/execute/multicast. run.py beside it has the configurations, what each is for, and the mutations.
//
// - Every step of a rank is atomic: one datagram, MPI message, packet sent, or timer.
// - Datagrams on their way are bags: they come in any order. LOSSES of them are lost, TWICE of them come twice, at any place.
// - Time: where nothing else can happen, the clock ticks. The root polls, and receivers that had nothing new since the tick
//   before ask. Any timer may fire at any other time too, EARLY times in all: so slow networks are searched as well.
// - Never stuck is an assertion: a few ticks without anything new are an error. As only so much can be new, all runs end.
// - Numbers of polls have no bound: only their order counts, so they are renumbered where one is new.
// - Codes: of a block, any so many packets and parity packets of different rows as it has packets are as good as all of it.
//   A root that has sent all PARITIES rows begins with the first one again.
// - Not here: wrong claims, seals, other turns, the pace, what ranks tell of losses. The window does not change, and of each
//   block SPARE parity packets are sent, whatever gets lost.

#ifndef RECEIVERS
#define RECEIVERS 2
#endif
#ifndef CHAIN
#define CHAIN 0     // the confirm tree: 0 flat, 1 root -> 1 -> 2, 2 root -> 1 -> (2, 3)
#endif
#ifndef PACKETS
#define PACKETS 2   // at most 4
#endif
#ifndef PARITIES
#define PARITIES 2  // rows of parity that differ
#endif
#ifndef SPARE
#define SPARE 0     // parity of each block that is sent before anything is known to be lacking
#endif
#ifndef SAYS_DONE
#define SAYS_DONE 1 // 0: the datagram that says `done` always gets lost
#endif
#ifndef NEAR
#define NEAR 0      // the rank whose parent is on its host: its messages go by memory, into which that one looks in its calls alone
#endif
#ifdef MUTATION_near_says_done
#define SAYS(r) SAYS_DONE
#else
#define SAYS(r) (SAYS_DONE && (r) != NEAR)
#endif
#ifndef BURST
#define BURST PACKETS
#endif
#ifndef BLOCK       // packets of a block: at most BURST, and at most 3
#if PACKETS <= BURST
#define BLOCK PACKETS
#else
#define BLOCK BURST
#endif
#endif
#ifndef WINDOW
#define WINDOW BURST
#endif
#ifndef POLL_EVERY
#define POLL_EVERY 4  // between_polls()
#endif
#ifndef FETCH
#define FETCH 2     // packets that one fetch brings
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef TWICE
#define TWICE 0
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef ASKING
#define ASKING 1    // 0: receivers never ask; repairs alone must do
#endif
#ifndef DEAF
#define DEAF 0      // the rank that no datagram reaches
#endif
#ifndef MUTE
#define MUTE 0      // the rank from which no datagram gets anywhere
#endif
#ifndef LATE
#define LATE 0      // the rank that enters at any time
#endif
#ifndef LATE_TICKS
#define LATE_TICKS 2
#endif
#ifndef BUFFER
#define BUFFER BURST  // datagrams that wait for a late rank; more are dropped
#endif
#ifndef MAY_GIVE_UP
#define MAY_GIVE_UP 9  // the rank that may give up at any time
#endif
#ifndef ROOM
#define ROOM 6      // datagrams of one rank on their way to another; more is an error of the model, or lost on the way to a late one
#endif

#define RANKS (RECEIVERS + 1)
#define ALL ((1 << PACKETS) - 1)
#define BELOW(end) ((1 << (end)) - 1)
#define BASE(has) (!((has) & 1) -> 0 : (!((has) & 2) -> 1 : (!((has) & 4) -> 2 : (!((has) & 8) -> 3 : 4))))
#define BLOCKS ((PACKETS + BLOCK - 1) / BLOCK)
#define END_OF(block) LESS(PACKETS, ((block) + 1) * BLOCK)
#define BITS(mask) (((mask) & 1) + ((mask) >> 1 & 1) + ((mask) >> 2 & 1) + ((mask) >> 3 & 1))
#define OF_BLOCK(block) (BELOW(END_OF(block)) & ~BELOW((block) * BLOCK))
#define ROWS(block) (((1 << PARITIES) - 1) << ((block) * PARITIES))
/// What a rank lacks of a block's packets before `end`: parity packets stand for those that are missing.
#define MISSING(r, block, end) BITS((~has[r] & OF_BLOCK(block) & BELOW(end)) >> ((block) * BLOCK))
#define SPARES(r, block) BITS((spare_[r] & ROWS(block)) >> ((block) * PARITIES))
#define LACKS(r, block, end) (MISSING(r, block, end) > SPARES(r, block) -> MISSING(r, block, end) - SPARES(r, block) : 0)
#define LACKS_OF(lacks, block) ((lacks) >> (2 * (block)) & 3)
#define LESS(a, b) ((a) < (b) -> (a) : (b))
#define MORE(a, b) ((a) > (b) -> (a) : (b))
#if CHAIN == 0
#define PARENT(r) 0
#elif CHAIN == 1
#define PARENT(r) ((r) - 1)
#else
#define PARENT(r) ((r) == 1 -> 0 : 1)
#endif
#define IS_CHILD(c, r) ((c) != 0 && PARENT(c) == (r))
#define IS_UNDER(d, r) ((r) == 0 || (d) == (r) || (CHAIN != 0 && (r) == 1))
#define END_OF_FETCH(first) LESS((first) + FETCH, PACKETS)
// Gave up, or its parent did: then it does too, unless it has all.
#define COUNTS(c) (!is_gone[c] && !is_gone[PARENT(c)])
#define MOST_IDLE 4
#ifdef MOST_FUTILE
#define FUTILE(one) one
byte futile;  // repairs since anything was new
#else
#define FUTILE(one) skip
#endif

// ---- Two ways for bytes ----------------------------------------------------------------------------------------------
mtype = { ask, fetch, done, heard, data };
chan up[RANKS] = [2] of { mtype, byte };    // from a rank to its parent
chan down[RANKS] = [2] of { mtype, byte };  // to a rank from its parent

// Lanes r - 1: from the root to rank r. Lanes RECEIVERS + r - 1: reports of rank r to its parent. Each is sorted: a bag.
// A packet: number + 1, poll. A poll: 8 + end, poll. Parity: 16 + row of all blocks', poll. A report: by block what is
// lacking, end, base, poll.
#define LANES (2 * RECEIVERS)
#define TO(r) ((r) - 1)
#define OF(r) (RECEIVERS + (r) - 1)
#define PACKET(number, poll) (((number) + 1) << 4 | (poll))
#define POLL(end, poll) ((8 + (end)) << 4 | (poll))
#define PARITY(row, poll) ((16 + (row)) << 4 | (poll))
#define DONE (1 << 20)
#define REPORT(lacks, end, base, poll) ((lacks) << 10 | (end) << 7 | (base) << 4 | (poll))
#define COMES(lane) (net[(lane) * ROOM] != 0)
int net[LANES * ROOM];
byte losses = LOSSES;
byte twice = TWICE;
byte early = EARLY;

// ---- The ranks -------------------------------------------------------------------------------------------------------
byte late[RANKS];      // ticks until it may enter
bool is_there[RANKS];  // it has entered the call
bool has_left[RANKS];  // and left it: done, or it gave up
bool is_gone[RANKS];   // it gave up; MPI notices say so
bool due[RANKS];       // its timer
bool is_fresh[RANKS];  // something new since the tick before
byte idle;             // ticks since anything was new

// The root.
byte next_;
byte sent_;              // of all packets, parity too, until all are there
byte owed_[BLOCKS];      // so many more parity packets
byte row_[BLOCKS];       // of the next one
byte stamp_[BLOCKS * PARITIES];  // by row: polls before it was last sent
byte sent_since_poll_;
byte polls_;
bool all_ready_;
byte base_;
byte learned_poll_;

// Receivers.
byte has[RANKS];
short spare_[RANKS];   // a bit for each row of each block: parity packets of blocks that are not whole
byte end_[RANKS];
byte poll_[RANKS];
byte answered_[RANKS];
mtype asked_[RANKS];  // 0: nothing
bool is_deaf_[RANKS];
bool fetches_[RANKS];
bool has_heard_[RANKS];

// What the parent knows of each rank.
bool is_done[RANKS];
bool is_asking[RANKS];
byte fetches[RANKS];  // from which packet on, and 1
byte known_poll[RANKS];
byte known_end[RANKS];
byte known_base[RANKS];
byte known_lacks[RANKS];
#ifdef MUTATION_counts_parity_twice
short rows_[RANKS];     // as spare_, but what has come
#endif
bool has_said[RANKS];   // done, by a datagram: its word may come later

// Of one step alone: zero between steps.
byte c, n, v, w;
short at;
int datagram;
bool are_done, have_answered, have_reported, is_due, is_used, is_new;
byte all_poll, all_end, all_base, all_lacks, all_sum;
byte block, coming;
bool owes;
byte number, poll, end;
mtype word;

#define WHOLE(r) (has[r] == ALL)
#define IS_RECEIVING(r) (!WHOLE(r) || asked_[r] != 0)
#define NEEDS_WHAT_IS_GONE(r) (IS_RECEIVING(r) && (is_gone[0] || is_gone[PARENT(r)]))
#define LIMIT LESS(PACKETS, (all_ready_ -> base_ + WINDOW : next_ + BURST - sent_))
#if PACKETS <= BLOCK
#define OWES (owed_[0] != 0)
#elif PACKETS <= 2 * BLOCK
#define OWES (owed_[0] != 0 || owed_[1] != 0)
#elif PACKETS <= 3 * BLOCK
#define OWES (owed_[0] != 0 || owed_[1] != 0 || owed_[2] != 0)
#else
#define OWES (owed_[0] != 0 || owed_[1] != 0 || owed_[2] != 0 || owed_[3] != 0)
#endif
#define MAY_REPAIR (OWES && (all_ready_ || sent_ < BURST))
#define HAS_SOMETHING_TO_SEND (MAY_REPAIR || next_ < LIMIT)

// ---- Properties ------------------------------------------------------------------------------------------------------
/// Nothing that a report says of the ranks below is wrong.
inline check_report(r) {
  d_step {
    assert(all_poll > 0 && all_base <= all_end);
    for (c : 1 .. RECEIVERS) {
      if
      :: IS_UNDER(c, r) && COUNTS(c) ->
         assert(is_there[c]);
         assert((has[c] & BELOW(all_base)) == BELOW(all_base));          // base
         for (block : 0 .. BLOCKS - 1) {
           coming = LACKS(c, block, all_end);
           assert(coming <= LACKS_OF(all_lacks, block))  // what is lacking
         }
         block = 0; coming = 0;
         assert(has_left[c] || poll_[c] >= all_poll)                     // all have heard the poll
      :: else
      fi
    }
    c = 0
  }
}

/// Done: everybody below has everything, and has left.
inline check_done(r) {
  d_step {
    assert(WHOLE(r));
    for (c : 1 .. RECEIVERS) {
      if
      :: IS_UNDER(c, r) && COUNTS(c) ->
         assert(WHOLE(c));
         assert(c == r || has_left[c])
      :: else
      fi
    }
    c = 0
  }
}

/// No message is left behind, unless a rank gave up: then MPI's notices end what is under way.
inline check_end() {
  d_step {
    is_used = false;
    for (c : 0 .. RECEIVERS) { is_used = is_used || !has_left[c] || is_gone[c] }
    if
    :: !is_used ->
       for (c : 1 .. RECEIVERS) {
         // Its word `done` comes later where a datagram has said so: the receive for it stays, but not in memory.
         assert(len(up[c]) == 0 || (c != NEAR && has_said[c] && len(up[c]) == 1 && up[c]?[done, 0]));
         assert(len(down[c]) == 0)
       }
    :: else
    fi;
    c = 0; is_used = false
  }
}

// ---- Datagrams -------------------------------------------------------------------------------------------------------
inline insert(lane, one) {
  d_step {
    assert(net[(lane) * ROOM + ROOM - 1] == 0);  // ROOM is enough
    at = (lane) * ROOM + ROOM - 1;
    do
    :: at > (lane) * ROOM && net[at - 1] < one -> net[at] = net[at - 1]; at--
    :: else -> break
    od;
    net[at] = one; at = 0
  }
}

/// To a rank: lost, twice, or once.
inline put(lane, to, one, is_lost) {
  if
  :: (is_lost) || has_left[to] || (!is_there[to] && net[(lane) * ROOM + BUFFER - 1] != 0) ||
     (LATE && to == LATE && net[(lane) * ROOM + ROOM - 1] != 0)
  :: else ->
     if
     :: insert(lane, one)
     :: losses > 0 -> losses--; idle = 0
     :: twice > 0 && is_there[to] -> twice--; insert(lane, one); insert(lane, one)
     fi
  fi
}

inline to_all(one) {
  datagram = one;
  w = 1;
  do
  :: w <= RECEIVERS -> put(TO(w), w, datagram, w == DEAF); w++
  :: else -> break
  od;
  datagram = 0; w = 0
}

/// Any one of those that are there.
inline get(lane) {
  at = (lane) * ROOM;
  do
  :: at < (lane) * ROOM + ROOM - 1 && net[at + 1] != 0 -> at++
  :: break
  od;
  datagram = net[at];
  d_step {
    do
    :: at < (lane) * ROOM + ROOM - 1 -> net[at] = net[at + 1]; at++
    :: else -> break
    od;
    net[at] = 0; at = 0
  }
}

// ---- Polls -----------------------------------------------------------------------------------------------------------
#define USES(x) is_used = is_used || (x) == v
#define LOWER(x) x = x - ((x) > v -> 1 : 0)

/// Numbers that nobody knows any more are taken out; then the next one is new.
inline new_poll() {
  d_step {
    v = polls_;
    do
    :: v > 0 ->
       is_used = learned_poll_ == v;
       for (n : 0 .. BLOCKS * PARITIES - 1) { USES(stamp_[n]) }
       for (c : 1 .. RECEIVERS) { USES(poll_[c]); USES(answered_[c]); USES(known_poll[c]) }
       for (at : 0 .. LANES * ROOM - 1) { USES(net[at] & 15) }
       if
       :: !is_used ->
          polls_--;
          LOWER(learned_poll_);
          for (n : 0 .. BLOCKS * PARITIES - 1) { LOWER(stamp_[n]) }
          for (c : 1 .. RECEIVERS) { LOWER(poll_[c]); LOWER(answered_[c]); LOWER(known_poll[c]) }
          for (at : 0 .. LANES * ROOM - 1) { net[at] = net[at] - ((net[at] & 15) > v -> 1 : 0) }
       :: else
       fi;
       v--
    :: else -> break
    od;
    polls_++;
    assert(polls_ < 16);
    sent_since_poll_ = 0;
    n = 0; c = 0; at = 0; is_used = false
  }
}

// ---- Below: the children of a rank -----------------------------------------------------------------------------------
/// A report has come from child `from`, or that it is done.
inline reported(from) {
  d_step {
    poll = datagram & 15;
    if
    :: datagram == DONE -> set_done(from); has_said[from] = true
    :: else ->
#ifndef MUTATION_older_replaces
    if
    :: poll >= known_poll[from] && !is_done[from] ->
#else
    if
    :: !is_done[from] ->
#endif
       assert(poll >= known_poll[from]);  // what is known of a rank gets no older
       known_poll[from] = poll;
       known_base[from] = datagram >> 4 & 7;
       known_end[from] = datagram >> 7 & 7;
       known_lacks[from] = datagram >> 10
    :: else
    fi
    fi;
    poll = 0; datagram = 0
  }
}

inline set_done(child) {
  is_done[child] = true;
  known_poll[child] = 0; known_end[child] = 0; known_base[child] = 0; known_lacks[child] = 0
}

/// Of each block the most that a rank lacks.
inline join_lacks(lacks) {
  all_sum = 0;
  for (block : 0 .. BLOCKS - 1) {
    all_sum = all_sum | MORE(LACKS_OF(all_lacks, block), LACKS_OF(lacks, block)) << (2 * block)
  }
#ifdef MUTATION_speaks_of_last_child
  all_lacks = lacks;
#else
  all_lacks = all_sum;
#endif
  all_sum = 0; block = 0
}

/// What children say together, as `all_`; whether they have reported, and are done.
inline join_below(r) {
  all_poll = 15; all_end = PACKETS; all_base = PACKETS; all_lacks = 0;
  have_reported = true; are_done = true;
  for (c : 1 .. RECEIVERS) {
    if
    :: IS_CHILD(c, r) && !is_done[c] ->
       are_done = false;
       if
       :: known_poll[c] == 0 ->
#ifndef MUTATION_speaks_for_silent
          have_reported = false
#else
          have_reported = have_reported && (r != 0)
#endif
       :: else ->
          all_poll = LESS(all_poll, known_poll[c]);
          all_base = LESS(all_base, known_base[c]);
#ifndef MUTATION_greatest_end
          all_end = LESS(all_end, known_end[c]);
#endif
          join_lacks(known_lacks[c])
       fi
    :: else
    fi
  }
  c = 0
}

inline take_word(from) {
  up[from]?word, number;
  d_step {
    if
    :: word == done -> set_done(from)
    :: word == ask -> is_asking[from] = true
    :: word == fetch -> fetches[from] = number + 1
    fi;
    word = 0; number = 0
  }
}

inline serve(r) {
  d_step {
    for (c : 1 .. RECEIVERS) {
      if
      :: IS_CHILD(c, r) && is_asking[c] && has_heard_[r] ->
         is_asking[c] = false; assert(nfull(down[c])); down[c]!heard, 0
      :: IS_CHILD(c, r) && fetches[c] != 0 &&
#ifndef MUTATION_answers_too_soon
         BASE(has[r]) >= END_OF_FETCH(fetches[c] - 1) ->
#else
         BASE(has[r]) >= fetches[c] ->
#endif
         assert(BASE(has[r]) >= END_OF_FETCH(fetches[c] - 1));
         assert(nfull(down[c])); down[c]!data, END_OF_FETCH(fetches[c] - 1); fetches[c] = 0
      :: else
      fi
    }
    c = 0
  }
}

inline leave_out(child) {
  d_step {
    set_done(child); is_asking[child] = false; fetches[child] = 0; idle = 0
  }
}

// ---- Leaving ---------------------------------------------------------------------------------------------------------
/// What a rank knew goes with it.
inline leave(r) {
  d_step {
    has_left[r] = true; is_fresh[r] = false; due[r] = false; idle = 0;
    if
    :: r != 0 ->
       end_[r] = 0; poll_[r] = 0; answered_[r] = 0; asked_[r] = 0; is_deaf_[r] = false; fetches_[r] = false;
       spare_[r] = 0;
       for (at : TO(r) * ROOM .. TO(r) * ROOM + ROOM - 1) { net[at] = 0 }
    :: else ->
       next_ = 0; sent_ = 0;
       for (block : 0 .. BLOCKS - 1) { owed_[block] = 0; row_[block] = 0 }
       for (n : 0 .. BLOCKS * PARITIES - 1) { stamp_[n] = 0 }
       block = 0; n = 0;
       sent_since_poll_ = 0; all_ready_ = false; base_ = 0; learned_poll_ = 0; polls_ = 0
    fi;
    for (c : 1 .. RECEIVERS) {
      if
      :: IS_CHILD(c, r) -> for (at : OF(c) * ROOM .. OF(c) * ROOM + ROOM - 1) { net[at] = 0 }
      :: else
      fi
    }
    at = 0; c = 0;
    is_due = false; have_answered = false; have_reported = false; are_done = false;
    all_poll = 0; all_end = 0; all_base = 0; all_lacks = 0
  }
  check_end();
  goto over
}

inline give_up(r) {
  is_gone[r] = true;
  leave(r)
}

// ---- The root --------------------------------------------------------------------------------------------------------
/// Of a block that has been sent, what a rank lacks must come once more, unless as much is on its way since the poll that
/// it answers.
inline repair(child) {
  for (block : 0 .. BLOCKS - 1) {
    if
#ifndef MUTATION_repairs_before_end
    :: END_OF(block) <= LESS(known_end[child], next_) ->
#else
    :: else ->
#endif
       coming = owed_[block];
       for (n : block * PARITIES .. block * PARITIES + PARITIES - 1) {
         coming = coming + (stamp_[n] >= known_poll[child] -> 1 : 0)
       }
       owes = LACKS_OF(known_lacks[child], block) > coming;
#ifdef MUTATION_repairs_sent_since
       coming = owed_[block];
#endif
       if
       :: LACKS_OF(known_lacks[child], block) > coming ->
          assert(END_OF(block) <= next_);  // all of the block has been sent
          assert(owes);                    // and as much has not been sent since the poll that is answered
          owed_[block] = owed_[block] + LACKS_OF(known_lacks[child], block) - coming
       :: else
       fi
#ifndef MUTATION_repairs_before_end
    :: else
#endif
    fi
  }
  block = 0; n = 0; coming = 0; owes = false
}

/// From what each child says: parity for what is lacking below it; from what all say together, how far it may go.
inline learn() {
  d_step {
    for (c : 1 .. RECEIVERS) {
      if
      :: IS_CHILD(c, 0) && !is_done[c] && known_poll[c] != 0 -> repair(c)
      :: else
      fi
    }
    c = 0;
    join_below(0);
    if
    :: have_reported && !are_done ->
       all_ready_ = true; sent_ = 0;
       // A rank that fetched may be ahead of what was sent.
       base_ = MORE(base_, LESS(all_base, next_));
       learned_poll_ = MORE(learned_poll_, LESS(all_poll, polls_))
    :: else
    fi;
    n = 0; is_new = false; all_poll = 0; all_end = 0; all_base = 0; all_lacks = 0; have_reported = false
  }
}

inline root_after() {
  serve(0);
#ifdef MUTATION_root_leaves_on_reports
  if
  :: all_ready_ && base_ == PACKETS -> are_done = true
  :: else
  fi;
#endif
  if
  :: are_done -> check_done(0); leave(0)
  :: else
  fi;
  are_done = false
}

inline send() {
  d_step {
    // Until all are there, no more than their buffers hold.
    for (c : 1 .. RECEIVERS) { assert(all_ready_ || sent_ < BURST || is_there[c]) }
    c = 0;
    if
    :: MAY_REPAIR ->
       do
       :: owed_[block] == 0 -> block++
       :: else -> break
       od;
       owed_[block]--;
       number = block * PARITIES + row_[block];
       stamp_[number] = polls_;
#ifndef MUTATION_same_row_again
       row_[block] = (row_[block] + 1) % PARITIES;
#endif
       FUTILE(futile++);
       FUTILE(assert(futile <= MOST_FUTILE));  // never in a circle
       datagram = PARITY(number, 0)
    :: else ->
       number = next_; next_++;
       block = number / BLOCK;
       if
       :: next_ == END_OF(block) -> owed_[block] = owed_[block] + SPARE
       :: else
       fi;
       datagram = PACKET(number, 0)
    fi;
    if
    :: !all_ready_ -> sent_++
    :: else
    fi;
    sent_since_poll_++;
    is_used = sent_since_poll_ >= POLL_EVERY || !HAS_SOMETHING_TO_SEND;
    block = 0; number = 0
  }
  if
  :: is_used -> new_poll(); to_all(datagram | polls_)
  :: else -> to_all(datagram)
  fi
}

proctype root() {
  do
  :: atomic { COMES(OF(1)) && PARENT(1) == 0 -> get(OF(1)); reported(1); learn(); root_after() }
#if RECEIVERS > 1 && CHAIN == 0
  :: atomic { COMES(OF(2)) -> get(OF(2)); reported(2); learn(); root_after() }
#endif
  :: atomic { nempty(up[1]) -> take_word(1); learn(); root_after() }
#if RECEIVERS > 1 && CHAIN == 0
  :: atomic { nempty(up[2]) -> take_word(2); learn(); root_after() }
#endif
  :: atomic { HAS_SOMETHING_TO_SEND -> send() }
#ifndef MUTATION_root_polls_no_more
  :: atomic { due[0] && !HAS_SOMETHING_TO_SEND -> due[0] = false; new_poll(); to_all(POLL(next_, polls_)) }
  :: atomic { early > 0 && next_ > 0 && !HAS_SOMETHING_TO_SEND -> early--; new_poll(); to_all(POLL(next_, polls_)) }
#endif
#if MAY_GIVE_UP != 9
  :: atomic { is_gone[1] && !is_done[1] -> leave_out(1); learn(); root_after() }
#if RECEIVERS > 1 && CHAIN == 0
  :: atomic { is_gone[2] && !is_done[2] -> leave_out(2); learn(); root_after() }
#endif
#if MAY_GIVE_UP == 0
  :: atomic { give_up(0) }
#endif
#endif
  od;
over: skip
}

// ---- A receiver ------------------------------------------------------------------------------------------------------
inline heard_something(r) {
  has_heard_[r] = true; is_deaf_[r] = false; fetches_[r] = false; is_fresh[r] = true; due[r] = false; idle = 0;
  FUTILE(futile = 0)
}

/// Of the block, where there are enough packets.
inline decode(r) {
  if
  :: (~has[r] & OF_BLOCK(block)) != 0 && LACKS(r, block, PACKETS) == 0 ->
#ifdef MUTATION_counts_parity_twice
     assert(MISSING(r, block, PACKETS) <= BITS((rows_[r] & ROWS(block)) >> (block * PARITIES)));  // of different rows
#endif
     has[r] = has[r] | OF_BLOCK(block)
  :: else
  fi;
  spare_[r] = spare_[r] & ((~has[r] & OF_BLOCK(block)) != 0 -> ~0 : ~ROWS(block))
}

inline hear_one(r) {
  d_step {
    poll = datagram & 15;
    number = datagram >> 4;
    if
    :: number < 8 ->
       number--;
       end = number + 1;
       if
       :: !(has[r] & (1 << number)) ->
          has[r] = has[r] | (1 << number); heard_something(r);
          block = number / BLOCK; decode(r)
       :: else
       fi
    :: number >= 16 ->
       number = number - 16;
       block = number / PARITIES;
       end = END_OF(block);
       if
#ifndef MUTATION_counts_parity_twice
       :: (~has[r] & OF_BLOCK(block)) != 0 && !(spare_[r] & (1 << number)) ->
          spare_[r] = spare_[r] | (1 << number); heard_something(r); decode(r)
#else
       :: (~has[r] & OF_BLOCK(block)) != 0 ->
          spare_[r] = spare_[r] | (spare_[r] & (1 << number) -> 1 << (block * PARITIES + (number + 1) % PARITIES) : 1 << number);
          rows_[r] = rows_[r] | (1 << number); heard_something(r); decode(r)
#endif
       :: else
       fi
    :: else -> end = number - 8
    fi;
    block = 0;
#ifdef MUTATION_repeated_poll_unanswered
    if
    :: poll > poll_[r] && end <= end_[r] -> poll_[r] = poll; answered_[r] = poll
    :: else
    fi;
#endif
    if
    :: poll > poll_[r] ->
       is_due = answered_[r] < poll_[r];  // the poll before is not answered for all below
       poll_[r] = poll;
#ifndef MUTATION_polls_are_news
       // The same again is nothing new, however often it comes: what is new must run out.
       if
       :: end > end_[r] -> end_[r] = end; heard_something(r)
       :: else
       fi
#else
       end_[r] = MORE(end_[r], end);
       if
       :: BASE(has[r]) >= end_[r] -> has_heard_[r] = true; is_deaf_[r] = false; fetches_[r] = false; is_fresh[r] = true; due[r] = false
       :: else
       fi
#endif
    :: else
    fi;
    datagram = 0; poll = 0; number = 0; end = 0
  }
}

inline report(r) {
  d_step {
    all_base = LESS(all_base, BASE(has[r]));
    end = MORE(end_[r], BASE(has[r]));
#ifdef MUTATION_greatest_end
    all_end = MORE(end, (all_end == PACKETS && all_poll == 15 -> end : all_end));
#else
    all_end = LESS(all_end, end);
#endif
    for (n : 0 .. BLOCKS - 1) {
      coming = coming | LACKS(r, n, all_end) << (2 * n)
    }
    n = 0;
    join_lacks(coming);
    coming = 0;
#ifndef MUTATION_answers_for_children
    all_poll = LESS(all_poll, poll_[r]);
#else
    all_poll = poll_[r];
#endif
    end = 0
  }
  check_report(r);
  put(OF(r), PARENT(r), REPORT(all_lacks, all_end, all_base, all_poll), r == MUTE)
}

inline say_done(r) {
  if
  :: SAYS(r) -> put(OF(r), PARENT(r), DONE, r == MUTE)
  :: else
  fi
}

/// After whatever came: what is due is done at once.
inline receiver_after(r) {
  serve(r);
  d_step {
    join_below(r);
    have_answered = true;
    for (c : 1 .. RECEIVERS) {
      have_answered = have_answered && (!IS_CHILD(c, r) || is_done[c] || known_poll[c] >= poll_[r])
    }
    c = 0
  }
  if
#ifdef MUTATION_done_while_asking
  :: WHOLE(r) && are_done ->
#elif defined(MUTATION_leaves_children)
  :: WHOLE(r) && asked_[r] == 0 ->
#else
  :: WHOLE(r) && are_done && asked_[r] == 0 ->
#endif
     check_done(r);
     if
     :: !is_gone[PARENT(r)] -> assert(nfull(up[r])); up[r]!done, 0; say_done(r)
     :: else
     fi;
     leave(r)
#ifdef MUTATION_says_done_while_asking
  :: WHOLE(r) && are_done && asked_[r] != 0 -> say_done(r)
#endif
#ifdef MUTATION_says_done_above_children
  :: WHOLE(r) && !are_done && asked_[r] == 0 -> say_done(r)
#endif
  :: else ->
     if
     :: poll_[r] > answered_[r] && have_answered -> answered_[r] = poll_[r]; report(r)
     :: else ->
        if
        :: is_due && have_reported -> report(r)
        :: else
        fi
     fi
  fi;
  is_due = false; have_answered = false; have_reported = false; are_done = false;
  all_poll = 0; all_end = 0; all_base = 0; all_lacks = 0
}

inline take_answer(r) {
  down[r]?word, number;
  d_step {
    assert(asked_[r] == (word == heard -> ask : fetch));
    if
    :: word == heard -> is_deaf_[r] = true; is_fresh[r] = true
    :: else ->
       if
       :: BELOW(number) & ~has[r] ->
          has[r] = has[r] | BELOW(number); idle = 0;
          for (block : 0 .. BLOCKS - 1) { decode(r) }
          block = 0
       :: else
       fi;
       fetches_[r] = true; has_heard_[r] = true; is_fresh[r] = true
    fi;
    asked_[r] = 0; word = 0; number = 0
  }
}

#define MAY_ASK(r) (ASKING && !WHOLE(r) && asked_[r] == 0)

inline ask_parent(r) {
  assert(nfull(up[r]));
  due[r] = false;
  if
  :: is_deaf_[r] || fetches_[r] -> asked_[r] = fetch; up[r]!fetch, BASE(has[r])
  :: else -> asked_[r] = ask; up[r]!ask, 0
  fi
}

proctype receiver(byte r) {
  atomic { late[r] == 0 -> is_there[r] = true; idle = 0 };
  do
  :: atomic { COMES(TO(r)) -> get(TO(r)); hear_one(r); receiver_after(r) }
#if CHAIN != 0
  :: atomic { r == 1 && COMES(OF(2)) -> get(OF(2)); reported(2); receiver_after(r) }
  :: atomic { r == 1 && nempty(up[2]) -> take_word(2); receiver_after(r) }
#endif
#if CHAIN == 2
  :: atomic { r == 1 && COMES(OF(3)) -> get(OF(3)); reported(3); receiver_after(r) }
  :: atomic { r == 1 && nempty(up[3]) -> take_word(3); receiver_after(r) }
#endif
  :: atomic { nempty(down[r]) -> take_answer(r); receiver_after(r) }
  :: atomic { MAY_ASK(r) && (fetches_[r] || due[r]) -> ask_parent(r) }
  :: atomic { MAY_ASK(r) && !fetches_[r] && !due[r] && early > 0 -> early--; ask_parent(r) }
#if MAY_GIVE_UP != 9
  :: atomic { NEEDS_WHAT_IS_GONE(r) -> give_up(r) }
#if CHAIN != 0
  :: atomic { r == 1 && is_gone[2] && !is_done[2] -> leave_out(2); receiver_after(r) }
#endif
#if CHAIN == 2
  :: atomic { r == 1 && is_gone[3] && !is_done[3] -> leave_out(3); receiver_after(r) }
#endif
  :: atomic { r == MAY_GIVE_UP -> give_up(r) }
#endif
  od;
over: skip
}

// ---- Time ------------------------------------------------------------------------------------------------------------
#define HAVE_ALL_LEFT (has_left[0] && has_left[1] && has_left[2 % RANKS] && has_left[3 % RANKS])

proctype clock() {
  do
  :: HAVE_ALL_LEFT -> break
  :: timeout ->
     d_step {
       idle++;
       assert(idle <= MOST_IDLE);  // never stuck
       due[0] = !has_left[0];
       for (c : 1 .. RECEIVERS) {
         due[c] = ASKING && is_there[c] && !is_fresh[c] && !WHOLE(c) && asked_[c] == 0;
         is_fresh[c] = false;
         if
         :: late[c] > 0 -> late[c]--; idle = 0
         :: else
         fi
       }
       c = 0
     }
  od
}

init {
  atomic {
    is_there[0] = true; has[0] = ALL; has_heard_[0] = true;
#if LATE
    select(n : 0 .. LATE_TICKS);
    late[LATE] = n; n = 0;
#endif
    run root();
    n = 1;
    do
    :: n <= RECEIVERS -> run receiver(n); n++
    :: else -> break
    od;
    n = 0;
    run clock()
  }
}
