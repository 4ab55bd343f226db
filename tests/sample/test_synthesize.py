"""Worlds are the same at every reading, of any size, and made as they are read."""

from __future__ import annotations

import itertools
import tracemalloc
from pathlib import Path

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.sample.build import name_of
from agentcompass_websearch.sample.synthesize import SAMPLE, World, synthesize, world_of, write

FILES = Path(sample.__file__).parent


@pytest.mark.parametrize("name", ["rows.jsonl", "pages.jsonl"])
def test_committed_sample_is_what_its_seed_makes(tmp_path: Path, name: str) -> None:
    write(SAMPLE, tmp_path)
    assert (tmp_path / name).read_bytes() == (FILES / name).read_bytes(), "write(SAMPLE, ...) renews the sample"


def test_sample_reads_back() -> None:
    assert list(sample.rows()) == list(SAMPLE.rows())
    assert list(sample.pages()) == list(SAMPLE.pages())
    assert len(list(sample.rows())) == 12
    assert len({row["vendor"] for row in sample.rows()}) == 3
    assert len(list(sample.pages())) >= 60


def test_synthetic_sets_are_named_by_their_settings() -> None:
    spec = "synthetic:seed=5,n=3,siblings=4"
    assert list(sample.synthetic_rows(spec)) == list(synthesize(5, 3, siblings=4).rows())
    assert list(sample.synthetic_pages(spec)) == list(synthesize(5, 3, siblings=4).pages())


def test_another_seed_is_another_world() -> None:
    assert not {p["url"] for p in synthesize(1, 8).pages()} & {p["url"] for p in synthesize(2, 8).pages()}


def test_a_larger_world_begins_with_the_smaller_one() -> None:
    small, large = synthesize(3, 8), synthesize(3, 10_000)
    assert list(itertools.islice(large.rows(), 8)) == list(small.rows())
    pages = list(small.pages())
    assert list(itertools.islice(large.pages(), len(pages))) == pages


def test_more_pages_leave_the_tickets_as_they_are() -> None:
    few, many = synthesize(3, 8), synthesize(3, 8, pages_per_ticket=40)
    assert list(few.rows()) == list(many.rows())
    assert {page["url"] for page in few.pages()} < {page["url"] for page in many.pages()}


def test_every_product_has_a_name_of_its_own() -> None:
    names = [name_of(4, number)[:2] for number in range(50_000)]
    assert len(set(names)) == len(names)
    ids = [row["task_id"] for row in synthesize(4, 400).rows()]
    assert len(set(ids)) == len(ids) == 400


def test_pages_are_made_as_they_are_read() -> None:
    tracemalloc.start()
    read = sum(len(page["text"]) for page in itertools.islice(synthesize(6, 1_000_000).pages(), 4_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read > 10_000_000
    assert peak < 4_000_000


@pytest.mark.parametrize(("n", "wanted"), [(1, 20), (10, 20), (12, 8), (5, 100)])
def test_sites_have_the_pages_that_were_asked_for(n: int, wanted: int) -> None:
    for siblings in (0, 3, 15):
        assert len(list(synthesize(8, n, siblings=siblings, pages_per_ticket=wanted).pages())) >= n * wanted


def test_all_settings_can_be_named() -> None:
    spec = "seed=1, n=2,siblings=5,snippet=0.25,depth=10,pages_per_ticket=9"
    assert world_of(spec) == World(1, 2, siblings=5, snippet=0.25, depth=10, pages_per_ticket=9)
    assert world_of("") == World()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("sed=7", "did you mean seed"),
        ("colour=7", "known are seed, n"),
        ("n=many", "not a number"),
        ("n=", "not a number"),
        ("n", "not a number"),
        ("n=0", "out of range"),
        ("snippet=1.5", "out of range"),
        ("snippet=nan", "out of range"),
        ("siblings=16", "out of range"),
        ("n=2,n=3", "given twice"),
    ],
)
def test_wrong_settings_are_explained(settings: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        world_of(settings)
