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
// - Not here: wrong claims, seals, other turns, the pace. The window does not change.

#ifndef RECEIVERS
#define RECEIVERS 2
#endif
#ifndef CHAIN
#define CHAIN 0     // the confirm tree: 0 flat, 1 root -> 1 -> 2, 2 root -> 1 -> (2, 3)
#endif
#ifndef PACKETS
#define PACKETS 2   // at most 4
#endif
#ifndef BURST
#define BURST PACKETS
#endif
#ifndef WINDOW
#define WINDOW BURST
#endif
#ifndef POLL_EVERY
#define POLL_EVERY 4  // packets_between_polls
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

// ---- Two ways for bytes ----------------------------------------------------------------------------------------------
mtype = { ask, fetch, done, heard, data };
chan up[RANKS] = [2] of { mtype, byte };    // from a rank to its parent
chan down[RANKS] = [2] of { mtype, byte };  // to a rank from its parent

// Lanes r - 1: from the root to rank r. Lanes RECEIVERS + r - 1: reports of rank r to its parent. Each is sorted: a bag.
// A packet: number + 1, poll. A poll: 8 + end, poll. A report: missing, end, base, poll.
#define LANES (2 * RECEIVERS)
#define TO(r) ((r) - 1)
#define OF(r) (RECEIVERS + (r) - 1)
#define PACKET(number, poll) (((number) + 1) << 4 | (poll))
#define POLL(end, poll) ((8 + (end)) << 4 | (poll))
#define REPORT(missing, end, base, poll) ((missing) << 10 | (end) << 7 | (base) << 4 | (poll))
#define COMES(lane) (net[(lane) * ROOM] != 0)
short net[LANES * ROOM];
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
byte again_;  // a bit for each packet
byte sent_since_poll_;
byte polls_;
byte stamp_[PACKETS];  // polls before it was last sent
bool all_ready_;
byte base_;
byte learned_poll_;

// Receivers.
byte has[RANKS];
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
byte known_missing[RANKS];

// Of one step alone: zero between steps.
byte c, n, v, w;
short at, datagram;
bool are_done, have_answered, have_reported, is_due, is_used, is_new;
byte all_poll, all_end, all_base, all_missing;
byte number, poll, end;
mtype word;

#define WHOLE(r) (has[r] == ALL)
#define IS_RECEIVING(r) (!WHOLE(r) || asked_[r] != 0)
#define NEEDS_WHAT_IS_GONE(r) (IS_RECEIVING(r) && (is_gone[0] || is_gone[PARENT(r)]))
#define LIMIT LESS(PACKETS, (all_ready_ -> base_ + WINDOW : BURST))
#define HAS_SOMETHING_TO_SEND (again_ != 0 || next_ < LIMIT)

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
         assert(((has[c] | all_missing) & BELOW(all_end)) == BELOW(all_end));  // missing
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
    :: !is_used -> for (c : 1 .. RECEIVERS) { assert(len(up[c]) == 0 && len(down[c]) == 0) }
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
       for (n : 0 .. PACKETS - 1) { USES(stamp_[n]) }
       for (c : 1 .. RECEIVERS) { USES(poll_[c]); USES(answered_[c]); USES(known_poll[c]) }
       for (at : 0 .. LANES * ROOM - 1) { USES(net[at] & 15) }
       if
       :: !is_used ->
          polls_--;
          LOWER(learned_poll_);
          for (n : 0 .. PACKETS - 1) { LOWER(stamp_[n]) }
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
/// A report has come from child `from`.
inline reported(from) {
  d_step {
    poll = datagram & 15;
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
       known_missing[from] = datagram >> 10
    :: else
    fi;
    poll = 0; datagram = 0
  }
}

/// What children say together, as `all_`; whether they have reported, and are done.
inline join_below(r) {
  all_poll = 15; all_end = PACKETS; all_base = PACKETS; all_missing = 0;
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
          all_missing = all_missing | known_missing[c]
       fi
    :: else
    fi
  }
  all_missing = all_missing & BELOW(all_end);
  c = 0
}

