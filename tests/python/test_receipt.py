"""What the command makes of receipts: one of them, many together, and files that are none."""

import json
import re

import pytest
from made_up import receipt

from trunkline.cli.receipt import receipt_page
from trunkline.errors import BadInput
from trunkline.receipt.file import read_receipt
from trunkline.receipt.picture import receipt_panels, trials_panel
from trunkline.receipt.prometheus import prometheus_text
from trunkline.receipt.worth import add_up


def written(folder, name="receipt.json", **changed):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(receipt(**changed)))
    return file


class TestRead:
    def test_what_follows_from_it(self, tmp_path):
        found = read_receipt(str(written(tmp_path)))
        assert found.saved_s == pytest.approx(12.0 - 0.5 - 0.25)  # less what was lost, and the meetings
        assert found.error_s == pytest.approx(0.4 + 0.1)
        assert [one.algorithm for one in found.trials[0].lost] == ["two-tree:1408", "native"]
        assert [one.why for one in found.native] == ["", "below 2 KiB"]

    def test_calls_that_do_not_block_took_nobody_time(self, tmp_path):
        started = {"collective": "bcast", "form": "start", "algorithm": "linear", "chosen_by": "prediction"}
        started |= {"calls": 3, "bytes": 0, "seconds": 0, "under_way_s": 40.0}
        blocking = receipt()["calls"]
        found = read_receipt(str(written(tmp_path, calls=[*blocking, started])))
        assert (found.calls[-1].under_way_s, found.calls[-1].form) == (40.0, "start")
        assert found.as_json()["calls_seconds"] == sum(one["seconds"] for one in blocking)
        page = receipt_page(found)
        assert "MPI_Ibcast" in page
        assert "40.0 s under way" in page
        assert "MPI_Ibcast" not in receipt_panels(found)[0]

    def test_one_of_an_older_version_lacks_much(self, tmp_path):
        """The first receipts said no more than this."""
        file = tmp_path / "old.json"
        calls = {"collective": "bcast", "algorithm": "native", "calls": 3, "bytes": 0, "seconds": 0.5}
        old = {"trunkline": "receipt/1", "ranks": 4, "seconds": 2.5, "calls": [calls], "meetings_s": 0, "trials": []}
        file.write_text(json.dumps(old))
        found = read_receipt(str(file))
        assert (found.cluster, found.began, found.hosts) == ("", None, None)
        assert found.calls[0].least_bytes is None
        assert found.as_json()["saved_s"] is None

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "is no receipt, nor any JSON"),
            ("hosts: 3", "is no receipt, nor any JSON"),
            ('{"trunkline": "receipt/1", "version": "0.1", "calls": [', "a receipt that is cut off"),
            ("[]", "is no receipt; TRUNKLINE_SUMMARY=FILE has a job write one"),
            ('{"trunkline": "cluster/1"}', "is no receipt; TRUNKLINE_SUMMARY=FILE has a job write one"),
            ('{"trunkline": "receipt/2"}', "is receipt/2, of another Trunkline; this one reads receipt/1"),
            ('{"trunkline": "receipt/1"}', "has no 'ranks'"),
            (
                json.dumps(receipt(ranks="4")),
                "'ranks' must be a whole number from 0 to 18446744073709551615, not \"4\"",
            ),
            (json.dumps(receipt(ranks=10**400)), "'ranks' must be a whole number"),
            (json.dumps(receipt(seconds=10**400)), "'seconds' must be a number from 0 to 1e+15"),
            (json.dumps(receipt(seconds=1e200)), "'seconds' must be a number from 0 to 1e+15"),
            (json.dumps(receipt(ranks=True)), "'ranks' must be a whole number"),
            (json.dumps(receipt(seconds=float("nan"))), "'seconds' must be a number from 0 to 1e+15"),
            (json.dumps(receipt(calls={})), "'calls' must be a list"),
            (json.dumps(receipt(calls=[3])), "calls[0]: must be an object"),
            (json.dumps(receipt(began="yesterday")), "'began' must be a time such as"),
            (json.dumps(receipt(trials=[{"collective": "bcast"}])), "trials[0]: has no 'least_bytes'"),
        ],
    )
    def test_what_is_none_is_told_with_its_name(self, text, words, tmp_path):
        file = tmp_path / "some.json"
        file.write_text(text)
        with pytest.raises(BadInput) as told:
            read_receipt(str(file))
        assert str(told.value).startswith(f"{file}: ")
        assert words in str(told.value)


