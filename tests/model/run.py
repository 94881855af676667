#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches the model of docs/multicast.md exhaustively with Spin, and sees that each mutation of it fails.

``run.py`` runs all configurations; ``run.py --quick`` what is over within seconds; ``run.py NAME...`` those alone.
Exit status 1 where a configuration fails, is not searched to its end, or a mutation is not found.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "model"
MEMORY_MIB = 1800
DEPTH = 20_000

# Every property is an assertion of the model: what Spin prints of it.
PROPERTIES = {
    "never stuck": "idle<=",
    "never in a circle": "futile<=",
    "no message is left behind": "(q_len(",
    "a report's base is true": "(has[c]&((1<<all_base)-1))",
    "a report says all that is lacking": "(coming<=",
    "a report's poll was heard by all": "poll_[c]>=all_poll",
    "what is known gets no older": "poll>=known_poll",
    "no repair of what was sent since the poll": "violated owes",
    "parity of whole blocks alone": "<=next_",
    "decoded from different rows": "rows_[r]",
    "a parent answers with what it has": "fetches[c]-1",
    "done: all below have everything": "(has[c]==((1<<",
    "done: all below have left": "||has_left[c])",
    "what is sent fits every buffer": "n<=(",
    "what is wanted is kept": "(at[r]!=call)",
    "what is missing is kept": "(sent[o]>n)",
    "what comes is within the window": "sent[r]<=(p+3)",
}


@dataclass(frozen=True)
class Configuration:
    """What is searched: definitions for the model, and what for."""

    name: str
    defines: str
    why: str
    is_quick: bool = False
    model: str = "multicast"


@dataclass(frozen=True)
class Mutation:
    """A fault put into the model, where it shows, and the property that finds it."""

    name: str
    defines: str
    property: str
    model: str = "multicast"


