"""Tests of a members-only map: visible only with an account."""

import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from product import PASSWORD, Product


@pytest.fixture
def members_only(tmp_path):
    product = Product(tmp_path, "--map-access", "members")
    yield product
    product.end()


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=120) as response:
            return response.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_stranger_sees_only_the_sign_in_and_then_the_live_map(members_only, visit, check_duration):
    ada = members_only.person("Ada")
    post = ada.post("Oslo, Norway")
    visitor = visit(members_only).open("/#table").connection("members-only")
    page = visitor.page
    expect(page.get_by_text("This map is for members. Sign in to see it.")).to_be_visible()
    assert "Oslo" not in page.content()
    expect(page.get_by_role("searchbox")).to_have_count(0)
    visitor.tab("Map")
    expect(page.get_by_role("searchbox")).to_have_count(0)
    expect(page.get_by_role("heading", name="The latest posts")).to_have_count(0)
    ground, card = page.locator("#map").bounding_box(), page.locator("#members-only").bounding_box()
    assert ground["x"] == 0 and card["x"] + card["width"] / 2 == pytest.approx(ground["width"] / 2, abs=1)
    visitor.tab("Table")
    page.locator("#enter").click()
    page.get_by_label("Email address").fill(ada.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    visitor.connection("live")
    expect(page.locator("tbody tr")).to_have_count(1)
    ada.post("Lima, Peru")
    posted = time.monotonic()
    expect(page.locator("tbody tr")).to_have_count(2)
    check_duration(time.monotonic() - posted, 2)
    visitor.sign_out()
    visitor.connection("members-only")
    expect(page.locator("tbody tr")).to_have_count(0)
    assert ada.request("GET", f"/v2/posts/{post['id']}")["state"] == "published"


def test_no_route_shows_the_map_to_strangers(members_only):
    ada = members_only.person("Ada")
    post = ada.post("Oslo, Norway")
    for path in ["/v2/feed", "/v2/posts?scope=all", f"/v2/posts/{post['id']}", "/v1/StudentLocation",
                 "/parse/classes/StudentLocation?limit=5", "/1/classes/StudentLocation"]:
        assert status(members_only.url + path) == 401, path
    for path in ["/v2/feed", "/v2/feed?ticket=", "/v2/feed?ticket=9999999999999.x", "/v2/feed/stream"]:
        assert status(members_only.feed_url + path) == 401, path
    assert members_only.request("GET", "/v2/page")["ticket"] is None
    ticket = ada.request("GET", "/v2/page")["ticket"]
    assert status(f"{members_only.feed_url}/v2/feed?ticket={ticket}") == 200


def test_separate_roles_share_a_map_access_secret(tmp_path, visit, check_duration):
    secret = tmp_path / "map-access-secret"
    secret.write_text("0123456789abcdef0123456789abcdef\n")
    product = Product(tmp_path, "--map-access", "members", apart=True, map_access_secret=secret)
    try:
        ada = product.person("Ada")
        visitor = visit(product).sign_in(ada).open("/#table").connection("live")
        ada.post("Oslo, Norway")
        posted = time.monotonic()
        expect(visitor.page.locator("tbody tr")).to_have_count(1)
        check_duration(time.monotonic() - posted, 2)
        product.feed.kill()
        visitor.connection("reconnecting")
        product.feed.start()
        visitor.connection("live")
    finally:
        product.end()
