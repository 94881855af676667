"""Edits of plans: whatever is done, a tree stays one; what undoes an edit gives the tree back."""

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.edits.host_tree import HostTree
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level, remove_root_level
from trunkline.edits.steps import add_link, join, merge_root, move, remove_link, reroot, split_root
from trunkline.errors import BadInput


def composed(hosts, each, host_fan_in=0, root_fan_in=0, split=0, root=0):
    placement = [rank // each for rank in range(hosts * each)]
    tree = _core.hierarchical_tree(placement, root, host_fan_in, root_fan_in, split)
    return HostTree.of(tree, [f"h{host}" for host in placement])


def children_of(tree):
    return tree.as_tree().children


@st.composite
def hierarchies(draw):
    hosts, each = draw(st.integers(1, 20)), draw(st.integers(1, 16))
    fan_in = st.sampled_from([0, 2, 3, 4])
    root = draw(st.integers(0, hosts * each - 1))
    return composed(hosts, each, draw(fan_in), draw(fan_in), draw(st.sampled_from([0, 1, None])), root)


@st.composite
def any_trees(draw):
    """Trees by hand, over ranks dealt over hosts at random."""
    ranks = draw(st.integers(1, 24))
    hosts = draw(st.lists(st.sampled_from("abcde"), min_size=ranks, max_size=ranks))
    parents = [None, *(draw(st.integers(0, rank - 1)) for rank in range(1, ranks))]
    second = draw(st.sampled_from([None, *(rank for rank, parent in enumerate(parents) if parent == 0)]))
    return HostTree(tuple(parents), tuple(hosts), second)


def any_edit(draw, tree):
    host = draw(st.sampled_from(tree.host_names))
    rank = st.integers(0, len(tree.parent) - 1)
    edits = {
        "add-level": lambda: add_host_level(tree, draw(st.sampled_from([[], [host]]))),
        "remove-level": lambda: remove_host_level(tree, draw(st.sampled_from([[], [host]]))),
        "add-level --root": lambda: add_root_level(tree),
        "remove-level --root": lambda: remove_root_level(tree),
        "split-root": lambda: split_root(tree, host),
        "merge-root": lambda: merge_root(tree, host),
        "move": lambda: move(tree, draw(rank), draw(rank)),
        "add-link": lambda: add_link(tree, host),
        "remove-link": lambda: remove_link(tree, host),
        "join": lambda: join(tree, composed(2, 2, split=None)) if len(tree.parent) < 60 else tree,
    }
    return edits[draw(st.sampled_from(sorted(edits)))]()


def expect_a_tree(tree, root):
    proven = tree.as_tree()  # the checker's word
    assert (proven.root, proven.exchange) == (root, tree.exchange)
    reached, stack = [], [root]
    while stack:
        reached.append(stack.pop())
        stack += proven.children[reached[-1]]
    assert sorted(reached) == list(range(len(tree.parent)))


@given(st.data(), st.one_of(hierarchies(), any_trees()))
def test_any_sequence_of_edits_keeps_a_tree(data, tree):
    root, second = tree.root, tree.exchange
    for _ in range(data.draw(st.integers(1, 12))):
        with suppress(BadInput):
            tree = any_edit(data.draw, tree)
        expect_a_tree(tree, root)
        assert tree.exchange == second


@given(hierarchies(), st.integers(1, 4))
def test_levels_of_hosts_come_and_go(tree, levels):
    steps = [tree]
    with suppress(BadInput):
        for _ in range(levels):
            steps.append(add_host_level(steps[-1]))
    assume(len(steps) > 1)
    for before, after in zip(steps[-2::-1], steps[:0:-1], strict=True):
        assert max(map(len, children_of(after))) <= max(map(len, children_of(before)))
        assert remove_host_level(after) == before


@given(st.integers(4, 40), st.integers(2, 16), st.integers(1, 3))
def test_levels_of_the_root_come_and_go(hosts, each, levels):
    steps = [composed(hosts, each)]
    with suppress(BadInput):
        for _ in range(levels):
            steps.append(add_root_level(steps[-1]))
    assert len(steps) > 1
    for before, after in zip(steps[-2::-1], steps[:0:-1], strict=True):
        assert remove_root_level(after) == before


@given(st.data(), hierarchies())
def test_the_root_is_split_and_merged(data, tree):
    host = data.draw(st.sampled_from(tree.host_names))
    assume(host not in tree.root_hosts and not tree.beyond(tree.leader(host)))
    try:
        after = split_root(tree, host)
    except BadInput:
        assume(False)
    assert len(tree.beyond(tree.parent[tree.leader(host)])) > len(after.beyond(after.parent[after.leader(host)]))
    assert merge_root(after, host) == tree


@given(st.data(), hierarchies(), st.integers(1, 4))
def test_links_come_and_go(data, tree, links):
    host = data.draw(st.sampled_from(tree.host_names))
    assume(host not in tree.root_hosts)
    steps = [tree]
    with suppress(BadInput):
        for _ in range(links):
            steps.append(add_link(steps[-1], host))
    for before, after in zip(steps[-2::-1], steps[:0:-1], strict=True):
        assert len(after.tops(host)) == len(before.tops(host)) + 1
        assert remove_link(after, host) == before


@given(st.data(), st.one_of(hierarchies(), any_trees()))
def test_a_node_moves_and_comes_back(data, tree):
    ranks = st.integers(0, len(tree.parent) - 1)
    rank = data.draw(ranks)
    try:
        after = move(tree, rank, data.draw(ranks))
    except BadInput:
        assume(False)
    assert move(after, rank, tree.parent[rank]) == tree


def test_the_papers_steps_on_8w():
    quad = add_host_level(composed(4, 8))
    assert quad == composed(4, 8, host_fan_in=4)
    binary = add_host_level(quad)
    assert binary == composed(4, 8, host_fan_in=2)
    assert add_root_level(binary) == composed(4, 8, host_fan_in=2, root_fan_in=2)


def test_the_roots_own_group_is_halved():
    split = split_root(composed(4, 8), "h3")
    assert children_of(split)[0] == [24, 8, 1, 2, 3, 4, 5, 6, 7]
    assert children_of(split)[24][0] == 16
    assert children_of(split_root(composed(4, 8), "h1"))[8][0] == 16


def test_another_group_moves_whole():
    before = composed(8, 4, host_fan_in=2, root_fan_in=2)
    after = split_root(before, "h4")
    taker = before.parent[16]
    assert (before.beyond(taker), after.beyond(taker), after.beyond(16)) == ([16, 20], [16], [20])


def test_a_host_gets_a_link_for_its_deepest_node():
    assert add_link(composed(4, 8, host_fan_in=2), "h1").tops("h1") == [8, 12]


def two_rooted():
    """Of h0 to h3 and h4 to h7, whose first ranks exchange."""
    side = composed(4, 4)
    both = join(side, HostTree(side.parent, tuple(f"h{4 + int(host[1])}" for host in side.hosts)))
    return HostTree(both.parent, both.hosts, exchange=16)


def test_each_of_two_roots_has_groups_of_its_own():
    tree = two_rooted()
    assert (tree.beyond(0), tree.beyond(16)) == ([4, 8, 12], [20, 24, 28])
    assert tree.other_hosts == ["h1", "h2", "h3", "h5", "h6", "h7"]
    split = split_root(tree, "h7")
    assert (split.beyond(16), split.beyond(28), split.beyond(0)) == ([20, 28], [24], [4, 8, 12])
    assert merge_root(split, "h7") == tree
    more = add_root_level(tree)
    assert (more.beyond(0), more.beyond(1), more.beyond(16), more.beyond(17)) == ([4], [8, 12], [20], [24, 28])
    assert remove_root_level(more) == tree


def test_two_roots_come_and_go():
    tree = two_rooted()
    one = reroot(tree, 0)
    assert (one.roots, one.parent) == ([0], tree.parent)
    assert reroot(one, 0, 16) == tree
    turned = reroot(tree, 16, 0)
    assert (turned.roots, turned.parent[0], turned.children[16]) == ([16, 0], 16, [0, *tree.children[16]])
    assert reroot(turned, 0, 16) == tree


def test_the_root_of_the_first_tree_is_that_of_both():
    both = join(composed(2, 2), HostTree((None, 0), ("x", "x")))
    assert both.parent == (None, 0, 0, 2, 0, 4)
    assert both.hosts == ("h0", "h0", "h1", "h1", "x", "x")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: add_host_level(t, ["h9"]), r"no rank of the plan sits on 'h9'; its hosts are: h\[0-3\]"),
        (lambda t: add_host_level(composed(4, 3)), "no level can be added: no rank of any host has 3 leaves"),
        (lambda t: remove_host_level(t), "no level can be removed: the subtrees of any host have one level"),
        (lambda t: add_root_level(composed(3, 3)), "no rank combines 4 hosts"),
        (lambda t: add_root_level(composed(4, 1)), "h0 has no rank left to combine hosts; split-root lets another"),
        (lambda t: remove_root_level(t), "no host has two ranks that combine other hosts"),
        (lambda t: split_root(t, "h0"), "h0 is a root's own host: nothing of it can be split off"),
        (lambda t: split_root(split_root(t, "h3"), "h2"), "h2 contributes to h3, not to the root's host h0; those"),
        (lambda t: split_root(composed(2, 2), "h1"), "h1 is alone in its group at h0"),
        (lambda t: merge_root(t, "h1"), "h1 combines no other hosts"),
        (lambda t: move(t, 0, 1), "rank 0 is the root"),
        (lambda t: move(t, 8, 9), "rank 9 hangs below rank 8"),
        (lambda t: move(t, 9, 8), "rank 9 hangs below rank 8 already"),
        (lambda t: move(t, 99, 8), "there is no rank 99; the ranks are 0 to 31"),
        (lambda t: add_link(t, "h0"), "h0 is a root's own host"),
        (lambda t: add_link(composed(4, 1), "h1"), "h1 has no rank below its leader 1 that could get a link"),
        (lambda t: remove_link(t, "h1"), "h1 has one link alone"),
        (lambda t: join(t, composed(1, 1)), "both plans have ranks on h0"),
        (lambda t: move(two_rooted(), 16, 4), "rank 16 is a root: it exchanges with rank 0, so it stays below it"),
        (lambda t: merge_root(two_rooted(), "h4"), "h4 is a root's own host: nothing of it can be merged into it"),
        (lambda t: split_root(split_root(two_rooted(), "h7"), "h6"), "h6 contributes to h7, not .* h0 or h4; those"),
        (lambda t: add_link(two_rooted(), "h4"), "h4 is a root's own host"),
        (lambda t: reroot(t, 0, 9), "rank 9 does not hang beside rank 0, and roots that exchange do; .*: 1, 2, 3"),
        (lambda t: reroot(two_rooted(), 0, 16), "ranks 0 and 16 are roots already"),
    ],
)
def test_an_edit_that_would_break_the_tree_is_refused(edit, message):
    with pytest.raises(BadInput, match=message):
        edit(composed(4, 8))