CONFIGURATIONS = [
    Configuration("plain", "", "two packets in order and not; nothing lost", True),
    Configuration(
        "flat-loss", "-DPACKETS=3 -DBURST=2 -DPOLL_EVERY=2 -DLOSSES=1 -DTWICE=1", "one lost, one twice", True
    ),
    Configuration(
        "chain-loss", "-DCHAIN=1 -DPACKETS=3 -DBURST=2 -DPOLL_EVERY=2 -DLOSSES=1 -DTWICE=1", "the same, below", True
    ),
    Configuration("repairs", "-DASKING=0 -DPACKETS=3 -DBURST=2 -DLOSSES=2", "nobody asks: repairs alone do", True),
    Configuration("repairs-chain", "-DASKING=0 -DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=3", "the same, below", True),
    Configuration("deaf", "-DDEAF=2 -DPACKETS=4 -DBURST=2", "asking alone brings the message", True),
    Configuration(
        "deaf-leaf", "-DCHAIN=1 -DDEAF=2 -DPACKETS=4 -DBURST=3 -DLOSSES=1", "its parent must ask for it", True
    ),
    Configuration(
        "deaf-inside", "-DCHAIN=1 -DDEAF=1 -DPACKETS=4 -DBURST=2 -DLOSSES=1", "it passes on what it fetched", True
    ),
    Configuration(
        "mute", "-DMUTE=2 -DPACKETS=4 -DBURST=2 -DLOSSES=1", "its reports get nowhere, the burst is over", True
    ),
    Configuration("mute-leaf", "-DCHAIN=1 -DMUTE=2 -DPACKETS=4 -DBURST=2 -DLOSSES=1", "the same, below", True),
    Configuration("mute-inside", "-DCHAIN=1 -DMUTE=1 -DPACKETS=4 -DBURST=2 -DLOSSES=1", "reports end at it", True),
    Configuration("late", "-DLATE=2 -DPACKETS=3 -DBURST=2", "enters at any time, its buffer is small", True),
    Configuration("late-inside", "-DCHAIN=1 -DLATE=1 -DPACKETS=3 -DBURST=2", "children before their parent", True),
    Configuration("gives-up-root", "-DMAY_GIVE_UP=0 -DLOSSES=1", "at any time", True),
    Configuration(
        "gives-up-inside", "-DMAY_GIVE_UP=1 -DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=1", "who needs it too", True
    ),
    Configuration("gives-up-leaf", "-DMAY_GIVE_UP=2 -DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=1", "others go on", True),
    Configuration("fork", "-DCHAIN=2 -DRECEIVERS=3 -DLOSSES=1 -DTWICE=1", "one below, two below that", True),
    Configuration(
        "codes", "-DASKING=0 -DPACKETS=3 -DLOSSES=3 -DPARITIES=3", "one block; parity alone repairs it", True
    ),
    Configuration(
        "codes-blocks",
        "-DASKING=0 -DCHAIN=1 -DBLOCK=1 -DPARITIES=1 -DLOSSES=2 -DROOM=12",
        "blocks of one packet",
        True,
    ),
    Configuration("codes-circles", "-DASKING=0 -DLOSSES=2 -DMOST_FUTILE=8", "no repair without end", True),
    Configuration("codes-chain", "-DASKING=0 -DCHAIN=1 -DPACKETS=3 -DLOSSES=3 -DPARITIES=3", "the same, below", True),
    Configuration(
        "spare", "-DPACKETS=3 -DSPARE=1 -DLOSSES=1 -DPARITIES=3 -DROOM=13", "parity before it is asked for", True
    ),
    Configuration(
        "spare-late", "-DLATE=2 -DPACKETS=3 -DSPARE=1 -DLOSSES=1 -DPARITIES=3 -DROOM=13", "no more than fits", True
    ),
    Configuration("says-done", "-DLOSSES=2 -DTWICE=1", "done by datagram, its word later", True),
    Configuration("says-done-chain", "-DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=2 -DTWICE=1", "the same, below", True),
    Configuration("says-done-deaf", "-DCHAIN=1 -DDEAF=2 -DPACKETS=4 -DBURST=2", "of what it fetched", True),
    Configuration(
        "says-done-gives-up",
        "-DCHAIN=1 -DMAY_GIVE_UP=1 -DPACKETS=3 -DBURST=2 -DLOSSES=1",
        "who needs it",
        True,
    ),
    Configuration("near", "-DNEAR=1 -DLOSSES=2 -DTWICE=1", "a parent stays for a word in memory", True),
    Configuration("near-chain", "-DNEAR=2 -DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=2 -DTWICE=1", "the same, below"),
    Configuration("near-inside", "-DNEAR=1 -DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=2", "above one elsewhere", True),
    Configuration("near-deaf", "-DNEAR=2 -DCHAIN=1 -DDEAF=2 -DPACKETS=4 -DBURST=2", "it asks in memory", True),
    Configuration(
        "near-gives-up",
        "-DNEAR=2 -DCHAIN=1 -DMAY_GIVE_UP=2 -DPACKETS=3 -DBURST=2 -DLOSSES=1",
        "its parent stays no longer",
        True,
    ),
    Configuration("word-alone", "-DSAYS_DONE=0 -DLOSSES=2 -DTWICE=1", "each datagram of done is lost", True),
    Configuration(
        "word-alone-chain",
        "-DSAYS_DONE=0 -DCHAIN=1 -DPACKETS=3 -DBURST=2 -DLOSSES=2 -DTWICE=1",
        "the same, below",
        True,
    ),
    Configuration("word-alone-slow", "-DSAYS_DONE=0 -DCHAIN=1 -DEARLY=2 -DLOSSES=1 -DSPARE=1", "timers at any time"),
    Configuration("says-done-slow", "-DCHAIN=1 -DEARLY=2 -DLOSSES=1 -DSPARE=1", "timers at any time"),
    Configuration("slow", "-DRECEIVERS=1 -DEARLY=3 -DROOM=13", "timers fire while datagrams are under way"),
    Configuration("slow-chain", "-DCHAIN=1 -DEARLY=2", "the same, below"),
    Configuration("slow-loss", "-DRECEIVERS=1 -DEARLY=2 -DLOSSES=2 -DROOM=13", "with a loss"),
    Configuration("slow-chain-loss", "-DCHAIN=1 -DEARLY=1 -DPACKETS=3 -DBURST=2 -DLOSSES=2", "with two, below"),
    Configuration("late-inside-loss", "-DCHAIN=1 -DLATE=1 -DPACKETS=3 -DBURST=2 -DLOSSES=1", "late, and one is lost"),
    Configuration(
        "chain-four",
        "-DCHAIN=1 -DPACKETS=4 -DBURST=2 -DPOLL_EVERY=2 -DLOSSES=2 -DTWICE=1 -DROOM=8",
        "four packets, two lost, one twice",
    ),
    Configuration("late-slow", "-DCHAIN=1 -DLATE=2 -DEARLY=1 -DPACKETS=3 -DBURST=2", "late, timers at any time"),
    Configuration(
        "late-gives-up",
        "-DCHAIN=1 -DLATE=1 -DMAY_GIVE_UP=1 -DPACKETS=3 -DBURST=2",
        "gives up before or after it enters",
    ),
    Configuration("eager", "", "a root each call, any datagram lost", True, "eager"),
    Configuration("eager-packets", "-DPACKETS=2 -DCALLS=2", "two packets each", True, "eager"),
    Configuration("eager-one-root", "-DSTEP=0 -DCALLS=4", "always the same root", True, "eager"),
    Configuration("eager-two", "-DRANKS=2 -DCALLS=6", "two ranks, two meetings", True, "eager"),
    Configuration(
        "eager-calls", "-DCALLS=4 -DTWICE=1", "a meeting, and calls after it; one comes twice", True, "eager"
    ),
    Configuration("eager-twice", "-DPACKETS=2 -DTWICE=1", "two packets each, one comes twice", model="eager"),
    Configuration("turns", "-DPIECES=1", "a piece each, all at once", True, "turns"),
    Configuration("turns-one", "-DAT_ONCE=1", "two pieces each, one after another", True, "turns"),
    Configuration("turns-pair", "-DRANKS=2 -DPIECES=4", "four pieces each of two ranks", True, "turns"),
    Configuration("turns-pair-one", "-DRANKS=2 -DPIECES=4 -DAT_ONCE=1", "the same, in turn", True, "turns"),
    Configuration("turns-pair-calls", "-DRANKS=2 -DCALLS=3", "three calls of two ranks", True, "turns"),
    Configuration("turns-all", "-DPIECES=2", "two pieces each, all at once", model="turns"),
    Configuration("turns-calls", "-DPIECES=1 -DCALLS=2", "copies of the call before are forgotten", model="turns"),
    Configuration("turns-three", "-DPIECES=3 -DAT_ONCE=2", "three pieces each, two at once", model="turns"),
]

