"""The rule by which needles are derived, clause by clause."""

from __future__ import annotations

import time
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Submission, judge_published
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive import (
    MAX_NEEDLES,
    count_fault,
    derive_needles,
)
from agentcompass_websearch.records import Evidence

CITED = "# source: https://docs.acme.example/a\n"


def derived(gold: str, starter: str = "import httpx\n") -> list[str]:
    return [needle.text for needle in derive_needles(dedent(gold), dedent(starter))]


def cited(statement: str, starter: str = "import httpx\n") -> list[str]:
    """Return what is derived from a gold whose first statement is cited."""
    return derived(CITED + statement, starter)


class TestWhere:
    def test_only_cited_statements_count(self) -> None:
        gold = """
            A = "/v1/not_cited"

            # source: https://docs.acme.example/a
            B = "/v2/cited_one"
            C = "/v2/same_run"

            D = "/v3/after_blank"
        """
        assert derived(gold) == ["v2/cited_one", "v2/same_run"]

    def test_all_statements_count_if_none_is_cited(self) -> None:
        assert derived('A = "/v1/one_path"\n\nB = "/v2/two_path"  # see the docs\n') == ["v1/one_path", "v2/two_path"]

    def test_a_literal_counts_where_the_string_it_makes_is_used(self) -> None:
        gold = """
            PATH = "/v2/hold_all"


            def go(client):
                # source: https://docs.acme.example/a
                client.post(PATH)
        """
        assert derived(gold) == ["v2/hold_all"]

    @pytest.mark.parametrize(
        "statement",
        [
            'def f():\n    """See /v9/doc_string and X-Doc-String."""\n',
            '"""Module x-doc-string."""\n',
            '"x-bare-string"\n',
            'f"x-bare-{1}"\n',
            'log.info("POST /v9/log_path")\n',
            'logger.warning("x-log-header %s", {"logKey": 1})\n',
            'self._log.debug(f"x-log-{a}/b_c")\n',
            'logging.getLogger("acme_client.files").exception("/v9/x_y")\n',
            'logging.error("/v9/x_y")\n',
            'print("x-print-header", file=sys.stderr)\n',
            'sys.stderr.write("x-print-header")\n',
            'warnings.warn("x-warn-header")\n',
            'raise ValueError("/v9/raised_path")\n',
            'raise AcmeError(f"/v9/raised_path {x}", error_code="E_77") from cause_1\n',
            'assert ok, "/v9/assert_path"\n',
            'x = f"{n:08.3f}" + f"{d:%Y-%m-%d}"\n',
            'x = d.strftime("%Y-%m-%dT%H:%M:%SZ")\n',
            'x = os.environ["ACME_API_SECRET"]\n',
            'x = os.environ.get("ACME_API_SECRET", "")\n',
            'x = os.getenv("ACME_API_SECRET")\n',
            'x = re.match(r"^ACME-\\d+$", y)\n',
            'def f(a: "Acme_Type", b: acme.SomeType) -> "Other_Type":\n    pass\n',
            'x: "Acme_Type" = None\n',
            'error = AcmeError("/v9/x_y", error_code="E_77")\n',
            'sys.exit("see /v9/x_y")\n',
            'parser.add_argument("--dry-run", dest="dry_run", help="x-y")\n',
            'click.echo("x-echo-header")\n',
            'if __name__ == "__main__":\n    pass\n',
        ],
    )
    def test_what_the_author_worded_never_counts(self, statement: str) -> None:
        assert cited(statement) == []

    def test_a_log_line_in_the_middle_leaves_the_rest(self) -> None:
        gold = (
            CITED + 'def go(c, log):\n    c.a_b("/v2/x_y")\n    log.info("/v3/z_z")\n    c.c_d(catalog.info("q-r"))\n'
        )
        assert derived(gold) == ["a_b", "v2/x_y", "c_d", "q-r"]


