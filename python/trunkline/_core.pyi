"""Trunkline's core: clusters, plans and their proofs, compiled. ``core/`` holds the documentation in full."""

import enum
from collections.abc import Sequence

__version__: str

class Fault:
    """One thing wrong with an input file, where it is, and what would be right."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int:
        """Counted from 1; 0: the file as a whole."""

    @property
    def column(self) -> int:
        """Counted from 1."""

    @property
    def message(self) -> str: ...
    def text(self) -> str:
        """``file:line:column: message``."""

class FaultyFile(ValueError):
    """An input file that cannot be used; ``faults`` holds all of its faults, in file order."""

    faults: list[Fault]

class InvalidPlan(ValueError):
    """A plan that does not bring every rank what its collective promises."""

class BadHostlist(ValueError):
    """A host list that cannot be read."""

class Link:
    """A link between two nodes."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def rate_bps(self) -> float:
        """Bits per second from a to b; of one link where there are several."""

    @property
    def latency_s(self) -> float:
        """Seconds from a to b, besides serialization."""

    @property
    def back_rate_bps(self) -> float:
        """Bits per second from b to a."""

    @property
    def back_latency_s(self) -> float:
        """Seconds from b to a."""

    @property
    def least_bps(self) -> float:
        """Of the slower direction."""

    @property
    def most_bps(self) -> float:
        """Of the faster direction."""

    @property
    def mean_latency_s(self) -> float:
        """Half of what there and back take."""

    @property
    def width(self) -> int:
        """Equal links side by side, of which a flow crosses one."""

    @property
    def in_tree(self) -> bool:
        """False: left out by the spanning tree."""

    @property
    def used(self) -> bool:
        """Whether messages cross it: in the spanning tree, or on a shortest path."""

class MergedSwitches:
    """Switches that stand for each other on equal-cost paths."""

    @property
    def name(self) -> str:
        """Of the one switch that they are in the cluster."""

    @property
    def switches(self) -> list[str]:
        """Their own names."""

class Cluster:
    """A connected, checked network with its spanning tree. Immutable."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def hosts(self) -> list[str]:
        """Names, in the order of the file; a host's index is its place here."""

    @property
    def switches(self) -> list[str]: ...
    @property
    def links(self) -> list[Link]:
        """All links; channel ``2 * i`` runs from a to b of link i, ``2 * i + 1`` back."""

    @property
    def merged(self) -> list[MergedSwitches]:
        """Switches that equal-cost paths made one."""

    @property
    def unused_links(self) -> list[Link]:
        """Links that no message crosses."""

    @property
    def fingerprint(self) -> int:
        """Equal for equal networks, on every machine and version."""

    @property
    def is_routed(self) -> bool:
        """Whether paths are the shortest, and not those of the spanning tree."""

    @property
    def has_sites(self) -> bool:
        """Whether long links divide it into sites."""

    @property
    def topology_fingerprint(self) -> int:
        """The same without times and rates: of what plans are laid over."""

    @property
    def channel_count(self) -> int: ...
    def switch_of(self, host: int) -> str:
        """Name of the switch that the host of this index hangs on."""

    def aliases(self, host: int) -> list[str]: ...
    def injection_s(self, host: int) -> float:
        """Seconds for which each message that it sends keeps a host busy, besides its rate and its library."""

    def tcp_window_bytes(self, host: int) -> int:
        """So much at most one of its TCP streams has under way, as the file says; 0 where it says nothing."""

    def find_host(self, processor_name: str) -> int | None:
        """Index of the host that a processor name stands for; None where there is none, or several."""

    def path(self, u: str, v: str) -> list[int]:
        """Channels from node to node along the spanning tree, in travel order. KeyError for an unknown name."""

    def channel_bps(self, channel: int) -> float:
        """Bits per second; of one link where there are several."""

    def channel_name(self, channel: int) -> str:
        """``s0->s1``."""

def parse_cluster(yaml: str, file: str) -> Cluster:
    """Read a cluster from YAML; ``file`` is for messages. Raises FaultyFile."""

def read_cluster(path: str) -> Cluster:
    """Read a cluster file. Raises FaultyFile."""

def write_cluster(cluster: Cluster) -> str:
    """YAML that reads back as an equal cluster."""

def scaled(cluster: Cluster, fastest_bps: float) -> Cluster:
    """The cluster with its fastest link at that many bits per second, every other in proportion."""