class TestShow:
    def test_all_tables(self, tmp_path, trunkline):
        ran = trunkline("receipt", "show", written(tmp_path))
        assert ran.status == 0
        assert "solver; 32 ranks on 8 hosts; ran for 60.0 s; began 2026-11-03 08:00:00 UTC; cluster lab" in ran.out
        titles = ["What ran", "What trials found", "What was tried", "What stayed native"]
        assert [title for title in titles if title in ran.out] == titles
        assert re.search(
            r"MPI_Allreduce +from 64 KiB +32 +400 +ring:1056 +20.0 ms +50.0 ms +12.0 s +\+- 400 ms", ran.out
        )
        assert "MPI_Reduce" not in ran.out
        assert "Kinds of calls that ended before native ones were timed: 1." in ran.out
        assert re.search(r"MPI_Allreduce +from 64 KiB +ring +trials +400 +25 MiB +20.0 s", ran.out)
        assert "two-tree:1408 30.0 ms (16), native 50.0 ms (9)" in ran.out
        assert re.search(r"MPI_Bcast +from 1 KiB +100 +5.00 s +below 2 KiB", ran.out)
        assert (
            "saved 11.2 s +- 500 ms beside native ones, as trials of 2 kinds of calls measured it, less 250 ms"
            in ran.out
        )

    def test_json(self, tmp_path, trunkline):
        data = trunkline("receipt", "show", written(tmp_path), "--json", "-").data
        assert data["calls_total"] == 600
        assert data["calls_seconds"] == 33.0
        assert data["began"] == "2026-11-03T08:00:00Z"
        assert data["trials"][0]["tried"][0] == {"algorithm": "native", "timed": 9, "call_s": 0.05}

    def test_a_job_that_did_not_learn_does_not_know(self, tmp_path, trunkline):
        ran = trunkline("receipt", "show", written(tmp_path, trials=[], meetings_s=0.0))
        assert "did not learn (TRUNKLINE_LEARN=1)" in ran.out
        assert "saved 0" not in ran.out

    def test_a_difference_within_its_error_is_told_as_one(self, tmp_path, trunkline):
        trials = [{**receipt()["trials"][0], "saved_s": 0.3}]
        ran = trunkline("receipt", "show", written(tmp_path, trials=trials))
        assert "saved 50.0 ms +- 400 ms" in ran.out
        assert "that is within the error" in ran.out

    def test_none(self, tmp_path, trunkline):
        ran = trunkline("receipt", "show", tmp_path / "nothing.json")
        assert ran.status == 2
        assert "nothing.json: cannot be read: No such file" in ran.error


