"""Settings: all ranks decide alike, and what is wrong is said once, by one rank, with the right exit status."""

import os
import re
import struct
from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, ROOT, Mpi, installed
from explained import JSON, events, explained

SETTINGS_PAGE = ROOT / "docs" / "settings.md"

CLUSTER = """\
trunkline: cluster/1
name: pair
switches: s0
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - hosts: h[0-3]
    switch: s0
"""


def hello(mpi: Mpi, settings: dict[str, str], status: int = 0, ranks: int = 3, **options: object):
    done = mpi.run(ranks, mpi.program("runtime-hello"), settings=settings, status=status, **options)
    if status == 0:
        assert f"hello from {ranks} ranks: 131072 doubles arrived right" in done.out
    return done


WRONG = [
    ("TRUNKLINE_CLUSTR", "cyclic", "TRUNKLINE_CLUSTR is no setting of Trunkline (did you mean TRUNKLINE_CLUSTER?)"),
    ("TRUNKLINE_TRACING_OF_ALL", "1", "TRUNKLINE_TRACING_OF_ALL is no setting of Trunkline"),
    ("TRUNKLINE_BCAST", "liner", "no algorithm of bcast is called 'liner' (did you mean linear"),
    ("TRUNKLINE_BCAST", "linear", "TRUNKLINE_BCAST=linear needs to know the switches: set TRUNKLINE_CLUSTER too"),
    ("TRUNKLINE_BCAST", "unaware-linear:0", "must be a whole number of bytes above zero"),
    ("TRUNKLINE_BCAST", "unaware-linear:", "segment"),
    ("TRUNKLINE_BCAST", "unaware-linear:4KB", '"KB" is no unit of a size (did you mean kB?)'),
    ("TRUNKLINE_REDUCE", "unaware-linear:2GiB", "more than 1GiB"),
    ("TRUNKLINE_REDUCE", "native:4KiB", "native takes no segment"),
    ("TRUNKLINE_HOST_COSTS", "openmp", "(did you mean openmpi?); there are: free, mpich, mpich-5, openmpi"),
    ("TRUNKLINE_HOST_COSTS", "mpich,shard=4us", "'shard=4us' says no cost: a name comes first, then shared=16us"),
    ("TRUNKLINE_HOST_COSTS", "shared=4", "shared: "),
    ("TRUNKLINE_PROGRESS", "threads", "TRUNKLINE_PROGRESS=threads: must be calls or thread"),
    ("TRUNKLINE_STRICT", "yes", "TRUNKLINE_STRICT=yes: must be 0 or 1"),
    ("TRUNKLINE_REPRODUCIBLE", "yes", "TRUNKLINE_REPRODUCIBLE=yes: must be 0 or 1"),
    ("TRUNKLINE_FOLLOW", "yes", "TRUNKLINE_FOLLOW=yes: must be 0 or 1"),
    ("TRUNKLINE_LEARN", "known", "TRUNKLINE_LEARN=known: must be 0, 1, any or only-known"),
    ("TRUNKLINE_EXPLAIN", "2", "TRUNKLINE_EXPLAIN=2: must be 0, 1 or json"),
    ("TRUNKLINE_DISABLE", "on", "TRUNKLINE_DISABLE=on: must be 0 or 1"),
    ("TRUNKLINE_HOST_MEMORY", "on", "TRUNKLINE_HOST_MEMORY=on: must be 0, 1 or copies"),
    ("TRUNKLINE_WITHIN_HOSTS", "arrivals", "TRUNKLINE_WITHIN_HOSTS=arrivals: must be plan or arrival"),
    ("TRUNKLINE_MULTICAST", "ipv4", "TRUNKLINE_MULTICAST=ipv4: must be 0, 1, ipv6 or broadcast"),
    *(
        ("TRUNKLINE_PATIENCE", wrong, f"TRUNKLINE_PATIENCE={wrong}: must be a number of seconds above 0")
        for wrong in ("0", "-1", "soon", "nan", "inf")
    ),
    ("TRUNKLINE_TRACE_SIZE", "1KiB", "TRUNKLINE_TRACE_SIZE=1KiB: must be between 256KiB and 1024GiB"),
    ("TRUNKLINE_TRACE_SIZE", "4KB", '"KB" is no unit'),
    ("TRUNKLINE_TRACE_SIZE", "2TB", "no unit of a size"),
    *(
        ("TRUNKLINE_TRACE_RANKS", wrong, f"TRUNKLINE_TRACE_RANKS={wrong}: must be ranks and ranges, such as 0-7,16")
        for wrong in ("all", "3-1", "0,", "-2")
    ),
    (
        "TRUNKLINE_TRACE_COLLECTIVES",
        "allreduce,bcst",
        "'bcst' is no collective that Trunkline plans (did you mean bcast",
    ),
    *(
        ("TRUNKLINE_TRACE_TIME", wrong, f"TRUNKLINE_TRACE_TIME={wrong}: must be seconds from and until, such as 60-120")
        for wrong in ("60", "120-60", "a-b", "-nan")
    ),
    ("TRUNKLINE_TRACE_START", "0", "TRUNKLINE_TRACE_START=0 chooses what is traced: set TRUNKLINE_TRACE too"),
    ("TRUNKLINE_TRACE_START", "later", "TRUNKLINE_TRACE_START=later: must be 0 or 1"),
    ("TRUNKLINE_TUNING", "./a.yaml", "TRUNKLINE_TUNING=./a.yaml: is about a cluster: set TRUNKLINE_CLUSTER too"),
    ("TRUNKLINE_MEASURED", "./a.yaml", "TRUNKLINE_MEASURED=./a.yaml: is about a cluster: set TRUNKLINE_CLUSTER too"),
]
"""Setting, wrong value, what is said of it."""