def long_links(cluster: Cluster) -> list[bool]:
    """Of each link, whether it is long: one between sites, as their latencies say."""

def sites_of_hosts(cluster: Cluster) -> list[int]:
    """By host: the number of its site."""

def restated(
    cluster: Cluster,
    rates_bps: Sequence[float],
    latencies_s: Sequence[float],
    injections_s: Sequence[float] | None = None,
) -> Cluster:
    """The cluster with other rates, latencies and injection times.

    Args:
        cluster: What stays but for these.
        rates_bps: One of each channel: there and back of the first link, of the second, ...
        latencies_s: One of each link, in the mean of both directions; what differs between them stays. Or one of each
            channel.
        injections_s: One of each host; None: hosts keep theirs.

    Raises ValueError.
    """

def pairs_to_measure(cluster: Cluster, hosts: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Pairs of hosts by index that tell all links between them apart."""

def impaired(cluster: Cluster, key: str, setting: str) -> Cluster:
    """The cluster with one key of its links or switches set: ``1%``, or ``h3=1%`` where only some are meant.

    Raises:
        ValueError: where the place or the value is none.
    """

class LinkChange:
    """What changes of links while their network runs."""

    @property
    def text(self) -> str:
        """As words: ``s0-s1 rate=1Mbit``."""

    @property
    def impairs(self) -> bool:
        """Whether frames are harmed or held up each by itself then."""

    @property
    def channels(self) -> list[int]:
        """That change, in order, each once."""

class LabStep:
    """Changes of a lab's script that are made at once."""

    @property
    def at_s(self) -> float:
        """Seconds since the program started."""

    @property
    def changes(self) -> list[LinkChange]: ...
    @property
    def text(self) -> str:
        """Its changes as words, with a ``;`` between."""

def parse_link_change(cluster: Cluster, words: Sequence[str]) -> LinkChange:
    """Places, KEY=VALUE, ``down`` and ``up`` as one change. Raises ValueError with what would be right."""

def parse_link_changes(cluster: Cluster, line: str) -> list[LinkChange]:
    """The same in one line, with a ``;`` between changes."""

def parse_lab_script(yaml: str, file: str, cluster: Cluster) -> list[LabStep]:
    """Steps of a lab's script; ``file`` is for messages. Raises FaultyFile."""

def read_lab_script(path: str, cluster: Cluster) -> list[LabStep]:
    """Read a script of a lab. Raises FaultyFile."""

def unimpaired(cluster: Cluster) -> Cluster:
    """The cluster with links and switches that only carry frames."""

def has_impairments(cluster: Cluster) -> bool:
    """Whether some link harms frames."""

def link_taken(from_host: int, to_host: int, width: int) -> int:
    """Which of so many links side by side a hash of two hosts picks, from 0."""

def expand_hostlist(text: str, limit: int = 1_000_000) -> list[str]:
    """``node[01-03]`` as its names. Raises BadHostlist."""

def compress_hostlist(names: Sequence[str]) -> str:
    """A short host list of exactly these names."""

class Tree:
    """A shape laid over ranks: who receives from whom, and in which order each sends."""

    def __init__(self, root: int, children: Sequence[Sequence[int]], exchange: int | None = None) -> None:
        """A tree by what each rank sends to, and with which of its children the root exchanges.

        Raises InvalidPlan where it is none.
        """

    @property
    def root(self) -> int: ...
    @property
    def parent(self) -> list[int | None]:
        """By rank; None for the root. A copy."""

    @property
    def children(self) -> list[list[int]]:
        """By rank, in sending order. A copy."""

    @property
    def exchange(self) -> int | None:
        """The child with which the root exchanges what has come up to both; None: there is no such one."""

    @property
    def height(self) -> int:
        """Longest path from the root, counted in transfers."""

    @property
    def max_degree(self) -> int:
        """Largest number of children of any rank."""

    def __len__(self) -> int: ...

def check_tree(tree: Tree) -> None:
    """Raise InvalidPlan unless every rank is reached exactly once."""

class ChannelLoad:
    @property
    def channel(self) -> int: ...
    @property
    def senders(self) -> int:
        """Different ranks whose transfers use the channel."""

    @property
    def capacity(self) -> int:
        """So many senders do not slow each other."""

class Contention:
    """Loads of the channels when every transfer is under way at once."""

    @property
    def contention_free(self) -> bool: ...
    @property
    def max_channel_load(self) -> int:
        """Of the busiest channels."""

    @property
    def most_senders(self) -> int:
        """On any channel, whatever its capacity."""

    @property
    def busiest(self) -> list[ChannelLoad]:
        """Channels of the largest load for their capacity, in channel order."""

def contention_of(cluster: Cluster, placement: Sequence[int], plan: Plan, most: int = 8) -> Contention:
    """Loads of all channels, and of rounds those of the busiest one. Raises ValueError."""

def capacities_of(cluster: Cluster, placement: Sequence[int]) -> list[int]:
    """By link: how many senders do not slow each other on it, in each direction. Raises ValueError."""

class MulticastGroup:
    """Ranks of which one sends to the others at once."""

    @property
    def ranks(self) -> list[int]:
        """The one that sends first."""

    @property
    def byte_s(self) -> float:
        """Its pace: seconds for each byte on the wire; 0: none."""

class Multicast:
    """Who sends to all at once: a root, whom ranks confirm to, or all by turns."""

    @property
    def root(self) -> int: ...
    @property
    def confirm(self) -> Tree | None:
        """From the sender, its root: each rank reports to its parent. None: all ranks send."""

    @property
    def reduce(self) -> list[Tree]:
        """Trees that operands go up, by turns; none: the confirm tree, if any do."""

    @property
    def order(self) -> list[int]:
        """Of ranks that all send: by turn; empty: the root alone sends."""

    @property
    def at_once(self) -> int:
        """Of these: so many send without waiting for each other."""

    @property
    def groups(self) -> list[MulticastGroup]:
        """Where each of several ranks sends to its own group alone: all ranks, each in one; empty: all are one."""

    @property
    def byte_s(self) -> float:
        """Pace: seconds for each byte on the wire; 0: none."""

class Plan:
    """How one collective runs on one communicator."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        """Of trees that take segments by turns, over the same ranks from the same root."""

    @property
    def trees(self) -> list[Tree] | None:
        """None: it is of another kind."""

    @property
    def kind(self) -> str:
        """Its name: ``trees``, ``rounds``, ``multicast``."""

    @property
    def multicast(self) -> Multicast | None:
        """None: it is of another kind."""

    @property
    def round_list(self) -> RoundList | None:
        """None: it is of another kind, or takes any number of blocks."""

    def list_rounds(self, blocks: int, most: int | None = None) -> RoundList:
        """The first rounds of a message of so many blocks; ValueError where there are none."""

    def round_count(self, blocks: int) -> int:
        """Of a message of so many blocks."""

    @property
    def blocks(self) -> int | None:
        """That its rounds cut a message into; None: any number, or it is of another kind."""

    @property
    def period(self) -> int:
        """Rounds after which transfers go between the same ranks again; 0: of another kind, or its blocks are fixed."""

    @property
    def order(self) -> list[int]:
        """Ranks by position in the rounds, the root first; empty: of another kind. A copy."""

    @property
    def sums_once(self) -> bool:
        """Whether its rounds sum up each block at one rank alone; False: of another kind."""

    @property
    def generator(self) -> str:
        """What makes its rounds; empty: of another kind, or listed by hand."""

    def check(self, collective: str = "bcast") -> None:
        """Replay it: InvalidPlan unless every rank gets everything exactly once."""

    @property
    def root(self) -> int: ...
    def __len__(self) -> int: ...

class Transfer:
    """Blocks in a row from one rank to another."""

    @property
    def sender(self) -> int: ...
    @property
    def receiver(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def reduces(self) -> bool:
        """The receiver adds them to what it has."""

    @property
    def replaces(self) -> bool:
        """They are sums that take the place of what it has."""

class RoundList:
    """What is sent in each round."""

    @property
    def blocks(self) -> int:
        """That the message is cut into."""

    @property
    def rounds(self) -> list[list[Transfer]]: ...

class PlanFile:
    """A plan with what it is for."""

    collective: str
    algorithm: str
    """A name of the registry, or ``custom``."""
    cluster: str
    """Name; empty: laid over no cluster."""
    cluster_fingerprint: int | None
    host_of_rank: list[str]
    """Host names by rank; empty: any placement. Assign a whole list."""
    plan: Plan
    """Assign a whole one."""
    segment_bytes: int | None
    """None: chosen for each message."""
    from_bytes: int | None
    """Shorter messages are not for it; None: it does not say."""
    below_bytes: int | None
    """Nor are those of so many bytes or more; None: no bound."""
    provenance: str
    """Who or what made it, one line."""

    def __init__(self) -> None: ...
    @property
    def line(self) -> int:
        """Where it stands in a set of plans or a tuning file; else 0."""

class PlanSet:
    """Plans for several collectives, communicators, roots and sizes."""

    provenance: str
    """Who or what made it, one line."""
    plans: list[PlanFile]
    """Assign a whole list."""

    def __init__(self) -> None: ...

def parse_plan(yaml: str, file: str) -> PlanFile:
    """Read a plan from YAML; ``file`` is for messages. Raises FaultyFile."""

def read_plan(path: str) -> PlanFile:
    """Read a plan file. Raises FaultyFile."""

def parse_plans(yaml: str, file: str) -> PlanSet:
    """Read a set of plans, or a plan by itself, from YAML; ``file`` is for messages. Raises FaultyFile."""

def read_plans(path: str) -> PlanSet:
    """Read a file with a set of plans, or with one plan. Raises FaultyFile."""

def write_plans(plans: PlanSet) -> str:
    """YAML that reads back as an equal set. Raises InvalidPlan."""

def sizes_text(plan: PlanFile) -> str:
    """For which messages it says it is: ``from 64B``; empty: for all."""

def write_plan(plan: PlanFile) -> str:
    """YAML that reads back as an equal plan. Raises InvalidPlan."""

class Algorithm:
    """One entry of the registry."""

    @property
    def collective(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def restrictions(self) -> str: ...
    @property
    def cost(self) -> str: ...
    @property
    def needs_cluster(self) -> bool: ...
    @property
    def by_size(self) -> bool:
        """Its plans depend on the size of the message."""

    @property
    def kind(self) -> str:
        """Of its plans: ``trees``, ``rounds``, ``multicast``; ``native``: it has none."""

    @property
    def trees(self) -> int:
        """That take segments by turns; 0: it is no tree."""

    @property
    def by_rounds(self) -> bool:
        """Whether blocks reach each rank from several others: it is no tree."""

    @property
    def family(self) -> str:
        """``K-ary``: alike but for a number in the name; empty: stands alone."""

def algorithm_names(collective: str) -> list[str]:
    """The names for people, a family in one piece: ``3-ary to 8-ary``."""

def hierarchical_tree(
    placement: Sequence[int], root: int, host_fan_in: int = 0, root_fan_in: int = 0, split_levels: int | None = 0
) -> Tree:
    """A subtree among the ranks of each host, and one among the hosts. Raises ValueError.

    A fan-in is the most contributors to a node, itself counted in; 0: flat. So many levels of the subtree among hosts
    are on other hosts than the root's; None: all.
    """

def order_children(tree: Tree, placement: Sequence[int]) -> Tree:
    """The same tree; each rank sends over the network first, then where most follows. Raises ValueError."""

def algorithm_2_tree(cluster: Cluster, placement: Sequence[int], root: int, k: int = 2) -> Tree:
    """Plain Algorithm 2, for comparison with what ``binary`` lays. Raises ValueError."""

def height_bound(cluster: Cluster, placement: Sequence[int], root: int, k: int = 2) -> int:
    """A height that no contention-free tree of degree k goes below. Raises ValueError."""

def algorithms() -> list[Algorithm]:
    """The one list of algorithms."""

def block_placement(cluster: Cluster, ranks_per_host: int) -> list[int]:
    """Host index by rank, host by host: rank r sits on host ``r // ranks_per_host``."""

def collectives() -> list[str]:
    """Those that plans are for."""

def planned_words() -> str:
    """What is planned and what is not, for people, in one sentence."""

class Holding(enum.Enum):
    """What of a call's data each rank has."""

    all_at_root = ...
    all = ...
    own_block = ...

class Direction(enum.Enum):
    """Which way the data of a plan of trees goes."""

    down = ...
    up = ...
    up_and_down = ...

class CollectiveFacts:
    """All that is known of a collective operation."""

    @property
    def name(self) -> str:
        """In files, settings and on the command line: ``bcast``."""

    @property
    def mpi_name(self) -> str:
        """``MPI_Bcast``."""

    @property
    def has_root(self) -> bool: ...
    @property
    def reduces(self) -> bool:
        """Operands are summed up; else data is moved."""

    @property
    def has_data(self) -> bool:
        """Else ranks only wait for each other."""

    @property
    def even_shares(self) -> bool:
        """Every rank's share has the same length."""

    @property
    def before(self) -> Holding:
        """What each rank puts in."""

    @property
    def after(self) -> Holding:
        """What each rank gets."""

    @property
    def direction(self) -> Direction | None:
        """Of data in plans of trees; None: they move shares, or there are none."""

    @property
    def goes_by_shares(self) -> bool:
        """Each rank has a share of the data, before or after."""

    def limit_in_transfers(self, hosts: float) -> float:
        """The least time of long messages over two hosts or more, in times T(m) of one transfer."""

def facts_of(collective: str) -> CollectiveFacts:
    """ValueError where there is none of that name."""

usual_message_bytes: int
"""What algorithms whose plans depend on the size are laid for where nobody says for which."""

def lay(
    collective: str,
    name: str,
    cluster: Cluster | None,
    placement: Sequence[int],
    root: int,
    message_bytes: int = ...,
) -> Plan:
    """Lay an algorithm over ranks; its trees have passed check_tree. Raises ValueError.

    The size is for those whose plans depend on it.
    """

def lay_trees(
    collective: str,
    name: str,
    cluster: Cluster | None,
    placement: Sequence[int],
    root: int,
    message_bytes: int = ...,
) -> list[Tree]:
    """The same of an algorithm made of trees, which take segments by turns. Raises ValueError."""

class Costs:
    """What a plan costs, from stated rates."""

    def seconds(self, message_bytes: int, segment_bytes: int) -> float: ...
    def best_segment(self, message_bytes: int) -> int:
        """Bytes; of the candidates, the one predicted fastest."""

    @property
    def network_hops(self) -> int | None:
        """Of trees: transfers of a segment that use the network."""

def costs_of(
    cluster: Cluster, placement: Sequence[int], plan: Plan, collective: str = "bcast", host_costs: str = "mpich"
) -> Costs:
    """What a plan costs, of whatever kind it is. Raises ValueError."""

class HostCosts:
    """What a message costs the hosts that send and receive it, seconds."""

    @property
    def name(self) -> str: ...
    @property
    def send_s(self) -> float: ...
    @property
    def send_byte_s(self) -> float: ...
    @property
    def receive_s(self) -> float: ...
    @property
    def receive_byte_s(self) -> float: ...
    @property
    def eager_bytes(self) -> int: ...
    @property
    def rendezvous_s(self) -> float: ...
    @property
    def datagram_send_s(self) -> float: ...
    @property
    def datagram_send_byte_s(self) -> float: ...
    @property
    def datagram_receive_s(self) -> float: ...
    @property
    def datagram_receive_byte_s(self) -> float: ...
    @property
    def datagram_rank_s(self) -> float: ...

def host_costs_from(text: str) -> HostCosts:
    """As TRUNKLINE_HOST_COSTS says it. Raises ValueError."""

def host_costs_of(mpi: str, mpi_version: str) -> str:
    """Name of a library's defaults."""

def segment_candidates() -> list[int]:
    """Bytes, ascending."""

frame_payload_bytes: int
"""TCP data in a full Ethernet frame."""
frame_wire_bytes: int
"""The same frame on the wire."""
mpi_header_bytes: int
"""Room that a segment leaves in its last frame for the MPI library."""

class NativeLibrary(enum.Enum):
    """Whose native algorithms a prediction is about."""

    mpich = 0
    openmpi = 1

class NativeChoice:
    """Which algorithm a library selects by itself, in its own words."""

    @property
    def algorithm(self) -> str:
        """As its settings name it; empty: not known."""

    @property
    def by_hosts(self) -> bool:
        """It runs among the first ranks of all hosts."""

    @property
    def reduce(self) -> str:
        """Of an allreduce that is a reduce and then a broadcast; else empty."""

    @property
    def bcast(self) -> str:
        """The same."""

    @property
    def unknown(self) -> str:
        """Why nothing is known."""

def native_choice(
    library: NativeLibrary, collective: str, placement: Sequence[int], root: int, message_bytes: int
) -> NativeChoice:
    """What the library runs for so many bytes, without settings of its own."""

class Uncertainty:
    """What the predicted times of some algorithms do not know."""

    @property
    def name(self) -> str:
        """Of the algorithms, for people."""

    @property
    def margin(self) -> float:
        """So many times as fast as native they must be predicted."""

    @property
    def handicap(self) -> float:
        """That their times are multiplied by before they are compared."""

    @property
    def lost_of_links(self) -> float:
        """This part of the links' time is added."""

    @property
    def least_block_bytes(self) -> int:
        """Not compared where blocks are shorter."""

    @property
    def long_block_bytes(self) -> int:
        """Where they are shorter, there is one more handicap."""

    @property
    def short_block_handicap(self) -> float: ...
    @property
    def source(self) -> str:
        """Where that was measured."""

    @property
    def own_processors(self) -> Uncertainty | None:
        """Instead, where each host has processors of its own; None: the same."""

    @property
    def shared_hosts(self) -> Uncertainty | None:
        """Else instead, where hosts have several ranks; None: the same."""

class Candidate:
    """A row of the table of choice, for one collective."""

    @property
    def name(self) -> str: ...
    @property
    def least_lanes(self) -> int:
        """Only where each host has whole groups of so many ranks or more."""

    @property
    def role(self) -> str:
        """``tree``, ``wide tree``, ``blind``, ``rounds``, ``scattered`` or ``shared hosts``."""

    @property
    def is_compared(self) -> bool:
        """By ``auto``; else it is measured by ``trunkline tune`` alone."""

    @property
    def uncertainty(self) -> Uncertainty: ...

def candidates(collective: str) -> list[Candidate]:
    """What ``auto`` compares and ``trunkline tune`` measures. Raises ValueError."""

near_least: float
"""A plan that takes so much of the least time that links allow runs, whatever native is predicted to take."""
margin_of_cuts: float
"""So many times as fast as native a message must be that is cut within a frame."""
most_cut_bytes: int
"""Of longer messages what is cut counts less."""
least_bytes: int
"""Shorter messages are native."""

class Prediction:
    """One algorithm with the segment that suits it, for one message."""

    @property
    def algorithm(self) -> str: ...
    @property
    def segment_bytes(self) -> int:
        """0: native."""

    @property
    def seconds(self) -> float: ...

class Knowledge:
    """What decisions follow from, besides the call: all ranks know it equally."""

    def __init__(
        self,
        cluster: Cluster | None,
        native: NativeLibrary,
        mpi: str,
        mpi_version: str,
        reproducible: bool = False,
        host_costs: str = "",
        multicasts: bool = True,
    ) -> None:
        """``mpi`` as tuning files name it.

        ``reproducible``: reductions keep one order of operands; ``host_costs`` empty: the library's; ``multicasts``:
        ``auto`` may take plans that go by datagrams. Raises ValueError.
        """

    def take_plan(self, plan: PlanFile, file: str) -> None:
        """ValueError where it is for another cluster."""

    def take_plans(self, plans: PlanSet, file: str) -> None:
        """ValueError where one is for another cluster."""

    def take_measurement(self, measurement: Measurement, file: str) -> None:
        """ValueError where it is for another cluster or library."""

    def costs_of(self, placement: Sequence[int], plan: Plan, collective: str) -> Costs:
        """From the network as it was measured, else as it is stated; ValueError where there is no cluster."""

    def take_named_tables(self) -> None:
        """Those that the cluster's file names, if any; FaultyFile where they are for another cluster or library."""

    @property
    def is_measured(self) -> bool:
        """Whether times follow from measured tables."""

    @property
    def contradictions(self) -> list[str]:
        """Where a measured rate is not the stated one, for people."""

    def take_tuning(self, tuning: Tuning, file: str) -> None:
        """ValueError where nothing in it fits."""

class Decision:
    """What runs for a call, and why."""

    @property
    def algorithm(self) -> str:
        """``native``, a name of the registry, or the plan of a file: see ``is_given``."""

    @property
    def segment_bytes(self) -> int:
        """0: native."""

    @property
    def reason(self) -> str: ...
    @property
    def may_wait(self) -> bool:
        """Native would do until what it saves has paid for preparations."""

    @property
    def wants_datagrams(self) -> bool:
        """Chosen for ranks that datagrams reach: where they do not, another one runs."""

class Decider:
    """Decides the calls of one collective on the same ranks from one root."""

    def __init__(self, knowledge: Knowledge, collective: str, placement: Sequence[int], root: int) -> None: ...
    def decide(self, message_bytes: int, wish: str = "auto", commutes: bool = True, datagrams: bool = True) -> Decision:
        """As the preload library does; ``wish`` as in the setting ``TRUNKLINE_BCAST``. Raises ValueError.

        ``datagrams``: they reach all ranks.
        """

    def seconds_of(self, algorithm: str, message_bytes: int, segment_bytes: int) -> float:
        """What an algorithm would take. Raises ValueError where it has no plans, or no cluster is known."""

    def best_segment_of(self, algorithm: str, message_bytes: int) -> int:
        """The segment in which it would run. Raises ValueError as ``seconds_of``."""

    def saved_s(self, message_bytes: int, with_datagrams: Decision, without: Decision) -> float:
        """What a decision that wants datagrams is predicted to save beside one without."""

    def opening_s(self, with_datagrams: Decision) -> float:
        """What ranks spend before the first call of such a plan on a communicator."""

    def numbering_s(self) -> float:
        """What ranks spend to agree on a number for a communicator other than MPI_COMM_WORLD.

        Decisions that may wait run natively there until they would have saved that.
        """

    def predictions(self, message_bytes: int, commutes: bool = True, datagrams: bool = True) -> list[Prediction]:
        """Of what is compared, in the segments that would run, fastest first.

        Native is among them; empty: all ranks share one host.
        """

def is_eager_multicast(message_bytes: int) -> bool:
    """Whether the root of such a multicast leaves once it has sent it, in frames of 1500 bytes."""

def least_crossing_s(
    cluster: Cluster, placement: Sequence[int], collective: str, root: int, message_bytes: int
) -> float:
    """Seconds below which no call is: latencies of the longest way, and the bytes over the slowest link on it."""

plan_of_file: str
"""The algorithm's name in a decision for the plan of a file that holds no other."""

def is_given(algorithm: str) -> bool:
    """Whether a decision's algorithm is a plan that a file gave."""

class TuningRule:
    """From this size on, up to the next rule."""

    def __init__(self, from_bytes: int, algorithm: str, segment_bytes: int) -> None: ...
    @property
    def from_bytes(self) -> int: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def segment_bytes(self) -> int:
        """0: native or, with a plan, chosen for each message."""
    plan: PlanFile | None
    """Of one's own; None: what the algorithm lays. Assign a whole one."""

class TunedRate:
    """What a host was seen to carry to another one, bits per second."""

    def __init__(self, from_host: str, to_host: str, bps: float) -> None: ...
    @property
    def from_host(self) -> str: ...
    @property
    def to_host(self) -> str: ...
    @property
    def bps(self) -> float: ...

class TuningEntry:
    """For so many hosts of one cluster with as many ranks on each."""

    collective: str
    cluster: str
    cluster_fingerprint: int
    topology_fingerprint: int | None
    """None: for that very network alone."""
    measured_rates: list[TunedRate]
    """Assign a whole list."""
    hosts: int
    ranks_per_host: int
    """0: not the same on each."""
    ranks_by_host: list[int]
    """Of hosts in the order of their first ranks; empty: the same on each. Assign a whole list."""
    mpi: str
    mpi_version: str
    rules: list[TuningRule]
    """Ascending, from 0 bytes on. Assign a whole list."""

    def __init__(self) -> None: ...
    def contradiction(self, cluster: Cluster) -> str:
        """Where it was measured at other rates than that cluster states, for people; empty: nowhere."""

    def rule_for(self, message_bytes: int) -> TuningRule: ...

class Tuning:
    """What was measured to be fastest."""

    provenance: str
    entries: list[TuningEntry]
    """Assign a whole list."""

    def __init__(self) -> None: ...
    def holding_on(self, cluster: Cluster, mpi: str, mpi_version: str) -> Tuning:
        """The entries that hold on that network under that library."""

    def find(self, collective: str, placement: Sequence[int]) -> TuningEntry | None:
        """The entry for ranks that sit so on the hosts; None where there is none."""

def parse_tuning(yaml: str, file: str) -> Tuning:
    """Read a tuning file from YAML; ``file`` is for messages. Raises FaultyFile."""

def read_tuning(path: str) -> Tuning:
    """Read a tuning file. Raises FaultyFile."""

def write_tuning(tuning: Tuning) -> str:
    """YAML that reads back as an equal tuning file."""

class MeasuredPoint:
    """Times of one message size, seconds."""

    @property
    def bytes(self) -> int: ...
    @property
    def round_trip_s(self) -> float: ...
    @property
    def gap_s(self) -> float:
        """The gap g(m)."""

    @property
    def send_s(self) -> float:
        """The processor time os(m)."""

    @property
    def receive_s(self) -> float:
        """The processor time or(m)."""

    @property
    def spread(self) -> float: ...
    @property
    def latency_s(self) -> float:
        """The latency L(m)."""

class MeasuredDistance:
    """Pairs of ranks that are equally far apart."""

    @property
    def channels(self) -> int: ...
    @property
    def eager_bytes(self) -> int: ...
    @property
    def points(self) -> list[MeasuredPoint]: ...

class RelayPoint:
    """All ranks handing segments on at once, seconds."""

    @property
    def bytes(self) -> int: ...
    @property
    def gap_s(self) -> float:
        """Between consecutive segments."""

    @property
    def spread(self) -> float: ...

class DatagramPoint:
    """A multicast datagram, seconds of a processor."""

    @property
    def bytes(self) -> int: ...
    @property
    def send_s(self) -> float: ...
    @property
    def receive_s(self) -> float: ...
    @property
    def spread(self) -> float: ...

class CombinePoint:
    """An operand that is added to another one, seconds of a processor."""

    @property
    def bytes(self) -> int: ...
    @property
    def time_s(self) -> float: ...
    @property
    def spread(self) -> float: ...

class Measurement:
    """Measured point-to-point times of a network."""

    @property
    def cluster(self) -> str: ...
    @property
    def cluster_fingerprint(self) -> int: ...
    @property
    def mpi(self) -> str: ...
    @property
    def mpi_version(self) -> str: ...
    @property
    def distances(self) -> list[MeasuredDistance]: ...
    @property
    def relay(self) -> list[RelayPoint]:
        """By ascending size; empty where none was measured."""

    @property
    def datagrams(self) -> list[DatagramPoint]:
        """By ascending size; empty where none was measured."""

    @property
    def combining(self) -> list[CombinePoint]:
        """By ascending size; empty where none was measured."""

def with_datagrams(host_costs: str, measured: Measurement) -> str:
    """What TRUNKLINE_HOST_COSTS says, with what datagrams and combining were measured to cost hosts.

    The same where they were not.
    """

def parse_measurement(yaml: str, file: str) -> Measurement:
    """Read a measurement file from YAML; ``file`` is for messages. Raises FaultyFile."""

def read_measurement(path: str) -> Measurement:
    """Read a measurement file. Raises FaultyFile."""

def read_named_tables(cluster: Cluster) -> Measurement | None:
    """What the cluster's file names; None: nothing. FaultyFile where it is missing or of another cluster."""

class MeasuredTrees:
    """Times of trees that take segments by turns, from measured tables."""

    def __init__(
        self, measurement: Measurement, cluster: Cluster, placement: Sequence[int], trees: Sequence[Tree]
    ) -> None: ...
    def seconds(self, message_bytes: int, segment_bytes: int) -> float: ...
    def best_segment(self, message_bytes: int) -> int: ...

class WeightedGraph:
    """A directed graph of hosts with a weight and an injection time an edge."""

    def __init__(self, vertices: int, edges: Sequence[tuple[int, int, float, float]]) -> None:
        """Edges are (from, to, weight in seconds, injection time in seconds); ValueError where one is faulty."""

    @property
    def edges(self) -> int:
        """How many there are."""

    def __len__(self) -> int: ...

class WeightedShape:
    """A way to lay a tree over a weighted graph."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...

def weighted_shapes() -> list[WeightedShape]:
    """All there are; ``optimum``, for small graphs alone, is the last one."""

def lay_weighted(shape: str, graph: WeightedGraph, root: int) -> Tree:
    """ValueError where the shape is not known, or a vertex cannot be reached."""

def broadcast_s(graph: WeightedGraph, tree: Tree) -> float:
    """Seconds until the last host has the message, whole messages sent one after another."""