class TestPage:
    def test_it_holds_all_of_it_and_loads_nothing(self, tmp_path, trunkline):
        made = tmp_path / "page.html"
        hostile = '<img src="http://nowhere.example/">'
        ran = trunkline("receipt", "page", written(tmp_path, program=hostile), "--output", made)
        assert ran.status == 0, ran.error
        text = made.read_text()
        assert text.count("<svg") == 2
        assert "<img" not in text
        assert "saved 11.2 s" in text
        assert not re.search(r'(src|href)="http', text)

    def test_without_calls_there_is_no_picture(self, tmp_path):
        found = read_receipt(str(written(tmp_path, calls=[], trials=[])))
        assert receipt_panels(found) == []
        assert "<svg" not in receipt_page(found)

    def test_many_kinds_are_one_row(self, tmp_path):
        row = receipt()["calls"][0]
        calls = [{**row, "least_bytes": 1 << place, "seconds": 20.0 - place} for place in range(20)]
        first, _ = receipt_panels(read_receipt(str(written(tmp_path, calls=calls))))
        assert "8 others" in first
        assert "from 2 KiB" in first
        assert "from 4 KiB" not in first

    def test_what_is_faster_than_native_is_left_of_it(self, tmp_path):
        panel = trials_panel(read_receipt(str(written(tmp_path))).measured[:1])
        native = float(re.search(r'<path d="M([\d.]+) [\d.]+V', panel)[1])
        key, runs = (float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="6"', panel))
        assert key < runs < native


class TestSum:
    @pytest.fixture
    def folder(self, tmp_path):
        folder = tmp_path / "receipts"
        written(folder, "one.json")
        written(folder, "2026-12/two.json", began="2026-12-01T00:00:00Z", cluster="other")
        written(folder, "three.json", trials=[], meetings_s=0.0, began="2026-11-30T23:59:59Z")
        (folder / "notes.txt").write_text("call the vendor")
        (folder / "torn.json").write_text(json.dumps(receipt())[:300])
        (folder / "newer.json").write_text('{"trunkline": "receipt/9"}')
        (folder / ".hidden.json").write_text("{}")
        (folder / "x.json.0-12.part").write_text("{")
        return folder

    def test_jobs_add_up_and_what_is_none_is_told(self, folder):
        worth = add_up(str(folder))
        assert (worth.all.jobs, worth.all.measured_jobs, worth.all.calls) == (3, 2, 1800)
        assert worth.all.seconds == pytest.approx(99.0)
        assert worth.all.saved_s == pytest.approx(2 * 11.25)
        assert worth.all.error_s == pytest.approx(2**0.5 * 0.5), "jobs are independent"
        assert worth.all.saved_rank_s == pytest.approx(2 * (12.0 * 32 - 0.5 * 16 - 0.25 * 32))
        written(folder, "four.json", meetings_rank_s=0.25 * 16)
        rank_s = add_up(str(folder)).all.saved_rank_s - worth.all.saved_rank_s
        assert rank_s == pytest.approx(12.0 * 32 - 0.5 * 16 - 0.25 * 16), "those ranks that met"
        assert {name: one.jobs for name, one in worth.by_month.items()} == {"2026-11": 2, "2026-12": 1}
        assert {name: one.jobs for name, one in worth.by_cluster.items()} == {"lab": 2, "other": 1}
        assert worth.by_collective["allreduce"].saved_s == pytest.approx(2 * 12.0)
        assert worth.by_collective["bcast"].calls == 3 * 200
        assert sorted(line.split(": ")[0].rpartition("/")[2] for line in worth.unread) == [
            "newer.json",
            "notes.txt",
            "torn.json",
        ]

    def test_words(self, folder, trunkline):
        ran = trunkline("receipt", "sum", folder)
        assert ran.status == 0
        assert "left out: " in ran.error
        assert "torn.json: a receipt that is cut off" in ran.error
        assert "Left out: files that could not be read as receipts: 3." in ran.out
        assert re.search(r"2026-11 +2 +1,200 +[\d.]+ MiB +66.0 s +11.2 s +\+- 500 ms +0.10 +1 ", ran.out)
        assert "3 jobs, 1,800 collective calls" in ran.out
        assert "Saved 22.5 s +- 707 ms beside native calls, 0.20 hours of processors" in ran.out

    @pytest.mark.parametrize(("since", "jobs"), [("2026-12-01", 1), ("2026-12", 1), ("2026-11-04", 2), ("2027-01", 0)])
    def test_since(self, folder, trunkline, since, jobs):
        written(folder, "undated.json", began="")
        data = trunkline("receipt", "sum", folder, "--since", since, "--json", "-").data
        assert (data["jobs"], data["older"], data["undated"]) == (jobs, 3 - jobs, 1)
        assert data["saved_s"] is None if jobs == 0 else data["saved_s"] > 0

    def test_since_is_a_date(self, folder, trunkline):
        ran = trunkline("receipt", "sum", folder, "--since", "last week")
        assert ran.status == 2
        assert "'last week' is no date; write one such as 2026-11-01" in ran.error

    def test_no_receipt_at_all(self, tmp_path, trunkline):
        (tmp_path / "some.json").write_text("{}")
        ran = trunkline("receipt", "sum", tmp_path)
        assert ran.status == 2
        assert "has no receipt" in ran.error
        assert trunkline("receipt", "sum", tmp_path / "nowhere").status == 2


SAMPLE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?[\d.]+(?:e[+-]?\d+)?)')
"""As Prometheus reads it."""


