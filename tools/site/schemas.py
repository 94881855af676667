"""JSON schemas of the files that people write, for editors. Names of collectives and algorithms are the registry's.

The readers of the core are what counts: a schema knows keys, kinds of values and units, and no more. The tests give
both the same files, right and wrong.
"""

from typing import Any

from trunkline import _core

__all__ = ["schemas"]

Schema = dict[str, Any]

_NUMBER = r"-?[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?"


def _quantity(units: str, example: str, before: str = "") -> Schema:
    return {"type": "string", "pattern": f"^{before}{_NUMBER} ?({units})$", "examples": [example]}


RATE = _quantity("bit|kbit|Mbit|Gbit", "10Gbit")
LINK_RATE = _quantity("bit|kbit|Mbit|Gbit", "2x10Gbit", before="([1-9][0-9]*x)?")
TIME = _quantity("ns|us|ms|s", "10us")
SHARE = _quantity("%", "1%")
SIZE = _quantity("B|KiB|MiB|GiB|kB|MB|GB", "4KiB")
NAME = {"type": ["string", "integer"], "description": "Letters, digits and . _ - : / + @"}
TEXT = {"type": ["string", "number"]}
HOSTLIST = {"anyOf": [NAME, {"type": "array", "items": NAME}], "description": "A hostlist, such as node[01-16]."}
COUNT = {"type": "integer", "minimum": 1}
RANK = {"type": ["integer", "string"], "minimum": 0, "description": "A rank, a host, or a range of ranks such as 0-2."}
RANKS = {"anyOf": [RANK, {"type": "array", "items": RANK}]}
CHILDREN = {"type": "object", "additionalProperties": RANKS, "description": "For each rank those below it, in order."}
FINGERPRINT = {"type": ["string", "integer"], "description": "Hexadecimal; in quotes."}
IMPAIRMENTS: dict[str, Schema] = {
    **dict.fromkeys(("loss", "corrupt", "garble", "duplicate", "reorder"), SHARE),
    "reorder_by": TIME,
    "jitter": TIME,
}
SWITCH_SETTINGS: dict[str, Schema] = {
    "igmp": {"enum": ["flood", "snooping", "querier"]},
    "igmp_ages": TIME,
    "queue": {"anyOf": [{"const": "unknown"}, SIZE]},
    "storm_control": {"anyOf": [{"const": "none"}, _quantity("/s", "1000/s")]},
}


def _mapping(properties: dict[str, Schema], required: tuple[str, ...] = (), **more: Any) -> Schema:  # noqa: ANN401
    closed = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {**closed, "required": list(required)} if required else closed


def _described(one: Schema, text: str) -> Schema:
    return {**one, "description": text}


def _head(name: str, title: str, body: Schema) -> Schema:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{name}.json", "title": title, **body}


ALGORITHM: Schema = {"$ref": "algorithms.json"}
"""A name of the registry, ``native`` among them. All names stand in one file."""


def _cluster() -> Schema:
    timed = {
        "rate": _described(LINK_RATE, "Of each of these links."),
        "latency": _described(TIME, "One way over one link."),
    }
    of_hosts = {
        "injection": _described(TIME, "How long each message keeps the host that sends it."),
        "tcp_window": _described(SIZE, "So much at most one TCP stream of these hosts has under way."),
    }
    host = _mapping(
        {
            "hosts": HOSTLIST,
            "switch": _described(NAME, "The switch that all of them hang on."),
            "switches": _described(HOSTLIST, "Several switches, which the hosts are dealt over."),
            "deal": _described(COUNT, "So many hosts at a time go to each switch in turn."),
            "aliases": {"type": "object", "additionalProperties": HOSTLIST},
            **timed,
            **of_hosts,
            **IMPAIRMENTS,
        },
        ("hosts",),
        dependentRequired={"switches": ["deal"], "deal": ["switches"]},
    )
    link = _mapping(
        {"between": {"type": "array", "items": NAME, "minItems": 2, "maxItems": 2}, **timed, **IMPAIRMENTS},
        ("between",),
    )
    switch = _mapping({"switches": HOSTLIST, **SWITCH_SETTINGS}, ("switches",))
    return _mapping(
        {
            "trunkline": {"const": "cluster/1"},
            "name": NAME,
            "description": TEXT,
            "defaults": _mapping({**timed, **of_hosts, **IMPAIRMENTS, **SWITCH_SETTINGS}),
            "measured": {"type": "string", "description": "Tables of 'trunkline measure' of this network."},
            "paths": {
                "enum": ["spanning-tree", "equal-cost", "shortest"],
                "description": "equal-cost: all shortest paths (ECMP); shortest: that of least latency, as routers do.",
            },
            "switches": {"anyOf": [HOSTLIST, {"type": "array", "items": {"anyOf": [NAME, switch]}}]},
            "hosts": {"type": "array", "items": host, "minItems": 1},
            "links": {"type": "array", "items": link},
        },
        ("trunkline", "name", "switches", "hosts"),
    )