def test_the_command_splits_and_shows(trunkline, tmp_path):
    ran = trunkline("plan", "compose", "8w", "--ranks-per-host", 8, "-o", "nary8W.yaml", cwd=tmp_path)
    assert ran.status == 0
    assert trunkline("plan", "edit", "nary8W.yaml", "split-root", "--host", "w3", "-o", "split.yaml", cwd=tmp_path)
    shown = trunkline("plan", "show", "split.yaml", "--svg", "split.svg", cwd=tmp_path)
    assert shown.status == 0
    assert "allreduce, custom over 8w from rank 0 (w0): 32 ranks, height 3, degree 9\n" in shown.out
    assert "<svg" in (tmp_path / "split.svg").read_text()
    read = _core.read_plan(str(tmp_path / "split.yaml"))
    assert read.provenance.endswith("(flat hosts, flat root); split-root --host w3")
    assert read.cluster == "8w"


def test_the_command_joins_two_clusters(trunkline, tmp_path):
    words = ("--host-shape", "binary", "--root-shape", "binary", "-o")
    assert trunkline("plan", "compose", "4w", "--ranks-per-host", 4, *words, "a.yaml", cwd=tmp_path).status == 0
    assert trunkline("plan", "compose", "8w", "--ranks-per-host", 8, *words, "b.yaml", cwd=tmp_path).status == 0
    joined = ("plan", "edit", "a.yaml", "join", "b.yaml", "--cluster", "4w+8w", "-o", "c.yaml")
    assert trunkline(*joined, cwd=tmp_path).status == 0
    data = trunkline("plan", "show", "c.yaml", "--json", "-", cwd=tmp_path).data
    assert (data["ranks"], data["root"], data["parent"]["32"]) == (64, 0, 0)
    assert data["hosts"][31:33] == ["v7", "w0"]