def each_setting_once() -> list[dict[str, tuple[str, str]]]:
    """The wrong values in as many jobs as one setting has of them: by setting, its value and what is said."""
    jobs: list[dict[str, tuple[str, str]]] = []
    for name, value, message in WRONG:
        if all(name in job for job in jobs):
            jobs.append({})
        next(job for job in jobs if name not in job)[name] = (value, message)
    return jobs


@pytest.mark.parametrize("wrong", each_setting_once(), ids=lambda wrong: f"{len(wrong)} settings")
def test_wrong_settings_end_the_job_and_all_are_named(mpi: Mpi, wrong: dict[str, tuple[str, str]]):
    said = hello(mpi, {name: value for name, (value, _) in wrong.items()}, status=2).last_words()
    for name, (_, message) in wrong.items():
        assert len([line for line in said if name in line and message in line]) == 1, said
    assert len(said) == len(wrong), said


def documented() -> dict[str, tuple[set[str], str]]:
    """What docs/settings.md has of each setting: the words that it may be, and its default."""
    rows: dict[str, tuple[set[str], str]] = {}
    for line in SETTINGS_PAGE.read_text().splitlines():
        if line.startswith("| `TRUNKLINE_"):
            names, values, default, _ = line.strip("| ").split(" | ", 3)
            words = {word for quoted in re.findall(r"`([^`]*)`", values) for word in quoted.split(",")}
            rows |= dict.fromkeys(re.findall("`(.*?)`", names), (words, default.strip("`")))
    return rows


def test_the_document_has_what_the_library_has_and_nothing_else():
    """An unknown setting has it list all; a value that none can have shows which ones it knows."""
    pages = documented()
    asked = dict.fromkeys(pages, "?") | {"TRUNKLINE_NOPE": "1"}
    said = hello(installed()[0], asked, status=2, ranks=1).err
    assert re.findall("(TRUNKLINE_.*) is no setting", said) == ["TRUNKLINE_NOPE"]
    listed = dict(re.findall(r"^  (TRUNKLINE_\w+): (.*)$", said, re.MULTILINE))
    assert set(listed) == set(pages)
    for name, text in listed.items():
        words, default = pages[name]
        taken = set(re.findall(r"(?<![\w'-])[a-z0-9][a-z0-9-]*", text.partition("; ")[0])) - {"or"}
        plain = {word for word in words if re.fullmatch("[a-z0-9-]+", word)}
        if words:  # the page has more names of libraries than fit a message
            assert taken == plain or (name == "TRUNKLINE_HOST_COSTS" and taken < plain), (name, taken, plain)
        told = re.search(r"; default (\S+)$", text)
        if told or not (" " in default or default == "none"):
            assert told, name
            assert told[1] == default, name