class TestCandidates:
    @pytest.mark.parametrize(
        ("statement", "expected"),
        [
            ('u = f"{base}/api/now/table/{t}"', ["api/now/table/{}"]),
            ('u = f"https://{h}/api/now/{t}/x_y"', ["api/now/{}/x_y"]),
            ('u = base + "/api/now/" + t + "/x_y"', ["api/now/{}/x_y"]),
            ('u = "/api/now/{t}/x_y".format(t=t)', ["api/now/{}/x_y"]),
            ('u = "/api/now/%s/x_y" % t', ["api/now/{}/x_y"]),
            ('u = "https://api.acme.example/v2/hold"', ["v2/hold"]),
            ('u = "/v2/" "hold_" "all"', ["v2/hold_all"]),
            ('u = f"/v2/hold_{kind}/x_y"', ["v2/{}/x_y"]),
            ("u = f\"/A_Order('{o}')/to_Item\"", ["A_Order", "to_Item"]),
            ('u = b"/v2/bytes_path"', []),
            ('h = ("X-A-B: c-d; e-f, g_h|i.j")', ["X-A-B", "c-d", "e-f", "g_h", "i.j"]),
        ],
    )
    def test_words_of_strings(self, statement: str, expected: list[str]) -> None:
        assert cited(statement + "\n") == expected

    def test_names_bound_to_strings_are_folded(self) -> None:
        gold = """
            ROOT = "/api/now"
            # source: https://docs.acme.example/a
            URL = f"{ROOT}/v2/" + "hold"
        """
        assert derived(gold) == ["api/now/v2/hold"]

    def test_imports_attributes_and_keywords(self) -> None:
        gold = """
            # source: https://docs.acme.example/sdk
            import acme_sdk.bulk_v2
            from acme_core.jobs import JobRunner as Runner, plain
            runner = Runner(batch_size=3).submitNow(acme_sdk.bulk_v2.Mode_A, keyword=1)
        """
        assert derived(gold) == [
            *("acme_sdk.bulk_v2", "acme_core.jobs", "JobRunner", "batch_size", "submitNow", "Mode_A"),
        ]

    def test_a_prefix_that_a_mapping_declares_is_dropped_too(self) -> None:
        gold = 'x.findall(".//q:Staff_Data/q:Name", {"q": "urn:com.acme/hr"})\n'
        assert cited(gold) == ["Staff_Data", "urn:com.acme/hr"]

    def test_a_prefix_of_xml_is_dropped(self) -> None:
        gold = 'B = f\'<q:Get_Staff xmlns:q="urn:com.acme/hr" q:version="v42.1">{x}</q:Get_Staff>\'\n'
        assert cited(gold) == ["Get_Staff", "urn:com.acme/hr", "v42.1"]