class TestPrometheus:
    def samples(self, text):
        """By name and labels; every metric has its HELP and TYPE before it, once, and its samples together."""
        assert text.endswith("\n")
        found, current, named = {}, None, []
        for line in text.splitlines():
            if line.startswith("# HELP "):
                named.append(line.split(" ")[2])
                assert len(line.split(" ", 3)[3]) > 10
            elif line.startswith("# TYPE "):
                _, _, current, kind = line.split(" ")
                assert current == named[-1]
                assert kind == ("counter" if current.endswith("_total") else "gauge")
            else:
                match = SAMPLE.fullmatch(line)
                assert match, line
                assert match[1] == current
                found[match[1], match[2] or ""] = float(match[3])
        assert len(named) == len(set(named))
        return found

    def test_lines(self, tmp_path):
        written(tmp_path, "one.json")
        written(tmp_path, "two.json")
        (tmp_path / "torn.json").write_text("{")
        found = self.samples(prometheus_text(add_up(str(tmp_path))))
        assert found["trunkline_jobs_total", 'cluster="lab"'] == 2
        assert found["trunkline_calls_total", 'cluster="lab",collective="allreduce"'] == 800
        assert found["trunkline_saved_seconds", 'cluster="lab",collective="bcast"'] == -1.0
        assert found["trunkline_net_saved_seconds", 'cluster="lab"'] == pytest.approx(22.5)
        assert found["trunkline_receipts_unread", ""] == 1
        assert found["trunkline_newest_job_timestamp_seconds", ""] == 1793692800

    def test_what_was_not_measured_is_no_zero(self, tmp_path):
        written(tmp_path, trials=[], meetings_s=0.0)
        text = prometheus_text(add_up(str(tmp_path)))
        assert "saved" not in text
        self.samples(text)

    def test_labels_are_escaped(self, tmp_path):
        written(tmp_path, cluster='a "b" \\ c\nd')
        found = self.samples(prometheus_text(add_up(str(tmp_path))))
        assert found["trunkline_jobs_total", 'cluster="a \\"b\\" \\\\ c\\nd"'] == 1

    def test_the_file_is_replaced_as_a_whole(self, tmp_path, trunkline):
        jobs = tmp_path / "jobs"
        written(jobs)
        other = tmp_path / "other"
        other.write_text("precious")
        made = tmp_path / "trunkline.prom"
        made.symlink_to(other)
        ran = trunkline("receipt", "sum", jobs, "--prometheus", made)
        assert ran.status == 0, ran.error
        assert not made.is_symlink()
        assert other.read_text() == "precious"
        assert made.read_text() == trunkline("receipt", "sum", jobs, "--prometheus", "-").out
        assert sorted(one.name for one in tmp_path.iterdir()) == ["jobs", "other", "trunkline.prom"]

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (("--prometheus", "x.txt"), "files that end with .prom alone"),
            (("--prometheus", "x.prom", "--since", "2026-11"), "leave --since out"),
        ],
    )
    def test_what_cannot_be_meant(self, words, told, tmp_path, trunkline):
        written(tmp_path)
        ran = trunkline("receipt", "sum", tmp_path, *words)
        assert ran.status == 2
        assert told in ran.error