def test_one_order_takes_algorithms_that_have_one(mpi: Mpi):
    asked = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_REPRODUCIBLE": "1", "TRUNKLINE_ALLREDUCE": "two-tree"}
    said = hello(mpi, asked, status=2).last_words()
    assert len(said) == 1
    assert "TRUNKLINE_ALLREDUCE=two-tree combines operands in an order that depends on the message's length" in said[0]


def test_what_is_known_must_be_kept_somewhere(mpi: Mpi):
    said = hello(mpi, {"TRUNKLINE_LEARN": "only-known", "TRUNKLINE_LEARNED": "0"}, status=2).last_words()
    assert len(said) == 1
    assert "TRUNKLINE_LEARN=only-known runs what is kept, and TRUNKLINE_LEARNED=0 keeps nothing" in said[0]


def test_one_rank_speaks_for_all_where_the_launcher_ends_them_in_time(mpi: Mpi):
    """Within a second, that is; a busy machine may take longer, but hardly again and again."""
    said = (hello(mpi, {"TRUNKLINE_STRICT": "2"}, status=2).lines("trunkline: ") for _ in range(5))
    assert any(len(lines) == 1 for lines in said)


def test_only_the_last_rank_is_given_a_wrong_setting(mpi: Mpi):
    script = 'if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 2 ]; then export TRUNKLINE_PLANE=1; fi; exec "$@"'
    done = hello(mpi, {}, status=2, per_rank=["sh", "-c", script, "sh"])
    assert len(done.lines("trunkline: TRUNKLINE_PLANE is no setting")) == 1


def test_disable_wins_over_everything(mpi: Mpi):
    wrong = {"TRUNKLINE_CLUSTR": "x", "TRUNKLINE_BCAST": "y", "TRUNKLINE_EXPLAIN": "1", "TRUNKLINE_CLUSTER": "nothing"}
    done = hello(mpi, wrong | {"TRUNKLINE_DISABLE": "1"})
    assert "trunkline" not in done.err


def test_variables_of_the_lab_and_empty_ones_are_none_of_its_business(mpi: Mpi):
    done = hello(
        mpi, {"TRUNKLINE_LAB_ANYTHING": "x", "TRUNKLINE_CLUSTER": "", "TRUNKLINE_MPICC": "a:b", "TRUNKLINE_BUILD": "x"}
    )
    assert "trunkline" not in done.err


def test_nothing_set_changes_nothing(mpi: Mpi):
    assert "trunkline" not in hello(mpi, {}).err
    done = hello(mpi, {"TRUNKLINE_EXPLAIN": "1"})
    said = done.lines("trunkline: ")
    assert all("ran native: " in line for line in said)
    assert "planned are" not in done.err, "its lines say that all is native"
    [broadcast] = [line for line in said if "MPI_Bcast" in line]
    assert "ran native: no cluster is set (TRUNKLINE_CLUSTER)" in broadcast


def test_what_is_not_planned_is_told_once(mpi: Mpi):
    forced = {"TRUNKLINE_EXPLAIN": "1", "TRUNKLINE_BCAST": "unaware-linear:1KiB"}
    said = hello(mpi, forced).err
    assert " ran unaware-linear " in said
    assert said.count("planned are MPI_Bcast, ") == 1
    assert "persistent forms (MPI_Ibcast, MPI_Bcast_init); the MPI library " in said


def test_calls_that_are_alike_are_told_once_in_words_and_each_as_json(mpi: Mpi):
    words = [mpi.program("runtime-calls"), *["8192:0"] * 3, "8192:1", "9000:0"]
    forced = {"TRUNKLINE_BCAST": "unaware-linear:1KiB"}
    done = mpi.run(3, *words, settings=forced | {"TRUNKLINE_EXPLAIN": "1"})
    assert len(done.lines("trunkline: MPI_Bcast of ")) == 3, done.err
    said = explained(mpi.run(3, *words, settings=forced | JSON).err, collective="bcast")
    assert [(one["bytes"], one["root"]) for one in said] == [(8192, 0)] * 3 + [(8192, 1), (9000, 0)]


