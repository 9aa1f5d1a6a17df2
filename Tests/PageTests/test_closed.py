"""A map that its operator has closed: seen with an account, and not without."""

import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from product import PASSWORD, Product


@pytest.fixture
def closed(tmp_path):
    product = Product(tmp_path, "--viewing", "closed")
    yield product
    product.end()


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=120) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_stranger_sees_nobody_and_the_way_in_and_then_everything_live(closed, visit, hurry):
    ada = closed.person("Ada")
    post = ada.post("Oslo, Norway")
    visitor = visit(closed).open("/#table").connection("shut")
    page = visitor.page
    expect(page.get_by_text("The map is open to people with an account.")).to_be_visible()
    assert "Oslo" not in page.content()
    page.locator("#enter").click()
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    visitor.connection("live")
    expect(page.locator("tbody tr")).to_have_count(1)
    ada.post("Lima, Peru")
    posted = time.monotonic()
    expect(page.locator("tbody tr")).to_have_count(2)
    hurry(time.monotonic() - posted, 2)
    visitor.sign_out()
    visitor.connection("shut")
    expect(page.locator("tbody tr")).to_have_count(0)
    assert ada.ask("GET", f"/v2/posts/{post['id']}")["state"] == "published"


def test_nothing_of_it_is_told_to_strangers_by_any_address(closed):
    ada = closed.person("Ada")
    post = ada.post("Oslo, Norway")
    for path in ["/v2/feed", "/v2/posts?scope=all", f"/v2/posts/{post['id']}", "/v1/StudentLocation",
                 "/parse/classes/StudentLocation?limit=5", "/1/classes/StudentLocation"]:
        assert status(closed.url + path) == 401, path
    for path in ["/v2/feed", "/v2/feed?ticket=", "/v2/feed?ticket=9999999999999.x", "/v2/feed/stream"]:
        assert status(closed.feed_url + path) == 401, path
    assert closed.ask("GET", "/v2/page")["ticket"] is None
    ticket = ada.ask("GET", "/v2/page")["ticket"]
    assert status(f"{closed.feed_url}/v2/feed?ticket={ticket}") == 200


def test_roles_apart_share_a_key(tmp_path, visit, hurry):
    key = tmp_path / "view-key"
    key.write_text("0123456789abcdef0123456789abcdef\n")
    product = Product(tmp_path, "--viewing", "closed", apart=True, viewing_key=key)
    try:
        ada = product.person("Ada")
        visitor = visit(product).sign_in(ada).open("/#table").connection("live")
        ada.post("Oslo, Norway")
        posted = time.monotonic()
        expect(visitor.page.locator("tbody tr")).to_have_count(1)
        hurry(time.monotonic() - posted, 2)
        product.feed.kill()
        visitor.connection("polling")
        product.feed.start()
        visitor.connection("live")
    finally:
        product.end()