class TestDropped:
    @pytest.mark.parametrize(
        ("gold", "starter"),
        [
            ('p = {"x-acme-a": 1}', 'q = "x-acme-a"'),
            ('c.get(u, headers={"x-acme-a": 1})', 'c.get(u, headers={"X-ACME-A": 1})'),
            ('c.get(u, headers={"X-Acme-A": 1})', 'c.get(u, params={"x-acme-a": 1})'),
            ('u = "/v2/hold_all"', 'u = "https://h.example/v2/hold_all/more"'),
            ('u = f"/v2/{x}/items"', 'u = f"{base}/v2/{y}/items"'),
            ("c.submit_now()", "d.submit_now()"),
            ("c.submit_now()", "# submit_now is what is wanted"),
        ],
    )
    def test_what_the_starter_holds(self, gold: str, starter: str) -> None:
        assert cited(gold + "\n", starter + "\n") == []

    def test_another_spelling_is_another_name_unless_it_is_a_header(self) -> None:
        assert cited('p = {"batchSize": 1}\n', 'p = {"BatchSize": 1}\n') == ["batchSize"]

    def test_part_of_a_longer_name_is_not_held(self) -> None:
        assert cited('p = "batch_size"\n', 'p = "my_batch_size"\n') == ["batch_size"]

    @pytest.mark.parametrize(
        "binding",
        [
            "acme_x = 1",
            "acme_x: int = 1",
            "acme_x += 1",
            "(a, [acme_x]) = b",
            "for acme_x in y: pass",
            "with y as acme_x: pass",
            "(acme_x := 1)",
            "def acme_x(): pass",
            "async def acme_x(): pass",
            "class acme_x: pass",
            "def f(acme_x): pass",
            "def f(*acme_x): pass",
            "def f(*, acme_x=1): pass",
            "f = lambda acme_x: 1",
            "g = [1 for acme_x in y]",
            "self.acme_x = 1",
            "try: pass\nexcept E as acme_x: pass",
            "match y:\n case [acme_x]: pass",
            "match y:\n case {**acme_x}: pass",
        ],
    )
    def test_names_that_gold_binds(self, binding: str) -> None:
        assert cited(f'use(y.acme_x, acme_x=1, z="acme_x", w="other-name")\n\n{binding}\n') == ["other-name"]

    def test_imports_stay(self) -> None:
        assert cited("from acme_sdk import JobRunner\nJobRunner.z_z = 1\n") == ["acme_sdk", "JobRunner", "z_z"]

    @pytest.mark.parametrize(
        "statement",
        [
            "r = httpx.post(u, follow_redirects=True, timeout=httpx.Timeout(5, connect_x=1))",
            "r.raise_for_status(); r.status_code; r.iter_lines()",
            "s.mount('https://', requests.adapters.HTTPAdapter(max_retries=3, pool_maxsize=2))",
            "from urllib3.util.retry import Retry\nt = Retry(status_forcelist=[429], backoff_factor=1)",
            "from xml.etree import ElementTree as ET\nET.fromstring(x).find_all_of_it",
            "import concurrent.futures\nfrom datetime import datetime, timezone",
            "x = d.total_seconds(); y = s.removeprefix(p).isdigit(); z = t.as_posix()",
            "x = json.dumps(y, ensure_ascii=False, sort_keys=True)",
            "x.__class__.__name__",
            "x = base64.b64encode(y).decode('utf-8')",
            "from __future__ import annotations",
        ],
    )
    def test_names_of_libraries(self, statement: str) -> None:
        assert cited("import httpx, requests\n" + statement + "\n", "") == []

    @pytest.mark.parametrize(
        "header",
        [
            *("Accept", "accept-language", "Authorization", "Cache-Control", "Connection", "CONTENT-TYPE"),
            *("Content-MD5", "Cookie", "host", "User-Agent"),
        ],
    )
    def test_generic_headers(self, header: str) -> None:
        assert cited(f'c.get(u, headers={{"{header}": x}})\n') == []

    def test_values_of_generic_headers(self) -> None:
        gold = (
            'c.get(u, headers={"Accept": "application/json", "Content-Type": "text/xml; charset=utf-8", '
            '"User-Agent": "acme-client/1.0", "Cache-Control": "no-cache", "Authorization": f"Bearer {x}"})\n'
        )
        assert cited(gold) == []
        assert cited('c.get(u, headers={"Accept": "application/vnd.acme.v2+json"})\n') == [
            "application/vnd.acme.v2+json"
        ]
        assert cited('c.get(u, headers={"Authorization": f"Acme-Session {x}"})\n') == ["Acme-Session"]

    @pytest.mark.parametrize(
        "word", ["true", "FALSE", "null", "all", "12", "4.5", "-3", "1,5", "ab", "v2", "A1", "PATCH"]
    )
    def test_words_that_are_no_names(self, word: str) -> None:
        assert cited(f'c.request("PATCH", u, json={{"{word}": "{word}"}})\n') == []

    def test_a_word_that_only_stands_inside_another_candidate(self) -> None:
        gold = """
            KIND = "order_v2"
            # source: https://docs.acme.example/a
            URL = f"/api/{KIND}/x_y"
        """
        assert derived(gold) == ["api/order_v2/x_y"]
        assert derived(dedent(gold) + 'send(json={"kind_x": "order_v2"})\n') == [
            *("api/order_v2/x_y", "kind_x", "order_v2"),
        ]

    def test_one_header_in_two_spellings_is_one_needle(self) -> None:
        gold = 'c.get(u, headers={"X-Acme-Lane": a})\nc.get(u, headers={"x-acme-lane": b})\n'
        assert cited(gold) == ["X-Acme-Lane"]