def _steps() -> dict[str, Schema]:
    """Keys of a plan that its head does not have: ranks, and the kinds of steps."""
    tree = {"line": RANKS, "sends": CHILDREN, "exchange": RANK}
    transfer = _mapping(
        {
            "from": RANK,
            "to": RANK,
            "blocks": RANKS,
            "add": {"type": "boolean"},
            "replace": {"type": "boolean"},
            "rows": COUNT | {"description": "Of an alltoall: so many rows of these blocks."},
            "stride": COUNT | {"description": "Blocks from one row's first one to the next one's."},
            "word": RANK | {"description": "A message without data: without it the receiver does not send that block."},
        },
        ("from", "to"),
        oneOf=[{"required": ["blocks"]}, {"required": ["word"]}],
    )
    rounds = _mapping(
        {
            "generator": {"type": "string", "examples": ["scatter-ring", "scatter-doubling", "circulant"]},
            "order": RANKS,
            "blocks": COUNT,
            "lead": COUNT | {"description": "A rank has sent no more than so many transfers more than it received."},
            "transfers": {"type": "array", "items": {"type": "array", "items": transfer}},
        },
        oneOf=[{"required": ["generator", "order"]}, {"required": ["blocks", "transfers"]}],
    )
    multicast = _mapping(
        {
            "pace": RATE,
            "confirm": CHILDREN,
            "groups": {"type": "array", "items": _mapping({"ranks": RANKS, "pace": RATE}, ("ranks",))},
            "exchange": RANK,
            "reduce": {"type": "array", "items": CHILDREN},
            "order": RANKS,
            "at_once": COUNT,
        },
        oneOf=[{"required": ["confirm"]}, {"required": ["order", "at_once"]}],
    )
    return {
        "shape": {"anyOf": [{"const": "custom"}, {**ALGORITHM, "not": {"const": "native"}}]},
        "ranks": COUNT,
        "hosts": _described(HOSTLIST, "By rank."),
        "ranks_per_host": COUNT,
        "root": RANK,
        **tree,
        "trees": {"type": "array", "items": _mapping(tree), "minItems": 1, "maxItems": 16},
        "rounds": rounds,
        "multicast": multicast,
    }


_HAS_STEPS: list[Schema] = [{"required": [key]} for key in ("line", "sends", "trees", "rounds", "multicast")]
_HAS_RANKS: list[Schema] = [{"required": ["ranks"]}, {"required": ["hosts"]}]


def _plan_keys() -> dict[str, Schema]:
    """Keys of a plan that stands in a file or a set."""
    return {
        "collective": {"enum": list(_core.collectives())},
        "cluster": NAME,
        "cluster_fingerprint": FINGERPRINT,
        "topology_fingerprint": FINGERPRINT,
        "provenance": TEXT,
        "segment": SIZE,
        "from": _described(SIZE, "For messages of so many bytes or more."),
        "below": _described(SIZE, "For messages of fewer bytes."),
        **_steps(),
    }


