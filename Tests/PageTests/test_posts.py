"""Tests of a person's own posts: finding and editing."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import ARRIVAL_MS, TOAST_MS
from product import PASSWORD, eventually


def own(visitor):
    return visitor.page.locator("#view-posts li")


def test_a_persons_own_pin_has_another_colour_and_a_button(product, visit):
    ada = product.person("Ada")
    product.person("Grace").post("Puerto Natales")
    ada.post("Ushuaia")
    visitor = visit(product).sign_in(ada).open()
    visitor.menu("My pin")
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Ushuaia")
    expect(visitor.page.locator(".pin.own")).to_have_count(1)
    colours = visitor.page.evaluate("""() => ['.pin.own', '.pin:not(.own)'].map((kind) =>
      getComputedStyle(document.querySelector(`${kind} > span`), '::before').backgroundColor)""")
    assert colours[0] != colours[1]


def test_own_posts_are_listed_newest_first_with_their_states(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    ada.request("POST", "/v2/posts", {"place": "qqqzzzxx", "link": "https://example.org/"}, {"Prefer": "wait=30"})
    visitor = visit(shared).sign_in(ada).open("/#posts")
    expect(own(visitor)).to_have_count(2)
    expect(own(visitor).nth(0)).to_contain_text("not on the map")
    expect(own(visitor).nth(0)).to_contain_text("We can’t find this place.")
    expect(own(visitor).nth(1)).to_contain_text("on the map")
    expect(own(visitor).nth(0).get_by_role("link", name="Show")).to_have_count(0)
    own(visitor).nth(1).get_by_role("link", name="Show Oslo, Norway on the map").click()
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Oslo, Norway")


def test_an_edit_changes_the_same_post(shared, visit):
    ada = shared.person()
    before = ada.post("Oslo, Norway", "https://example.org/old")
    visitor = visit(shared).sign_in(ada).extend_timers(ARRIVAL_MS, TOAST_MS).open("/#posts")
    own(visitor).get_by_role("button", name="Edit Oslo, Norway").click()
    dialog = visitor.page.locator("dialog.adding")
    expect(dialog.get_by_role("combobox")).to_have_value("Oslo, Norway")
    dialog.get_by_role("combobox").fill("Lima, Peru")
    dialog.get_by_role("button", name="Find").click()
    dialog.get_by_role("button", name="Use this place").click()
    expect(dialog.get_by_label("Your link")).to_have_value("https://example.org/old")
    dialog.get_by_label("Your link").fill("https://example.org/new")
    dialog.get_by_role("button", name="Save").click()
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Lima, Peru")
    expect(visitor.page.locator("#toasts")).to_contain_text("Pin moved: Lima")
    [after] = ada.posts()
    assert (after["id"], after["place"], after["link"]) == (before["id"], "Lima, Peru", "https://example.org/new")


@pytest.mark.parametrize("language, buttons, text", [
    ("en-GB", ["Edit Oslo, Norway", "Find", "Use this place", "Save"], "Your post is saved: Oslo"),
    ("de-DE", ["Oslo, Norway bearbeiten", "Suchen", "Übernehmen", "Speichern"], "Dein Eintrag ist gespeichert: Oslo"),
])
def test_an_edit_shows_that_the_post_is_saved(shared, visit, language, buttons, text):
    ada = shared.person()
    ada.post("Oslo, Norway", "https://example.org/old")
    visitor = visit(shared, locale=language).sign_in(ada).extend_timers(ARRIVAL_MS, TOAST_MS).open("/#posts")
    edit, find, use, save = buttons
    own(visitor).get_by_role("button", name=edit).click()
    dialog = visitor.page.locator("dialog.adding")
    dialog.get_by_role("button", name=find).click()
    dialog.get_by_role("button", name=use).click()
    dialog.locator("[inputmode=url]").fill("https://example.org/new")
    dialog.get_by_role("button", name=save).click()
    expect(visitor.page.locator("#toasts .toast > span")).to_have_text(re.compile(f"^{text}"))
    assert [post["link"] for post in ada.posts()] == ["https://example.org/new"]


def test_an_edit_in_another_window_shows_in_the_list(product, visit):
    ada = product.person("Ada")
    post = ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).open("/#posts").connection("live")
    expect(own(visitor)).to_have_count(1)
    ada.request("PUT", f"/v2/posts/{post['id']}", {"place": "Lima, Peru", "link": "https://example.org/new"})
    expect(own(visitor)).to_contain_text("Lima, Peru")


def test_a_change_of_the_list_leaves_the_focus_at_its_button(product, visit):
    ada = product.person("Ada")
    oslo, _ = ada.post("Oslo, Norway"), ada.post("Lima, Peru")
    visitor = visit(product).sign_in(ada).open("/posts").connection("live")
    own(visitor).get_by_role("button", name="Edit Lima, Peru").focus()
    ada.request("PUT", f"/v2/posts/{oslo['id']}", {"place": "Quito, Ecuador", "link": "https://example.org/new"})
    expect(own(visitor).get_by_text("Quito, Ecuador").first).to_be_visible()
    expect(own(visitor).get_by_role("button", name="Edit Lima, Peru")).to_be_focused()


def test_an_old_pin_offers_its_owner_edit_and_delete_also_after_a_sign_in(product, visit):
    ada = product.person()
    post = ada.post("Oslo, Norway")
    lines = [json.dumps({"place": "Nairobi", "link": f"https://example.org/{number}"}) for number in range(100)]
    urllib.request.urlopen(urllib.request.Request(
        f"{product.url}/v2/posts/bulk", "\n".join(lines).encode(), {"Authorization": f"Bearer {ada.token}"}),
        timeout=120).close()
    eventually("the post has left the list", lambda: all(
        entry["id"] != post["id"] for entry in product.request("GET", "/v2/feed")["entries"]))
    visitor = visit(product).open(f"/pin/{post['id']}").connection("live")
    popup = visitor.page.locator(".leaflet-popup")
    expect(popup).to_contain_text("Oslo, Norway")
    expect(popup.get_by_role("button", name="Edit")).to_have_count(0)
    visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.get_by_label("Email address").fill(ada.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(popup.get_by_role("button", name="Edit")).to_be_visible()
    visitor.page.reload()
    expect(popup.get_by_role("button", name="Edit")).to_be_visible()
    popup.get_by_role("button", name="Delete").click()
    eventually("the post is deleted", lambda: post["id"] not in [other["id"] for other in ada.request(
        "GET", "/v2/posts?order=oldest&limit=1")["posts"]])
    visitor.menu("Sign out")
    expect(visitor.page.locator(".pin.own")).to_have_count(0)


def fail_first(visitor, count, fail):
    """Lets the first requests for lists of own posts fail. Returns the requests."""
    lists = []

    def respond(route):
        lists.append(route.request.url)
        if len(lists) <= count:
            fail(route)
        else:
            route.continue_()

    visitor.page.route("**/v2/posts?**", respond)
    return lists


def ask_server(visitor):
    """Asks for suggestions, so that the page receives another response of the server."""
    visitor.page.get_by_role("banner").get_by_role("button", name="Add a pin").click()
    with visitor.page.expect_response(lambda response: "/v2/" in response.url):
        visitor.page.get_by_role("combobox").last.press_sequentially("Lima")


def test_own_pins_stay_own_after_a_lost_request(product, visit):
    ada = product.person()
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada)
    lists = fail_first(visitor, 1, lambda route: route.abort())
    visitor.open().connection("live")
    expect(visitor.page.locator(".pin")).to_have_count(1)
    ask_server(visitor)
    expect(visitor.page.locator(".pin.own")).to_have_count(1)
    assert len(lists) == 2


def test_a_busy_server_lists_own_posts_after_the_pause_that_it_asks_for(product, visit):
    ada = product.person()
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada)
    lists = fail_first(visitor, 2, lambda route: route.fulfill(
        status=503, headers={"Retry-After": "300"}, json={"code": "busy"}))
    visitor.page.clock.install()
    visitor.open("/account").connection("live")
    eventually("the list is refused", lambda: visitor.page.title() and len(lists) == 1)
    # A change of the account loads the list, too.
    visitor.page.get_by_label("First name").fill("Augusta")
    visitor.page.get_by_label("First name").press("Enter")
    expect(visitor.page.get_by_text("Saved", exact=True)).to_be_visible()
    eventually("the list is refused again", lambda: visitor.page.title() and len(lists) == 2)
    visitor.tab("Map")
    ask_server(visitor)
    visitor.page.keyboard.press("Escape")
    assert len(lists) == 2
    visitor.page.clock.fast_forward(300_000)
    expect(visitor.page.locator(".pin.own")).to_have_count(1)
    assert len(lists) == 3


def test_after_the_end_of_the_session_the_page_does_not_ask_for_own_posts_again(product, visit):
    ada = product.person()
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada)
    lists = fail_first(visitor, 9, lambda route: route.fulfill(status=401, json={"code": "session_required"}))
    visitor.page.clock.install()
    visitor.open().connection("live")
    eventually("the list is refused", lambda: visitor.page.title() and len(lists) == 1)
    visitor.page.clock.fast_forward(300_000)
    ask_server(visitor)
    assert len(lists) == 1


def test_a_person_who_returns_to_the_list_while_it_loads_sees_it(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).open().connection("live")
    held = []
    visitor.page.route("**/v2/posts?**", lambda route: held.append(route))
    visitor.tab("My posts").tab("Map")
    eventually("the list loads", lambda: visitor.page.title() and len(held) == 1)
    visitor.tab("My posts")
    eventually("the list loads again", lambda: visitor.page.title() and len(held) == 2)
    for route in held:
        route.continue_()
    expect(own(visitor)).to_have_count(1)


def test_after_a_sign_out_no_button_shows_more_posts(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada)

    def with_more(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "next": "older"})

    visitor.page.route("**/v2/posts?**", with_more)
    more = visitor.open("/posts").page.get_by_role("button", name="Show more")
    expect(more).to_be_visible()
    visitor.sign_out()
    expect(visitor.page.get_by_text("Sign in to see your posts.")).to_be_visible()
    expect(more).to_be_hidden()


def test_an_open_pin_popup_stays_open_when_a_pin_beside_it_changes(product, visit):
    ada, bob = product.person("Ada"), product.person("Bob")
    own = ada.post("Oslo, Norway")
    bob.post("Oslo, Norway", "https://bob.example.org/")
    visitor = visit(product).open("/#table").connection("live")
    visitor.page.get_by_role("link", name="Bob Lovelace").click()
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("bob.example.org")
    ada.request("PUT", f"/v2/posts/{own['id']}", {"place": "Oslo, Norway", "link": "https://example.org/new"})
    expect(visitor.page.locator("#announcements")).to_contain_text("Ada")
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("bob.example.org")