class TestKept:
    @pytest.mark.parametrize(
        "word", ["area51", "acme_x", "acme-x", "a/bcd", "$skip", "acme.x", "acme:x", "acmeX", "ACME", "v42"]
    )
    def test_opaque_words(self, word: str) -> None:
        assert cited(f'use("{word}")\n') == [word]

    @pytest.mark.parametrize("word", ["lane", "Lane", "größe"])
    def test_plain_words_only_where_they_are_sent_whole(self, word: str) -> None:
        assert cited(f'use("{word}", f"{{x}}/{word}")\n') == []
        assert cited(f'c.get(u, params={{"{word}": x}})\n') == [word]
        assert cited(f'c.post(u, json={{x: "{word}"}})\n') == [word]
        assert cited(f'c.post(u, json={{x: "{word} other"}})\n') == []
        assert cited(f'u = f"/x?{word}={{y}}"\n') == [word]
        assert cited(f"c.get(u, params=dict({word}=x))\n") == [word]

    def test_kinds_follow_from_the_place_in_gold(self) -> None:
        gold = CITED + 'c.post("/v2/hold", headers={"X-Acme-A": "b-c"}, json={"dEf": 1})\n'
        assert [(n.text, n.kind) for n in derive_needles(gold, "")] == [
            ("v2/hold", "path"),
            ("X-Acme-A", "header"),
            ("b-c", "other"),
            ("dEf", "other"),
        ]

    def test_names_come_once_and_in_the_order_of_the_code(self) -> None:
        assert cited('a("z-1", "a-1")\nb("z-1")\nc("m-1", k_k="b-1")\n') == ["z-1", "a-1", "m-1", "k_k", "b-1"]


class TestCount:
    def test_none_and_too_many_ask_for_a_needles_file(self) -> None:
        many = derive_needles(CITED + "use(" + ", ".join(f'"acme-{n}"' for n in range(MAX_NEEDLES + 1)) + ")\n", "")
        assert count_fault(many[:MAX_NEEDLES]) is None
        assert "9 needles" in str(count_fault(many))
        assert "acme-8" in str(count_fault(many))
        for fault in (count_fault(many), count_fault(())):
            assert "needles_file" in str(fault)

    @pytest.mark.parametrize(
        "statement",
        [
            "x = " + "a." * 2_000 + "b_c",
            "x = " + "a(" * 90 + "'d-e'" + ")" * 90,
            "f(json=" + "[" * 90 + "'d-e'" + "]" * 90 + ")",
            "x = " + " + ".join(["'d-e/'"] * 2_000),
            "\n".join(f"x{n} = x{n - 1} + 'd-e'" for n in range(2_000)),
            "d = {'d-e': d}\nd['x-y'] = d\nf(json=d)",
            "def f(a):\n return f(a)\nf(json=f('d-e'))",
        ],
    )
    def test_odd_code_is_read_in_time(self, statement: str) -> None:
        begin = time.monotonic()
        cited(statement + "\n")
        assert time.monotonic() - begin < 10

    def test_code_that_does_not_parse_gives_none(self) -> None:
        assert derived("def :\n") == []
        assert derived('u = "/v2/hold_all"\n', "def :\n") == ["v2/hold_all"]


PIECES = st.sampled_from(
    [*"aB7_-/$.:{}<>?&=% ", "api", "x_y", "{}", "%s", "%(a)s", "https://", "xmlns:q=", "<q:", "urn:a/b", "lane"]
)
PARTS = st.lists(PIECES, min_size=1, max_size=12).map("".join)


@given(st.lists(st.one_of(PARTS.map(repr), st.sampled_from(["base", 'f"{name}"', "ROOT"])), min_size=1, max_size=4))
def test_gold_holds_and_cites_whatever_is_derived_and_the_starter_none_of_it(operands: list[str]) -> None:
    gold = f'ROOT = "/v3/root_path"\n{CITED}use({" + ".join(operands)}, json={{{operands[0]}: 1}})\n'
    starter = 'use("/v3/other", {"lane": "x_y"})\n'
    needles = derive_needles(gold, starter)
    held = judge_published(Submission(gold), needles, Evidence(), outfile="client.py")
    assert (held.compiled, held.missing, held.uncited) == (True, (), ())
    not_held = judge_published(Submission(starter), needles, Evidence(), outfile="client.py")
    assert not_held.missing == tuple(needle.text for needle in needles)