def members_by_event() -> dict[str, dict[str, bool]]:
    """What docs/settings.md has of each event: its members, and whether they are always there."""
    rows = re.findall(r"^\| `([a-z, `-]+)` \| `(\w+)`( \*)? \|", SETTINGS_PAGE.read_text(), re.MULTILINE)
    found: dict[str, dict[str, bool]] = {}
    for names, member, sometimes in rows:
        for event in names.split("`, `"):
            found.setdefault(event, {"event": True, "rank": True})[member] = not sometimes
    return found


def test_json_has_the_members_that_the_document_has(mpi: Mpi):
    """Words are for people, and are tested elsewhere; this is what a program may count on."""
    documented = members_by_event()
    settings = {"TRUNKLINE_CLUSTER": "cyclic"} | JSON
    words = [mpi.program("runtime-mixed"), "200", "12", "1", "linear:1KiB", "multicast"]
    said = events(mpi.run(4, *words, settings=settings, per_rank=[ON_OWN_HOST]).err)
    assert {"call", "multicasts"} <= {one["event"] for one in said} <= documented.keys()
    for one in said:
        wanted = documented[one["event"]]
        assert one.keys() <= wanted.keys(), one
        assert {name for name, always in wanted.items() if always} <= one.keys(), one
    calls = [one for one in said if one["event"] == "call"]
    assert all(("segment_bytes" in one) == (one["algorithm"] != "native") for one in calls)
    assert all(0.0 < one["measured_s"] < 100.0 for one in calls)
    assert all(0.0 < one["predicted_s"] < 1.0 for one in calls if one["algorithm"] == "linear")
    assert {one["chosen_by"] for one in calls} >= {"user"}


def test_warnings_and_the_last_words_are_json_too(mpi: Mpi):
    wrong = {"TRUNKLINE_CLUSTER": "./nowhere.yaml"} | JSON
    [warning] = events(hello(mpi, wrong).err)
    assert (warning["event"], warning["rank"]) == ("warning", 0)
    assert "nowhere.yaml" in warning["message"]
    assert "\nevery collective runs natively on all ranks" in warning["message"]
    ended = events(hello(mpi, wrong | {"TRUNKLINE_STRICT": "1"}, status=2).err)
    assert {one["event"] for one in ended} == {"error"}


def faulty_cluster(tmp_path: Path) -> Path:
    file = tmp_path / "faulty.yaml"
    file.write_text(CLUSTER.replace("100Mbit", "0Mbit"))
    return file


def cluster_file(folder: Path, name: str = "pair", rate: str = "100Mbit") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(CLUSTER.replace("100Mbit", rate))
    return file


def wrong_inputs(tmp_path: Path) -> dict[str, tuple[dict[str, str], str]]:
    """Settings that can be read but not used, and what the warning says."""
    plan = tmp_path / "wrong-plan.yaml"
    plan.write_text("trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 3\nroot: 0\nsends:\n  0: [1]\n")
    good = str(cluster_file(tmp_path))
    return {
        "misspelled": ({"TRUNKLINE_CLUSTER": "cyclik"}, "no cluster 'cyclik' is bundled (did you mean cyclic?)"),
        "missing": ({"TRUNKLINE_CLUSTER": "./not-there.yaml"}, "not-there.yaml"),
        "faulty": ({"TRUNKLINE_CLUSTER": str(faulty_cluster(tmp_path))}, "faulty.yaml:4:18: "),
        "unknown host": (
            {"TRUNKLINE_CLUSTER": good, "TRUNKLINE_HOST": "elsewhere"},
            "host 'elsewhere' is not in cluster",
        ),
        "missing plan": ({"TRUNKLINE_PLAN": "./no-plan.yaml"}, "no-plan.yaml"),
        "plan of a tree in pieces": ({"TRUNKLINE_PLAN": str(plan)}, "wrong-plan.yaml:"),
    }


@pytest.mark.parametrize(
    "kind", ["misspelled", "missing", "faulty", "unknown host", "missing plan", "plan of a tree in pieces"]
)
def test_what_cannot_be_used_is_one_warning_and_native(mpi: Mpi, tmp_path: Path, kind: str):
    settings, message = wrong_inputs(tmp_path)[kind]
    done = hello(mpi, settings | {"TRUNKLINE_EXPLAIN": "1"})
    said = done.lines("trunkline: ")
    assert len(said) == 2, done.err
    assert said[0].startswith("trunkline: warning: rank 0 on ")
    assert message in said[0]
    assert "runs natively on all ranks" in said[1]