def _a_plan(keys: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    return _mapping(keys, required, allOf=[{"oneOf": _HAS_STEPS}, {"anyOf": _HAS_RANKS}])


def _tuning() -> Schema:
    rate = _mapping({"from": NAME, "to": NAME, "rate": RATE}, ("from", "to", "rate"))
    rule = _mapping(
        {
            "from": SIZE,
            "algorithm": ALGORITHM,
            "segment": SIZE,
            "plan": _a_plan(_steps(), ("shape", "root")),
        },
        ("from",),
        oneOf=[{"required": ["algorithm"]}, {"required": ["plan"]}],
    )
    entry = _mapping(
        {
            "collective": {"enum": list(_core.collectives())},
            "cluster": NAME,
            "cluster_fingerprint": FINGERPRINT,
            "topology_fingerprint": FINGERPRINT,
            "hosts": COUNT,
            "ranks_per_host": {"anyOf": [COUNT, {"type": "array", "items": COUNT}]},
            "mpi": {"enum": ["mpich", "openmpi"]},
            "mpi_version": TEXT,
            "measured_rates": {"type": "array", "items": rate},
            "rules": {"type": "array", "items": rule, "minItems": 1},
        },
        ("collective", "cluster", "cluster_fingerprint", "hosts", "ranks_per_host", "mpi", "mpi_version", "rules"),
    )
    return _mapping(
        {"trunkline": {"const": "tuning/1"}, "provenance": TEXT, "entries": {"type": "array", "items": entry}},
        ("trunkline", "entries"),
    )


def _weights() -> Schema:
    def forms(number: Schema) -> Schema:
        """One for all hosts, one for each that sends, or one for each way."""
        row = {"type": "array", "items": number}
        way = {"anyOf": [number, {"const": "none"}]}
        return {"anyOf": [number, row, {"type": "array", "items": {"type": "array", "items": way}}]}

    way = {"anyOf": [TIME, {"const": "none"}]}
    return _mapping(
        {
            "trunkline": {"const": "weights/1"},
            "name": TEXT,
            "description": TEXT,
            "bytes": _described(SIZE, "Of the messages whose times these are; without rates."),
            "hosts": HOSTLIST,
            "weights": {
                "type": "array",
                "items": {"type": "array", "items": way},
                "description": "A row for each host that sends: from the end of the injection until it is there.",
            },
            "injection": _described(forms(TIME), "For how long a message keeps its sender."),
            "rates": _described(forms(RATE), "Bits a second of ways."),
            "injection_rates": _described(forms(RATE), "Bits a second that leave a host."),
        },
        ("trunkline", "name", "hosts", "weights", "injection"),
        dependentSchemas={key: {"properties": {"bytes": False}} for key in ("rates", "injection_rates")},
    )


def schemas() -> dict[str, Schema]:
    """All schemas, by the name of the format with a dash, as their files are called."""
    keys = _plan_keys()
    one = _a_plan({"trunkline": {"const": "plan/1"}, **keys}, ("trunkline", "collective", "shape", "root"))
    several = {
        "type": "array",
        "items": _a_plan(keys, ("collective", "shape", "root")),
        "minItems": 1,
        "maxItems": 4096,
    }
    plans = _mapping({"trunkline": {"const": "plans/1"}, "provenance": TEXT, "plans": several}, ("trunkline", "plans"))
    names = sorted({one.name for one in _core.algorithms()})
    return {
        "algorithms": _head("algorithms", "An algorithm of Trunkline", {"enum": names}),
        "cluster-1": _head("cluster-1", "A cluster file of Trunkline", _cluster()),
        "plan-1": _head("plan-1", "A plan of Trunkline", one),
        "plans-1": _head("plans-1", "A set of plans of Trunkline", plans),
        "tuning-1": _head("tuning-1", "A tuning file of Trunkline", _tuning()),
        "weights-1": _head("weights-1", "Weights of ways between hosts, for Trunkline", _weights()),
    }