def test_what_cannot_be_edited_says_why(refused, tmp_path, trunkline):
    trunkline("plan", "cyclic", "--shape", "two-tree", "-o", "two.yaml", cwd=tmp_path)
    trunkline("plan", "cyclic", "--shape", "circulant", "-o", "rounds.yaml", cwd=tmp_path)
    (tmp_path / "bare.yaml").write_text(
        "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 2\nroot: 0\nline: [0, 1]\n"
    )
    for file, why in (
        ("two.yaml", "tree 1 of 2: no level can be added: no rank of any host has 3 leaves"),
        ("rounds.yaml", "rounds.yaml goes by rounds; plans of trees can be edited"),
        ("bare.yaml", "bare.yaml does not say which rank sits on which host"),
    ):
        assert refused("plan", "edit", file, "add-level", "-o", "-", cwd=tmp_path).startswith(why)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host-shape", "trinary"], "--host-shape: 'trinary' is no shape; give flat, binary, quad or K-ary"),
        (["--root-shape", "1-ary"], "--root-shape: '1-ary' is no shape"),
        (["--split", "some"], "--split: 'some' is no number of levels; give 0 (none), 1, 2, ... or all"),
        (["--hosts", "w9"], "--hosts: there is no host 'w9' in 8w; near to it are: w"),
        (["--hosts", "w[1-2]", "--root", "w0"], "no rank sits on w0; name a host that takes part"),
    ],
)
def test_compose_refuses_what_it_cannot_do(refused, words, message):
    assert refused("plan", "compose", "8w", *words).startswith(message)