@pytest.mark.parametrize("kind", ["misspelled", "unknown host", "plan of a tree in pieces"])
def test_strict_ends_the_job_instead(mpi: Mpi, tmp_path: Path, kind: str):
    settings, message = wrong_inputs(tmp_path)[kind]
    done = hello(mpi, settings | {"TRUNKLINE_STRICT": "1"}, status=2)
    said = done.last_words()
    assert len(said) == 1
    assert message in said[0]
    assert "hello from" not in done.out


@pytest.mark.parametrize(
    ("setting", "kind"),
    [
        ("TRUNKLINE_CLUSTER", "device"),
        ("TRUNKLINE_CLUSTER", "pipe"),
        ("TRUNKLINE_PLAN", "pipe"),
        ("TRUNKLINE_TUNING", "device"),
        ("TRUNKLINE_MEASURED", "long"),
    ],
)
def test_no_file_keeps_a_job_waiting(mpi: Mpi, tmp_path: Path, setting: str, kind: str):
    """A device need not end, and to a pipe no one writes."""
    file = tmp_path / "given.yaml"
    if kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.touch()
        os.truncate(file, (64 << 20) + 1)
    done = hello(mpi, {"TRUNKLINE_CLUSTER": str(cluster_file(tmp_path)), "TRUNKLINE_HOST": "h0", setting: str(file)})
    said = done.lines("trunkline: ")
    reason = "is larger than 64MiB" if kind == "long" else "is not a regular file"
    assert f"{file}: {reason}" in said[0], done.err
    assert "runs natively on all ranks" in said[1]


def test_a_file_with_very_many_faults_is_told_in_part(mpi: Mpi, tmp_path: Path):
    file = cluster_file(tmp_path)
    with file.open("a") as opened:
        opened.writelines(f"key{number}: 1\n" for number in range(50_000))
    done = hello(mpi, {"TRUNKLINE_CLUSTER": str(file), "TRUNKLINE_HOST": "h0"})
    assert f"{file}: 49000 more faults; those that were found first are told" in done.err
    assert len(done.err) < 1 << 20


def another_build(library: Path, folder: Path) -> Path:
    """A copy with another build ID: the 20 bytes behind the head of the note."""
    content = bytearray(library.read_bytes())
    head = struct.pack("<III4s", 4, 20, 3, b"GNU\0")
    content[content.index(head) + len(head)] ^= 1
    copy = folder / library.name
    copy.write_bytes(content)
    copy.chmod(0o755)
    return copy


def test_another_build_on_one_rank_is_native_for_all(mpi: Mpi, tmp_path: Path):
    """Plans follow from the library's code too: two builds may lay others."""
    other = another_build(mpi.library, tmp_path)
    script = (
        f'if [ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = 1 ]; then '
        f'LD_PRELOAD=$(echo "$LD_PRELOAD" | sed "s#{mpi.library}#{other}#"); fi; exec "$@"'
    )
    settings = {"TRUNKLINE_CLUSTER": str(cluster_file(tmp_path)), "TRUNKLINE_HOST": "h0"}
    assert len(hello(mpi, settings).lines("trunkline: ")) == 0
    done = hello(mpi, settings, per_rank=["sh", "-c", script, "sh"])
    said = done.lines("trunkline: ")
    assert "rank 1 on h0 runs another build of Trunkline's preload library than rank 0" in said[0]
    assert "runs natively on all ranks" in said[1]


def test_one_unknown_host_is_native_for_all(mpi: Mpi, tmp_path: Path):
    """Four ranks, h0 to h3, in a cluster of which h2 has been renamed."""
    file = tmp_path / "three.yaml"
    file.write_text(CLUSTER.replace("h[0-3]", "h[0-1], h9, h3"))
    settings = {"TRUNKLINE_CLUSTER": str(file), "TRUNKLINE_BCAST": "linear:1KiB", "TRUNKLINE_EXPLAIN": "1"}
    done = hello(mpi, settings, ranks=4, per_rank=[ON_OWN_HOST])
    said = done.lines("trunkline: ")
    assert len(said) == 2, done.err
    assert "rank 2 on h2: host 'h2' is not in cluster pair" in said[0]