MUTATIONS = [
    Mutation("polls_are_news", "-DMUTE=2 -DPACKETS=4 -DBURST=2", "never stuck"),
    Mutation("polls_are_news", "-DCHAIN=1 -DDEAF=2 -DPACKETS=4 -DBURST=2", "never stuck"),
    Mutation("root_polls_no_more", "-DASKING=0 -DLOSSES=1", "never stuck"),
    Mutation("repeated_poll_unanswered", "-DASKING=0 -DLOSSES=2", "never stuck"),
    Mutation("same_row_again", "-DASKING=0 -DLOSSES=2 -DMOST_FUTILE=8", "never in a circle"),
    Mutation("counts_parity_twice", "-DLOSSES=2 -DTWICE=1", "decoded from different rows"),
    Mutation("repairs_before_end", "-DPACKETS=3 -DLOSSES=1 -DPOLL_EVERY=1", "parity of whole blocks alone"),
    Mutation("repairs_sent_since", "-DASKING=0 -DLOSSES=1 -DPACKETS=3", "no repair of what was sent since the poll"),
    Mutation("older_replaces", "-DEARLY=1", "what is known gets no older"),
    Mutation("speaks_for_silent", "-DCHAIN=1 -DLATE=2 -DPACKETS=3 -DBURST=2", "a report's base is true"),
    Mutation("greatest_end", "-DCHAIN=1 -DLOSSES=1 -DPACKETS=3 -DPOLL_EVERY=1", "a report says all that is lacking"),
    Mutation("speaks_of_last_child", "-DCHAIN=2 -DRECEIVERS=3 -DLOSSES=1", "a report says all that is lacking"),
    Mutation("answers_for_children", "-DCHAIN=1 -DEARLY=1", "a report's poll was heard by all"),
    Mutation("answers_too_soon", "-DCHAIN=1 -DDEAF=2 -DPACKETS=4 -DBURST=3", "a parent answers with what it has"),
    Mutation("says_done_while_asking", "-DEARLY=1", "done: all below have left"),
    Mutation("says_done_above_children", "-DCHAIN=1 -DLOSSES=1", "done: all below have left"),
    Mutation("near_says_done", "-DNEAR=1", "no message is left behind"),
    Mutation("near_says_done", "-DNEAR=2 -DCHAIN=1 -DLOSSES=1", "no message is left behind"),
    Mutation("done_while_asking", "-DEARLY=1", "no message is left behind"),
    Mutation("root_leaves_on_reports", "-DEARLY=1", "no message is left behind"),
    Mutation("leaves_children", "-DCHAIN=1", "no message is left behind"),
    Mutation("leaves_children", "-DCHAIN=1 -DDEAF=2", "done: all below have everything"),
    Mutation("no_meeting", "-DSTEP=0", "what is sent fits every buffer", "eager"),
    Mutation("meets_nobody", "", "what is wanted is kept", "eager"),
    Mutation("says_no_farewell", "", "what is wanted is kept", "eager"),
    Mutation("keeps_nothing", "", "what is wanted is kept", "eager"),
    Mutation("never_over_tcp", "", "never stuck", "eager"),
    Mutation("asks_by_turn", "-DAT_ONCE=1", "never stuck", "turns"),
    Mutation("forgets_too_soon", "-DRANKS=2 -DPIECES=4", "what is missing is kept", "turns"),
    Mutation("forgets_this_call", "-DPIECES=1 -DCALLS=2", "what is missing is kept", "turns"),
    Mutation("keeps_nothing", "-DPIECES=1", "what is missing is kept", "turns"),
    Mutation("never_over_tcp", "-DPIECES=1", "never stuck", "turns"),
]