inline take_word(from) {
  up[from]?word, number;
  d_step {
    if
    :: word == done -> is_done[from] = true; known_poll[from] = 0; known_end[from] = 0; known_base[from] = 0; known_missing[from] = 0
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
    is_done[child] = true; is_asking[child] = false; fetches[child] = 0; idle = 0;
    known_poll[child] = 0; known_end[child] = 0; known_base[child] = 0; known_missing[child] = 0
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
       for (at : TO(r) * ROOM .. TO(r) * ROOM + ROOM - 1) { net[at] = 0 }
    :: else -> next_ = 0; again_ = 0; sent_since_poll_ = 0; all_ready_ = false; base_ = 0; learned_poll_ = 0; polls_ = 0
    fi;
    for (c : 1 .. RECEIVERS) {
      if
      :: IS_CHILD(c, r) -> for (at : OF(c) * ROOM .. OF(c) * ROOM + ROOM - 1) { net[at] = 0 }
      :: else
      fi
    }
    at = 0; c = 0;
    is_due = false; have_answered = false; have_reported = false; are_done = false;
    all_poll = 0; all_end = 0; all_base = 0; all_missing = 0
  }
  check_end();
  goto over
}

inline give_up(r) {
  is_gone[r] = true;
  leave(r)
}

// ---- The root --------------------------------------------------------------------------------------------------------
/// What all children say together: where it is new, what they lack is sent again, unless it has been since that poll.
inline learn() {
  d_step {
    join_below(0);
    if
    :: have_reported && !are_done ->
       is_new = !all_ready_ || all_base > base_ || all_poll > learned_poll_;
       all_ready_ = true;
       // A rank that fetched may be ahead of what was sent.
       base_ = MORE(base_, LESS(all_base, next_));
       if
       :: is_new ->
          all_poll = LESS(all_poll, polls_);
          n = all_base;
          do
          :: n < LESS(all_end, next_) ->
             if
#ifdef MUTATION_skips_sent_before
             :: (all_missing & (1 << n)) && stamp_[n] >= all_poll && !(again_ & (1 << n)) ->
#elif defined(MUTATION_repairs_sent_since)
             :: (all_missing & (1 << n)) && !(again_ & (1 << n)) ->
#else
             :: (all_missing & (1 << n)) && stamp_[n] < all_poll && !(again_ & (1 << n)) ->
#endif
                assert(stamp_[n] < all_poll);  // not sent since the poll that was answered
                stamp_[n] = polls_;
                again_ = again_ | (1 << n)
             :: else
             fi;
             n++
          :: else -> break
          od;
          learned_poll_ = MORE(learned_poll_, all_poll)
       :: else
       fi
    :: else
    fi;
    n = 0; is_new = false; all_poll = 0; all_end = 0; all_base = 0; all_missing = 0; have_reported = false
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
    if
    :: again_ != 0 -> number = BASE(~again_); again_ = again_ & ~(1 << number)
    :: else -> number = next_; next_++
    fi;
    sent_since_poll_++;
    is_used = sent_since_poll_ >= POLL_EVERY || !HAS_SOMETHING_TO_SEND;
    // Until all are there, no more than their buffers hold.
    for (c : 1 .. RECEIVERS) { assert(number < BURST || is_there[c]) }
    stamp_[number] = polls_;
    c = 0
  }
  if
  :: is_used -> is_used = false; new_poll(); to_all(PACKET(number, polls_))
  :: else -> to_all(PACKET(number, 0))
  fi;
  number = 0
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
  has_heard_[r] = true; is_deaf_[r] = false; fetches_[r] = false; is_fresh[r] = true; due[r] = false; idle = 0
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
       :: !(has[r] & (1 << number)) -> has[r] = has[r] | (1 << number); heard_something(r)
       :: else
       fi
    :: else -> end = number - 8
    fi;
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
    all_missing = (all_missing | ~has[r]) & BELOW(all_end) & ~BELOW(all_base);
#ifndef MUTATION_answers_for_children
    all_poll = LESS(all_poll, poll_[r]);
#else
    all_poll = poll_[r];
#endif
    end = 0
  }
  check_report(r);
  put(OF(r), PARENT(r), REPORT(all_missing, all_end, all_base, all_poll), r == MUTE)
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
     :: !is_gone[PARENT(r)] -> assert(nfull(up[r])); up[r]!done, 0
     :: else
     fi;
     leave(r)
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
  all_poll = 0; all_end = 0; all_base = 0; all_missing = 0
}

inline take_answer(r) {
  down[r]?word, number;
  d_step {
    assert(asked_[r] == (word == heard -> ask : fetch));
    if
    :: word == heard -> is_deaf_[r] = true; is_fresh[r] = true
    :: else ->
       if
       :: BELOW(number) & ~has[r] -> has[r] = has[r] | BELOW(number); idle = 0
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
