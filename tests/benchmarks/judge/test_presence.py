"""Where a needle stands: edges, kinds, what is no code, and paths with placeholders."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Needle, NeedleKind
from tests.benchmarks.judge.support import present, published


@pytest.mark.parametrize("kind", ["other", "header", "path"])
@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("worker-batch", True),
        ("a worker-batch.", True),
        ("(worker-batch)", True),
        ("/worker-batch/", True),
        (":worker-batch=", True),
        ("worker-batches", False),
        ("worker-batch2", False),
        ("worker-batch_", False),
        ("worker-batch-", False),
        ("worker-batché", False),
        ("worker-batch٣", False),
        ("ßworker-batch", False),
        ("2worker-batch", False),
        ("_worker-batch", False),
        ("-worker-batch", False),
        ("worker-batch worker-batches", True),
        ("worker-batches worker-batch", True),
        ("worker_batch", False),
    ],
)
def test_a_needle_is_no_part_of_a_longer_word(text: str, held: bool, kind: NeedleKind) -> None:
    assert present(f"x = {text!r}", "worker-batch", kind) is held


@pytest.mark.parametrize("needle", ["$filter", "filter=", ".filter", "?filter=", "-filter-"])
def test_an_edge_that_is_neither_letter_nor_digit_nor_underscore_is_not_tested(needle: str) -> None:
    left, right = "a" * (not needle[0].isalnum()), "a" * (not needle[-1].isalnum())
    assert present(f"x = {left + needle + right!r}", needle)


def test_an_occurrence_within_another_one_counts() -> None:
    assert present("x = 'aaaa-a'", "a-a") is False
    assert present("x = '-a-a a'", "a a") is False
    assert present("x = 'aa-aa-aa aa-aa'", "aa-aa")


def test_needles_are_text_not_patterns() -> None:
    assert not present("x = 'v61x0'", "v61.0")
    assert present("x = 'a+b(c)[d]^$'", "a+b(c)[d]^$")
    assert not present("x = 'aab'", "a+b")


@pytest.mark.parametrize(
    ("needle", "text", "kind", "held"),
    [
        ("X-Acme-Mode", "x-acme-mode", "header", True),
        ("x-acme-mode", "X-ACME-MODE", "header", True),
        ("X-Kind", "X-\u212aind", "header", False),
        ("X-Size", "X-\u017fize", "header", False),
        ("X-É", "X-é", "header", False),
        ("X-Acme-Mode", "x-acme-mode", "other", False),
        ("/API/v2/x", "/api/v2/x", "path", False),
    ],
)
def test_only_headers_ignore_case_and_only_that_of_ascii(needle: str, text: str, kind: NeedleKind, held: bool) -> None:
    assert present(f"x = {{{text!r}: 1}}", needle, kind) is held


@pytest.mark.parametrize(
    "code",
    [
        "# workerBatch\nx = 1",
        "x = 1  # workerBatch",
        '"""workerBatch"""\nx = 1',
        'def f():\n    """workerBatch"""',
        "class A:\n    'workerBatch'",
        "x = 1; 'workerBatch'; y = 2",
        "('workerBatch')",
        "f'workerBatch'",
        "x = 1\nf'{x} workerBatch'",
        "x = 1\n'worker' + x + 'workerBatch'",
        "x = 'other'\nx + 'workerBatch'",
        "if 1:\n    pass\n    'workerBatch'\nelse:\n    'workerBatch'",
        "x = (1,  # workerBatch\n     2)",
        "x = f'''{1  # workerBatch\n}'''",
    ],
)
def test_comments_and_statements_that_are_a_string_are_no_code(code: str) -> None:
    assert not present(code, "workerBatch")


@pytest.mark.parametrize(
    "code",
    [
        "import workerBatch",
        "from acme import workerBatch as w",
        "def workerBatch(): pass",
        "x.workerBatch = 1",
        "f(workerBatch=1)",
        "workerBatch",
        "'a'.join('workerBatch')",
        "x = 'workerBatch'",
        "x = b'workerBatch'",
        "x = 'it has # workerBatch'",
        "x = f'# workerBatch {1}'",
        "x = f'{1:workerBatch}'",
        "x = '''\n# workerBatch\n'''",
        "x = r'\\workerBatch'",
        "@workerBatch\ndef f(): pass",
        "match 1:\n    case workerBatch: pass",
        "class A:\n    workerBatch: int",
        "global workerBatch",
        "x = 1 if 0 else 'workerBatch'; 'doc'",
        "'doc'; x = 'workerBatch'",
    ],
)
def test_code_is_searched_as_it_is_written(code: str) -> None:
    assert present(code, "workerBatch")


def test_a_comment_that_is_blanked_joins_nothing() -> None:
    assert not present("x = ('worker'  # c\n'Batch')[0]\ny = worker#Batch\nz = 1", "worker#Batch")


def test_the_line_is_that_of_the_code_whatever_stands_before_it() -> None:
    code = "'''\n\n'''\r\nx = 'é\u2028'\r# c\nif x:\n    y = f'{x}workerBatch'\n"
    (needle,) = published(code, "workerBatch").needles
    assert needle.line == 7


@pytest.mark.parametrize(
    ("needle", "text", "held"),
    [
        ("/api/v2/things", "https://x.example/api/v2/things?x=1", True),
        ("/api/v2/things", "api/v2/things", True),
        ("api/v2/things/", "/api/v2/things", True),
        ("//api/v2/things//", "/api/v2/things", True),
        ("/api/v2/things", "/api/v2/thing", False),
        ("/api/v2/things", "/myapi/v2/things", False),
        ("/api/v2/things", "my-api/v2/things", False),
        ("/api/v2/things", "/api//v2/things", False),
        ("/things", "things", False),
        ("/things", "x/things", True),
        ("things/", "things", False),
        ("/things/", "/things/4", True),
        ("things", "a/things/b", True),
        ("/", "a/b", True),
        ("/", "ab", False),
    ],
)
def test_slashes_around_a_path_of_several_segments_do_not_matter(needle: str, text: str, held: bool) -> None:
    assert present(f"x = {text!r}", needle, "path") is held


PLACEHOLDERS = ["{}", "{id}", "<id>", ":id", "${id}", "{sys-id}", "<int:id>"]


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
@pytest.mark.parametrize(
    ("code", "held"),
    [
        ("x = f'/api/{i}/lines'", True),
        ("x = '/api/' + i + '/lines'", True),
        ("x = '/api/' + str(i) + '/lines'", True),
        ("x = '/api/4711/lines'", True),
        ("x = '/api/{id}/lines'", True),
        ("x = '/api/:id/lines'", True),
        ("x = f'/api/v-{i}.{j}/lines'", True),
        ("x = f'/api/{i}{j}/lines'", True),
        ("x = f'{base}/api/{i}/lines?x=1'", True),
        ("x = f'api/{i}/lines'", True),
        ("x = '/api/%s/lines' % i", True),
        ("x = '/api//lines'", False),
        ("x = '/api/lines'", False),
        ("x = '/api/a/b/lines'", False),
        ("x = f'/api/{i}/{j}/lines'", False),
        ("x = f'/api/{i}/liness'", False),
        ("x = f'/myapi/{i}/lines'", False),
        ("x = f'/my-api/{i}/lines'", False),
        ("x = f'/lines/{i}/api/'", False),
        ("x = ('/api/', i, '/lines')", False),
        ("x = f'/api/{i}'\ny = '/lines'", False),
        ("x = f'/api/{i}' '/lines'", True),
        ("x = '/'.join(['/api', i, 'lines'])", False),
        ("# /api/4/lines\nx = b'/api/4/lines'", False),
        ("'/api/4/lines'\nx = 1", False),
    ],
)
def test_a_placeholder_is_one_segment(placeholder: str, code: str, held: bool) -> None:
    assert present(code, f"/api/{placeholder}/lines", "path") is held


@pytest.mark.parametrize(
    ("needle", "code", "held"),
    [
        ("/{tenant}/lines", "x = f'{base}/{t}/lines'", True),
        ("/{tenant}/lines", "x = 'acme/lines'", True),
        ("/{tenant}/lines", "x = '/lines'", False),
        ("/{tenant}/lines", "x = '//lines'", False),
        ("/{a}/{b}/lines", "x = f'/x/{b}/lines'", True),
        ("/{a}/{b}/lines", "x = f'/{b}/lines'", False),
        ("/{a}/{b}/lines", "x = '//b/lines'", False),
        ("/api/{id}", "x = f'/api/{i}'", True),
        ("/api/{id}", "x = '/api/'", False),
        ("/api/{id}", "x = '/api/' + i", True),
        ("/api/{id}", "x = '/api/x-1_y.z'", True),
        ("/api/{id}/", "x = '/api/x'", True),
        ("/api/{a}/b/{c}/d", "x = f'/api/{x}/b/{y}/d'", True),
        ("/api/{a}/b/{c}/d", "x = f'/api/{x}/b/d'", False),
        ("/{a}/{b}", "x = 'm/n'", True),
        ("/{a}/{b}", "x = 'mn'", False),
        ("/{id}", "x = '/9'", True),
        ("/{id}", "x = '9'", False),
        ("{id}", "x = 'y'", True),
        ("/v{n}/lines", "x = f'/v{n}/lines'", True),
        ("/v{n}/lines", "x = f'/v2/lines'", False),
        ("/things:batch", "x = '/things/batch'", False),
        ("/a/:batch/b", "x = '/a/z/b'", True),
        ("/a/:9/b", "x = '/a/z/b'", False),
        ("/a/<>/b", "x = '/a/z/b'", False),
        ("/a/{x}{y}/b", "x = '/a/z/b'", False),
    ],
)
def test_placeholders_at_the_ends_and_what_is_none(needle: str, code: str, held: bool) -> None:
    assert present(code, needle, "path") is held


def test_a_placeholder_stands_for_itself_in_a_needle_that_is_no_path() -> None:
    assert present("x = '{id}/lines'", "{id}/lines")
    assert not present("x = '4/lines'", "{id}/lines")


def test_two_strings_are_never_joined_by_a_placeholder() -> None:
    assert not present("x = ['/api/', '/lines']", "/api/{id}/lines", "path")
    assert not present("x = ['/api/', 'a/lines']", "/api/{id}/lines", "path")
    assert not present("x = ['/api/a', '/lines']", "/api/{id}/lines", "path")


def test_special_characters_of_the_search_are_in_no_needle() -> None:
    strange = "".join(map(chr, range(0xFDD0, 0xFDF0)))
    assert present(f"x = {{'{strange}'}}", strange)
    assert not present("x = f'{a}{b}'", "\ufdd0")
    assert not present("x = 'a', 'b'", "\ufdd1")


def test_an_empty_needle_is_nowhere() -> None:
    assert not present("x = ''", "")
    assert not present("x = ''", "", "path")


def test_each_needle_is_judged_once_and_in_order() -> None:
    verdict = published("x = 'b'", "a", Needle("b", "header"), "c", "a", "b")
    assert [(one.needle, one.kind) for one in verdict.needles] == [("a", "other"), ("b", "header"), ("c", "other")]
    assert verdict.missing == ("a", "c")