def test_a_misspelled_sub_command_is_told_from_a_cluster(refused):
    said = refused("plan", "compse", "8w")
    assert said.startswith(
        "plan has no sub-command 'compse'; there are: lay, show, set, compose, edit, or give one cluster"
    )


def test_hosts_take_part_in_the_order_in_which_they_are_named(trunkline):
    data = trunkline("plan", "compose", "8w", "--hosts", "w[3,1],w3", "--root", "w1", "--json", "-").data
    assert (data["hosts"], data["root"]) == (["w3", "w1", "w3"], 1)
    assert data["parent"] == {"0": 1, "1": None, "2": 0}


@given(any_trees(), st.data())
def test_another_root_leaves_every_link_and_the_old_one_brings_it_back(tree, data):
    assume(len(tree.parent) > 1)
    rank = data.draw(st.integers(0, len(tree.parent) - 1).filter(lambda rank: rank != tree.root))
    changed = reroot(tree, rank)
    assert changed.root == rank

    def links(of):
        return {frozenset((one, above)) for one, above in enumerate(of.parent) if above is not None}

    assert links(changed) == links(tree)
    assert changed.exchange is None
    assert reroot(changed, tree.root, tree.exchange) == tree


def test_there_is_no_root_outside():
    tree = composed(2, 2)
    with pytest.raises(BadInput, match="there is no rank 4; the plan has ranks 0 to 3"):
        reroot(tree, 4)
    with pytest.raises(BadInput, match="rank 0 is the root already"):
        reroot(tree, 0)


def moves_of(trunkline, tmp_path, *words):
    """Parents in each tree of `two.yaml` and of what becomes of it."""
    ran = trunkline("plan", "edit", *words, "-o", "after.yaml", cwd=tmp_path)
    assert ran.status == 0, ran.error
    files = [_core.read_plan(str(tmp_path / name)) for name in ("two.yaml", "after.yaml")]
    return [[tree.parent for tree in file.plan.trees] for file in files], files[1].provenance


def test_one_of_several_trees_is_edited_or_all_are(trunkline, tmp_path, refused):
    laid = ("plan", "cyclic", "--shape", "two-tree", "--collective", "allreduce", "-o", "two.yaml")
    assert trunkline(*laid, cwd=tmp_path).status == 0
    trees = [HostTree.of(tree, ["h"] * 32) for tree in _core.read_plan(str(tmp_path / "two.yaml")).plan.trees]
    rank = next(one for one in range(32) if all(tree.parent[one] not in (None, tree.root) for tree in trees))
    move_it = ("move", "--rank", rank, "--to", trees[0].root)
    (before, after), said = moves_of(trunkline, tmp_path, "--tree", 2, "two.yaml", *move_it)
    assert (after[0], after[1][rank]) == (before[0], trees[0].root)
    assert said.endswith(f"; --tree 2 move --rank {rank} --to {trees[0].root}")
    (before, after), said = moves_of(trunkline, tmp_path, "two.yaml", *move_it)
    assert [tree[rank] for tree in after] == [trees[0].root] * 2
    assert said.endswith(f"; move --rank {rank} --to {trees[0].root}")
    wrong = refused("plan", "edit", "--tree", 3, "two.yaml", *move_it, "-o", "-", cwd=tmp_path)
    assert wrong.startswith("there is no tree 3; the plan has 2, counted from 1")


def test_a_plan_with_two_roots_is_edited_and_loses_one(trunkline, tmp_path):
    file = tmp_path / "plan.yaml"
    words = ("plan", "four-site", "--collective", "allreduce", "--algorithm", "by-sites-binary")
    laid = trunkline(*words, "-o", file, "--json", "-").data
    assert {laid["root"], laid["exchange"]} == {16, 24}
    assert laid["exchange"] in laid["children"][str(laid["root"])]
    shown = trunkline(*words)
    assert f"Ranks {laid['root']} and {laid['exchange']} exchange what has come up to them" in shown.out
    made = tmp_path / "made.yaml"
    child = next(one for one in laid["children"][str(laid["exchange"])])
    for words, roots in (
        (("move", "--rank", child, "--to", laid["root"]), (laid["root"], laid["exchange"])),
        (("reroot", "--rank", laid["root"]), (laid["root"], None)),
        (("reroot", "--rank", laid["exchange"], "--exchange", laid["root"]), (laid["exchange"], laid["root"])),
    ):
        assert trunkline("plan", "edit", file, *words, "-o", made).status == 0
        [tree] = _core.read_plan(str(made)).plan.trees
        assert (tree.root, tree.exchange) == roots
