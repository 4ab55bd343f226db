from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.tools.safety import why_not_public

REFUSED = [
    "http://169.254.169.254/latest/meta-data/",
    "http://localhost:8000/",
    "http://10.0.0.5/",
    "http://172.16.3.4/",
    "http://192.168.1.1/",
    "file:///etc/passwd",
    "ftp://docs.acme.example/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "gopher://docs.acme.example/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::ffff:0:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[::169.254.169.254]/",
    "http://[::]/",
    "http://[::1]:8080/",
    "http://[fd00::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[ff02::1]/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://025177524776/",
    "http://0xA9.254.0251.254/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://0/",
    "http://0.0.0.0/",
    "http://255.255.255.255/",
    "http://224.0.0.1/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://192.0.2.1/",
    "http://240.0.0.1/",
    "http://127.0.0.1:80/",
    "http://１２７.０.０.１/",  # noqa: RUF001 - full-width digits are read as digits
    "http://127。0。0。1/",
    "http://%31%32%37.0.0.1/",
    "http://①⑥⑨.254.169.254/",
    "http://127.0.0.\u00ad1/",
    "http://127.0.0.1\u200b/",
    "http://127.0.0\u2060.1/",
    "http://127.0.0.\u200d1/",
    "http://local\u00adhost.acme.localhost\ufe00/",
    "http://metadata.goo\u200dg/",
    "http://docs.\ue000.example/",
    "http://[fec0::1]/",
    "http://[3fff::1]/",
    "http://[5f00::1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://192.0.0.192/",
    "http://192.88.99.1/",
    "http://168.63.129.16/",
    "http://metadata.goog/",
    "http://kubernetes.default.svc/",
    "http://router.home/",
    "http:/127.0.0.1/",
    "http:127.0.0.1/",
    "http:////127.0.0.1/",
    "http://127.0.0.1#@docs.acme.example/",
    "http://127.0.0.1:80:80/",
    "http://docs.acme.example:0/",
    "http://" + "a." * 130 + "example/",
    "http://localhost.:80/",
    "http://LOCALHOST/",
    "http://foo.localhost/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://intranet/",
    "http://docs.acme.example@127.0.0.1/",
    "http://user:secret@docs.acme.example/",
    "http://docs.acme.example\\@127.0.0.1/",
    "http://docs.acme.example /",
    "http://127.0.0.1\t/",
    "http://1.2.3.256/",
    "http://1.2.3.4.5/",
    "http://256.256.256.256/",
    "http://docs.acme.0x7f/",
    "http://09.1.1.1/",
    "http:///path",
    "http://",
    "//docs.acme.example/",
    "docs.acme.example/a",
    "",
    "http://docs.acme.example:99999/",
    "http://docs.acme.example:x/",
    "http://[::1/",
    "http://a%2fb.example/",
    "http://docs.acme.example/" + "a" * 5000,
]

ALLOWED = [
    "https://docs.acme.example/api/v2/x?a=b#c",
    "http://docs.acme.example:8443/",
    "HTTPS://Docs.Acme.Example",
    "https://docs.acme.example./x",
    "http://8.8.8.8/",
    "http://134744072/",
    "http://[2606:4700:4700::1111]/",
    "https://münchen.example/straße",
    "https://FUẞBALL.example/",
    "https://☃.example/",
    "https://नेपाल.example/",
    "https://xn--mnchen-3ya.example/",
    "https://docs.acme.example/p/127.0.0.1",
    "https://docs.acme.example/?u=http://localhost/",
    "https://127.0.0.1.nip.example/",
    "https://localhost.acme.example/",
]


@pytest.mark.parametrize("url", REFUSED)
def test_what_is_not_public_is_refused(url: str) -> None:
    reason = why_not_public(url)
    assert reason
    assert len(reason) < 100


@pytest.mark.parametrize("url", ALLOWED)
def test_public_addresses_pass(url: str) -> None:
    assert why_not_public(url) is None


@given(st.one_of(st.text(max_size=60), st.text(max_size=40).map("http://{}/".format)))
def test_it_never_raises(url: str) -> None:
    why_not_public(url)


@given(st.ip_addresses(v=4, network="127.0.0.0/8"), st.sampled_from(["{}", "{:d}", "{:#x}", "{:#o}"]))
def test_loopback_is_refused_in_every_spelling(address: object, form: str) -> None:
    spelled = form.format(address if form == "{}" else int(address)).replace("0o", "0")  # type: ignore[call-overload]
    assert why_not_public(f"http://{spelled}/")