def test_different_files_on_different_ranks_are_found(mpi: Mpi, tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    cluster_file(tmp_path / "a")
    cluster_file(tmp_path / "b", rate="10Mbit")
    script = f'cd {tmp_path}; case "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" in 0) cd a;; *) cd b;; esac; exec "$@"'
    settings = {"TRUNKLINE_CLUSTER": "./pair.yaml", "TRUNKLINE_BCAST": "linear"}
    done = hello(mpi, settings, per_rank=["sh", "-c", script, "sh", ON_OWN_HOST])
    said = done.lines("trunkline: warning: ")
    assert len(said) == 2, done.err
    assert "rank 1 on h1 was given another cluster (TRUNKLINE_CLUSTER) than rank 0" in said[0]


@pytest.mark.parametrize(
    ("some", "said"), [("0", "rank 1 on .* was given no cluster"), ("1", "rank 1 on .* was given a cluster")]
)
def test_settings_that_reach_some_ranks_only_are_found(mpi: Mpi, some: str, said: str):
    """As ``mpirun -x LD_PRELOAD`` leaves them: the other hosts have the library and no settings."""
    script = (
        f'test "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = {some} && export TRUNKLINE_CLUSTER=cyclic TRUNKLINE_HOST=h0'
    )
    done = hello(mpi, {}, ranks=2, per_rank=["sh", "-c", f'{script}; exec "$@"', "sh"])
    assert re.search(said, done.err), done.err
    assert "hand TRUNKLINE_* on to all ranks" in done.err


def test_different_choices_on_different_ranks_are_found(mpi: Mpi):
    script = 'export TRUNKLINE_BCAST=unaware-linear:${PMI_RANK:-$OMPI_COMM_WORLD_RANK}1KiB; exec "$@"'
    done = hello(mpi, {}, ranks=2, per_rank=["sh", "-c", script, "sh"])
    assert "rank 1 on " in done.err
    others = "TRUNKLINE_BCAST and its like, TRUNKLINE_REPRODUCIBLE, TRUNKLINE_FOLLOW, TRUNKLINE_LEARN"
    assert f"was given another choice of algorithms ({others})" in done.err


def test_different_host_costs_on_different_ranks_are_found(mpi: Mpi):
    script = 'test "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 && export TRUNKLINE_HOST_COSTS=free; exec "$@"'
    done = hello(mpi, {"TRUNKLINE_HOST_COSTS": "openmpi"}, ranks=2, per_rank=["sh", "-c", script, "sh"])
    assert "rank 1 on " in done.err
    assert "of costs (TRUNKLINE_HOST_COSTS, TRUNKLINE_MEASURED or the tables" in done.err


def test_what_a_lab_says_of_costs_decides(mpi: Mpi):
    """Processors that take a second for each message: nothing has fewer of them than what the MPI library runs."""
    host = 'export TRUNKLINE_HOST=h${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; exec "$@"'
    settings = {"TRUNKLINE_CLUSTER": "cyclic"} | JSON
    for costs, native in (("shared=0s", False), ("shared=1s", True)):
        done = hello(mpi, {**settings, "TRUNKLINE_HOST_COSTS": costs}, ranks=4, per_rank=["sh", "-c", host, "sh"])
        ran = {call["algorithm"] == "native" for call in explained(done.err, bytes=1 << 20)}
        assert ran == {native}, done.err


def test_a_host_may_be_known_by_its_processor_name(mpi: Mpi, tmp_path: Path):
    """No TRUNKLINE_HOST: the name of this machine, with and without a domain, is looked up."""
    from platform import node

    file = tmp_path / "here.yaml"
    file.write_text(CLUSTER.replace("h[0-3]", f"{node().partition('.')[0]}.example.org, other"))
    settings = {"TRUNKLINE_CLUSTER": str(file), "TRUNKLINE_BCAST": "linear"}
    done = hello(mpi, settings | JSON)
    assert explained(done.err, algorithm="linear"), done.err
    assert not done.warnings()