@dataclass(frozen=True)
class Found:
    """What Spin says of one search."""

    states: int
    seconds: float
    mebibytes: float
    is_complete: bool
    error: str

    @property
    def property(self) -> str:
        named = [name for name, text in PROPERTIES.items() if text in self.error]
        return named[0] if named else self.error


def search(model: str, defines: str, folder: Path, optimize: str = "-O0") -> Found:
    """Spin's search through the model with these definitions, in a folder for what it writes.

    Short searches take less time than a compiler that optimizes them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    options = [optimize, "-w", "-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={MEMORY_MIB}"]
    for command in (
        ["spin", *defines.split(), "-a", str(HERE / f"{model}.pml")],
        [*compiler, *options, "-o", "pan", "pan.c"],
    ):
        made = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)
        if made.returncode != 0 or "Error" in made.stdout + made.stderr:
            sys.exit(f"{shlex.join(command)}:\n{made.stdout}{made.stderr}")
    began = time.monotonic()
    out = subprocess.run(["./pan", f"-m{DEPTH}", "-n"], cwd=folder, text=True, capture_output=True, check=False).stdout
    seconds = time.monotonic() - began
    states = re.search(r"(\d+) states, stored", out)
    memory = re.search(r"([\d.]+)\s+total actual memory", out)
    error = re.search(r"pan:\d+: (.*?) \(at depth", out)
    is_complete = "errors: 0" in out and "Search not completed" not in out and "max search depth too small" not in out
    return Found(
        int(states[1]) if states else 0,
        seconds,
        float(memory[1]) if memory else 0.0,
        is_complete,
        error[1] if error else "",
    )


def main(words: list[str]) -> int:
    """Searches what was asked for; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="configurations and mutations; all without one")
    parser.add_argument("--quick", action="store_true", help="what takes no more than a second each")
    parser.add_argument("--build", type=Path, default=BUILD, help="a folder for what Spin writes")
    given = parser.parse_args(words)
    wanted = set(given.names)
    failed = 0
    for one in CONFIGURATIONS:
        if (wanted and one.name not in wanted) or (given.quick and not one.is_quick):
            continue
        found = search(one.model, one.defines, given.build / one.name, "-O0" if one.is_quick else "-O2")
        verdict = "right" if found.is_complete else f"WRONG: {found.property or 'not searched to its end'}"
        failed += not found.is_complete
        print(
            f"{one.name:<18}{found.states:>9} states {found.seconds:>6.1f} s {found.mebibytes:>6.0f} MiB"
            f"  {verdict}  ({one.why})",
            flush=True,
        )
    for place, mutation in enumerate(MUTATIONS):
        if wanted and mutation.name not in wanted:
            continue
        found = search(
            mutation.model, f"-DMUTATION_{mutation.name} {mutation.defines}", given.build / f"mutation-{place}"
        )
        is_seen = found.property == mutation.property
        failed += not is_seen
        verdict = (
            f"is seen: {found.property}"
            if is_seen
            else f"NOT SEEN BY: {mutation.property}; found: {found.property or 'nothing'}"
        )
        print(f"{mutation.name:<28} {verdict}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
