import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.units import (
    format_bytes,
    format_link_rate,
    format_rate,
    format_seconds,
    parse_bytes,
    parse_link_rate,
    parse_rate,
    parse_sizes,
    parse_time,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("8", 8),
        ("8B", 8),
        ("8KiB", 8192),
        ("1.5MiB", 3 << 19),
        ("2 GiB", 2 << 30),
        ("64kB", 64000),
        ("4.1MB", 4_100_000),
        ("1" + 400 * "0", 10**400),
        ("0", 0),
    ],
)
def test_sizes_with_and_without_units(text, count):
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "KiB", "-1", "8kib", "8 K", "0.3B", "1e6", "8KiB,1MiB"])
def test_what_is_no_size_is_refused_by_its_own_name(text):
    with pytest.raises(BadInput, match="size|whole number") as caught:
        parse_bytes(text)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *[("8kib", "8KiB"), ("1mb", "1MB"), ("1.5gIB", "1.5GiB"), ("4KB", "4kB"), ("64k", "64KiB"), ("64 K", "64KiB")],
        *[("2M", "2MiB"), ("1g", "1GiB"), ("4Ki", "4KiB"), ("8 bytes", "8B")],
    ],
)
def test_a_misspelt_unit_is_recognized(text, meant):
    with pytest.raises(BadInput) as caught:
        parse_bytes(text)
    assert str(caught.value) == (
        f"'{text}' is not a size (did you mean {meant}?); write a number of bytes, or one with B, KiB, MiB, GiB, kB, "
        "MB, GB, as in 8KiB (1 KiB is 1024 bytes, 1 kB is 1000)"
    )


@given(st.integers(min_value=0, max_value=1 << 50), st.sampled_from(["B", "KiB", "MiB", "GiB", "kB", "MB", "GB"]))
def test_files_have_the_units_that_the_command_has(count, unit):
    text = f"{count % 1000 + 1}{unit}"
    plan = f"trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 2\nroot: 0\nline: [0, 1]\nsegment: {text}\n"
    assert _core.parse_plan(plan, "p").segment_bytes == parse_bytes(text)


@given(st.integers(min_value=0, max_value=1 << 50))
def test_sizes_survive_writing_and_reading(count):
    assert parse_bytes(format_bytes(count)) == count


@pytest.mark.parametrize(
    ("text", "link"), [("20Mbit", (2e7, 1)), ("2x10Gbit", (1e10, 2)), ("1024x1 kbit", (1e3, 1024))]
)
def test_links_side_by_side(text, link):
    assert parse_link_rate(text) == link


@pytest.mark.parametrize("text", ["0x1Gbit", "1.5x1Gbit", "1025x1Gbit", "-2x1Gbit", "x1Gbit", "2 x1Gbit"])
def test_no_number_of_links(text):
    with pytest.raises(BadInput, match="is no number of links side by side; write a whole one from 1 to 1024, such as"):
        parse_link_rate(text)


def test_a_width_needs_a_rate():
    with pytest.raises(BadInput, match="'10' is not a rate"):
        parse_link_rate("2x10")


def test_links_side_by_side_as_text():
    assert format_link_rate(1e10, 2) == "2x 10 Gbit/s"
    assert format_link_rate(1e10, 1) == "10 Gbit/s"


@pytest.mark.parametrize(("text", "rate"), [("20Mbit", 2e7), ("1Gbit", 1e9), ("0.5kbit", 500), ("9600 bit", 9600)])
def test_rates(text, rate):
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["20", "0Mbit", "20MB", "fast", "-1Mbit", f"0.{'0' * 299}1bit", f"1{'0' * 300}bit"])
def test_what_is_no_rate_is_refused(text):
    with pytest.raises(BadInput, match="rate"):
        parse_rate(text)


def test_rates_and_times_for_people():
    assert format_rate(2e7) == "20 Mbit/s"
    assert format_rate(1.5e9) == "1.5 Gbit/s"
    assert [format_seconds(s) for s in (12.34, 0.0456, 7.89e-4, 5e-8)] == ["12.3 s", "45.6 ms", "789 us", "0.0500 us"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *[("10G", "10Gbit"), ("10GbE", "10Gbit"), ("2.5Gbps", "2.5Gbit"), ("100 mbit", "100Mbit"), ("1Gb", "1Gbit")],
        *[("10Gbit/s", "10Gbit"), ("10Gb/s", "10Gbit"), ("25GBE", "25Gbit"), ("40Mbits", "40Mbit"), ("9bps", "9bit")],
    ],
)
def test_a_rate_as_vendors_write_it_is_recognized(text, meant):
    with pytest.raises(BadInput, match=re.escape(f"'{text}' is not a rate (did you mean {meant}?); write a number")):
        parse_rate(text)


@pytest.mark.parametrize("text", ["10", "10GB", "10MB/s", "1GBps", "10x", "fast"])
def test_no_guess_is_made_of_bytes_and_bare_numbers(text):
    with pytest.raises(BadInput, match=re.escape(f"'{text}' is not a rate; write a number")):
        parse_rate(text)


@pytest.mark.parametrize(
    ("text", "meant"), [("20msec", "20ms"), ("5 MS", "5ms"), ("3µs", "3us"), ("1.5sec", "1.5s"), ("2seconds", "2s")]
)
def test_a_time_as_people_write_it_is_recognized(text, meant):
    with pytest.raises(BadInput, match=re.escape(f"'{text}' is not a time (did you mean {meant}?); write a number")):
        parse_time(text)


def test_commas_stand_between_sizes():
    assert parse_sizes("64,128") == [64, 128]
    with pytest.raises(BadInput, match="commas stand between sizes; write '64,000' as 64000"):
        parse_sizes("64,000")
