"""Tests of the page's addresses: of its views, of a search, and of each pin."""

import json
import re
import urllib.request

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

from conftest import ARRIVAL_MS, PHONE, UNDO_MS
from product import eventually


def popup(visitor):
    # A closed popup stays in the document while it fades.
    return visitor.page.locator(".leaflet-popup").last


def at(visitor, path):
    """Waits until the address has a path and, if it has any, a query."""
    expect(visitor.page).to_have_url(visitor.product.url + path)


def shows(visitor, tab, view):
    expect(visitor.page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    expect(visitor.page.locator(view)).to_be_visible()


def back(visitor):
    visitor.page.evaluate("history.back()")


def forward(visitor):
    visitor.page.evaluate("history.forward()")


VIEWS = [("Map", "/", "#view-map"), ("Table", "/table", "#view-table"), ("My posts", "/posts", "#view-posts")]


def test_each_view_has_an_address_and_a_title_that_back_forward_and_reload_keep(shared, visit):
    visitor = visit(shared).open().connection("live")
    for name, path, _ in VIEWS[1:]:
        visitor.tab(name)
        at(visitor, path)
        expect(visitor.page).to_have_title(f"{name} · On The Map")
    back(visitor)
    shows(visitor, "Table", "#view-table")
    back(visitor)
    shows(visitor, "Map", "#view-map")
    expect(visitor.page).to_have_title("On The Map")
    forward(visitor)
    shows(visitor, "Table", "#view-table")
    visitor.page.reload()
    shows(visitor, "Table", "#view-table")
    at(visitor, "/table")


@pytest.mark.parametrize("name, path, view", VIEWS)
def test_a_tab_opens_in_a_new_window_with_its_view(shared, visit, name, path, view):
    visitor = visit(shared).open("/account" if path == "/" else "/").connection("live")
    with visitor.context.expect_page() as opened:
        visitor.page.get_by_role("tab", name=name).click(modifiers=["ControlOrMeta"])
    visitor.watch(opened.value)
    expect(opened.value).to_have_url(shared.url + path)
    expect(opened.value.locator(view)).to_be_visible()
    assert not visitor.page.url.endswith(path) or path == "/"


def test_addresses_of_earlier_versions_still_show_their_view(shared, visit):
    visitor = visit(shared).open("/#table")
    at(visitor, "/table")
    shows(visitor, "Table", "#view-table")


def test_the_keyboard_moves_between_the_tabs(shared, visit):
    visitor = visit(shared).open().connection("live")
    visitor.page.get_by_role("tab", name="Map").focus()
    for key, path in [("ArrowRight", "/table"), ("End", "/posts"), ("ArrowRight", "/"), ("ArrowLeft", "/posts")]:
        visitor.page.keyboard.press(key)
        at(visitor, path)
        expect(visitor.page.locator("[role=tab]:focus")).to_have_attribute("href", path)


def test_a_search_and_an_order_are_in_the_address_without_filling_the_history(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    product.person("Grace", "Hopper").post("Lima, Peru")
    visitor = visit(product).open().connection("live").tab("Table")
    search = visitor.page.locator("#view-table").get_by_role("searchbox")
    search.press_sequentially("a")
    visitor.page.get_by_role("columnheader", name="Place").get_by_role("button").click()
    search.press_sequentially(" love")
    search.fill("o")
    at(visitor, "/table?q=o&sort=place")
    # The tab returns to the search.
    visitor.tab("Map").tab("Table")
    at(visitor, "/table?q=o&sort=place")
    visitor.page.reload()
    expect(search).to_have_value("o")
    expect(visitor.page.locator("tbody th a")).to_have_text(["Grace Hopper", "Ada Lovelace"])
    search.fill("oslo")
    expect(visitor.page.locator("tbody th a")).to_have_text(["Ada Lovelace"])
    for path in ["/", "/table?q=o&sort=place", "/"]:
        back(visitor)
        at(visitor, path)
    other = visit(product).open("/table?q=peru&sort=-name")
    expect(other.page.locator("tbody th a")).to_have_text(["Grace Hopper"])
    expect(other.page.get_by_role("columnheader", name="Name")).to_have_attribute("aria-sort", "descending")


def test_a_long_search_changes_the_address_once(product, visit):
    visitor = visit(product)
    # Safari refuses more than 100 changes in 30 seconds.
    visitor.page.add_init_script("""
      window.changes = 0;
      const { replaceState } = History.prototype;
      History.prototype.replaceState = function (...parameters) {
        changes += 1;
        replaceState.apply(this, parameters);
      };""")
    visitor.open("/table").connection("live")
    before = visitor.page.evaluate("changes")
    visitor.page.locator("#view-table").get_by_role("searchbox").evaluate("""(search) => {
      for (let length = 1; length <= 120; length += 1) {
        search.value = 'a'.repeat(length);
        search.dispatchEvent(new Event('input'));
      }
    }""")
    at(visitor, f"/table?q={'a' * 120}")
    assert visitor.page.evaluate("changes") == before + 1


def test_the_tab_of_the_table_leads_to_the_search_that_back_has_shown(product, visit):
    visitor = visit(product).open("/table").connection("live")
    search = visitor.page.locator("#view-table").get_by_role("searchbox")
    search.fill("oslo")
    # The address has the last search even if the user leaves immediately.
    visitor.tab("Map").tab("Table")
    at(visitor, "/table?q=oslo")
    search.fill("lima")
    at(visitor, "/table?q=lima")
    for path in ["/", "/table?q=oslo"]:
        back(visitor)
        at(visitor, path)
    expect(search).to_have_value("oslo")
    visitor.tab("Map").tab("Table")
    at(visitor, "/table?q=oslo")


def test_a_pin_has_an_address_while_its_popup_is_open(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product).open().connection("live")
    visitor.pin("Ada Lovelace").click()
    at(visitor, f"/pin/{post['id']}")
    expect(visitor.page).to_have_title("Ada Lovelace: Oslo, Norway · On The Map")
    back(visitor)
    expect(popup(visitor)).to_have_count(0)
    at(visitor, "/")
    forward(visitor)
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    visitor.page.reload()
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    visitor.page.keyboard.press("Escape")
    expect(popup(visitor)).to_have_count(0)
    at(visitor, "/")
    expect(visitor.page).to_have_title("On The Map")


def test_pins_opened_one_after_the_other_are_one_step_of_the_history(product, visit):
    for place in ["Oslo", "Lima", "Nairobi"]:
        product.person(place, "Person").post(place)
    visitor = visit(product).open().connection("live").tab("Table").tab("Map")
    for name in ["Oslo", "Lima", "Nairobi", "Oslo"]:
        visitor.pin(f"{name} Person").click()
        expect(popup(visitor)).to_contain_text(f"{name} Person")
    popup(visitor).get_by_label("Close").click()
    at(visitor, "/")
    visitor.pin("Lima Person").click()
    expect(popup(visitor)).to_contain_text("Lima")
    for path in ["/", "/table", "/"]:
        back(visitor)
        at(visitor, path)
    expect(popup(visitor)).to_have_count(0)


def close(visitor):
    popup(visitor).get_by_label("Close").click()
    expect(popup(visitor)).to_have_count(0)
    at(visitor, "/")


def test_back_after_a_closed_pin_shows_the_view_before_the_map(product, visit):
    for place in ["Oslo", "Lima"]:
        product.person(place, "Person").post(place)
    visitor = visit(product, reduced_motion="reduce").open("/table").connection("live").tab("Map")
    visitor.pin("Oslo Person").click()
    expect(popup(visitor)).to_contain_text("Oslo Person")
    # A link in the list replaces the pin.
    visitor.page.locator("#list").get_by_role("link", name="Lima Person").click()
    expect(popup(visitor)).to_contain_text("Lima Person")
    close(visitor)
    visitor.page.get_by_role("button", name="Whole world").click()
    visitor.pin("Oslo Person").click()
    expect(popup(visitor)).to_contain_text("Oslo Person")
    visitor.page.keyboard.press("Escape")
    at(visitor, "/")
    forward(visitor)
    expect(popup(visitor)).to_contain_text("Oslo Person")
    close(visitor)
    back(visitor)
    shows(visitor, "Table", "#view-table")
    visitor.page.get_by_role("link", name="Lima Person").click()
    expect(popup(visitor)).to_contain_text("Lima Person")
    close(visitor)
    back(visitor)
    shows(visitor, "Table", "#view-table")


def test_a_pin_that_a_link_has_opened_closes_to_the_map(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo")
    visitor = visit(product).open("/openapi").open(f"/pin/{post['id']}").connection("live")
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    close(visitor)
    visitor.page.go_back()
    expect(visitor.page).to_have_url(f"{product.url}/openapi")


def test_a_name_in_the_table_leads_to_its_pin_here_or_in_a_new_window(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product).open("/table").connection("live")
    name = visitor.page.locator("#view-table").get_by_role("link", name="Ada Lovelace")
    with visitor.context.expect_page() as opened:
        name.click(button="middle")
    visitor.watch(opened.value)
    expect(opened.value).to_have_url(f"{product.url}/pin/{post['id']}")
    expect(opened.value.locator(".leaflet-popup")).to_contain_text("Ada Lovelace")
    at(visitor, "/table")
    name.click()
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    back(visitor)
    shows(visitor, "Table", "#view-table")


def test_a_name_in_the_sheet_of_a_phone_leads_to_its_pin_and_lowers_the_sheet(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product, viewport=PHONE).open().connection("live")
    visitor.page.locator("#list-handle").click()
    visitor.page.locator("#list").get_by_role("link", name="Ada Lovelace").click()
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    expect(visitor.page.locator("#list")).to_have_attribute("data-height", "peek")


def test_a_view_chosen_during_the_flight_to_a_pin_stays(product, visit):
    product.person("Ada", "Lovelace").post("Sydney")
    visitor = visit(product).open("/table").connection("live")
    visitor.page.get_by_role("link", name="Ada Lovelace").click()
    visitor.tab("My posts")
    # A flight takes a second.
    visitor.page.wait_for_timeout(1_500)
    at(visitor, "/posts")
    expect(popup(visitor)).to_have_count(0)


def test_a_live_change_keeps_the_open_pin_and_its_address(product, visit):
    ada, bob = product.person("Ada"), product.person("Bob")
    post = ada.post("Oslo, Norway")
    visitor = visit(product).open(f"/pin/{post['id']}").connection("live")
    expect(popup(visitor)).to_contain_text("example.org")
    before = visitor.page.evaluate("history.length")
    for number in range(3):
        bob.post("Oslo, Norway")
        ada.request("PUT", f"/v2/posts/{post['id']}", {
            "place": "Oslo, Norway", "link": f"https://number-{number}.example.org/"})
        expect(popup(visitor)).to_contain_text(f"number-{number}.example.org")
        at(visitor, f"/pin/{post['id']}")
    assert visitor.page.evaluate("history.length") == before


def test_a_deleted_or_unknown_pin_says_so_and_leads_to_the_map(product, visit):
    ada = product.person("Ada")
    post = ada.post("Oslo, Norway")
    visitor = visit(product).open(f"/pin/{post['id']}").connection("live")
    expect(popup(visitor)).to_contain_text("Ada")
    ada.request("DELETE", f"/v2/posts/{post['id']}")
    notice = visitor.page.get_by_text("This pin no longer exists.")
    expect(notice).to_be_visible()
    expect(popup(visitor)).to_have_count(0)
    visitor.open("/pin/0123456789")
    expect(notice).to_be_visible()
    visitor.page.get_by_role("link", name="Show the map").click()
    at(visitor, "/")
    expect(notice).to_be_hidden()
    expect(visitor.page).to_have_title("On The Map")


def bury(product, post):
    """Publishes 100 newer posts."""
    lines = [json.dumps({"place": "Nairobi", "link": f"https://example.org/{number}"}) for number in range(100)]
    headers = {"Authorization": f"Bearer {product.person('Grace', 'Hopper').token}"}
    urllib.request.urlopen(urllib.request.Request(
        f"{product.url}/v2/posts/bulk", "\n".join(lines).encode(), headers), timeout=120).close()

    def has_left():
        entries = product.request("GET", "/v2/feed")["entries"]
        return len(entries) == 100 and all(entry["id"] != post["id"] for entry in entries)

    eventually("the post has left the list", has_left)


@pytest.fixture
def buried(product):
    """A post with 100 newer ones."""
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway", "https://example.org/ada")
    bury(product, post)
    return ada, post


def test_a_link_to_a_post_older_than_the_list_shows_its_pin_and_says_so(product, visit, buried):
    ada, post = buried
    visitor = visit(product).open(f"/pin/{post['id']}").connection("live")
    expect(popup(visitor)).to_contain_text("Its pin leaves the map when you close it.")
    expect(popup(visitor)).to_contain_text("Oslo, Norway")
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    expect(visitor.page.locator(".pin.old")).to_be_visible()
    expect(visitor.page).to_have_title("Ada Lovelace: Oslo, Norway · On The Map")
    # An edit brings the post back.
    ada.request("PUT", f"/v2/posts/{post['id']}", {"place": "Oslo, Norway", "link": "https://new.example.org/"})
    expect(popup(visitor)).to_contain_text("new.example.org")
    expect(visitor.page.locator(".pin.old")).to_have_count(0)
    expect(popup(visitor)).not_to_contain_text("older")


def view(visitor):
    """Returns the position and the zoom of the map."""
    return visitor.page.evaluate(
        "['.leaflet-map-pane', '.leaflet-proxy'].map((part) => document.querySelector(`#map ${part}`).style.transform)")


def test_a_pin_that_leaves_the_list_keeps_its_popup_and_takes_neither_the_focus_nor_the_map(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    product.person("Mei", "X").post("Lima")
    visitor = visit(product).open().connection("live")
    visitor.pin("Ada Lovelace").click()
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    search = visitor.page.locator("#list").get_by_role("searchbox")
    search.press_sequentially("nai")
    # The map has moved to show the whole popup.
    expect(visitor.page.locator("#map .leaflet-pan-anim")).to_have_count(0)
    before = view(visitor)
    bury(product, post)
    expect(popup(visitor)).to_contain_text("Its pin leaves the map when you close it.")
    expect(search).to_be_focused()
    assert view(visitor) == before
    search.press_sequentially("robi")
    expect(visitor.page.locator("#list-title")).to_have_text("100 pins")
    at(visitor, f"/pin/{post['id']}")


def test_a_popup_with_the_focus_keeps_it_when_its_pin_leaves_the_list(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product).open(f"/pin/{post['id']}").connection("live")
    expect(popup(visitor).locator(".popup")).to_be_focused()
    bury(product, post)
    expect(popup(visitor)).to_contain_text("Its pin leaves the map when you close it.")
    expect(popup(visitor).locator(".popup")).to_be_focused()


def test_a_refused_request_for_an_older_post_waits_as_long_as_the_server_asks(product, visit, buried):
    _, post = buried
    requests = []

    def refuse(route):
        requests.append(route.request.url)
        route.fulfill(status=429, headers={"Retry-After": "3600"}, json={"code": "rate_limited", "detail": ""})

    visitor = visit(product)
    visitor.page.route("**/v2/posts/*", refuse)
    visitor.page.clock.install()
    visitor.open(f"/pin/{post['id']}").connection("live")
    expect(visitor.page.locator(".lost p")).to_be_visible()
    newest = visitor.page.locator("#list li").first
    for name in ["Bo", "Cy"]:
        product.person(name, "X").post("Lima")
        expect(newest).to_contain_text(f"{name} X")
    assert len(requests) == 1
    visitor.page.unroute("**/v2/posts/*")
    visitor.page.clock.fast_forward("01:00:01")
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    expect(visitor.page.locator(".lost")).to_be_hidden()


def test_a_link_to_an_older_post_opens_when_the_server_is_reachable_again(product, visit, buried):
    _, post = buried
    visitor = visit(product)
    visitor.page.route("**/v2/posts/*", lambda route: route.abort())
    visitor.open(f"/pin/{post['id']}")
    expect(visitor.page.locator(".lost p")).to_contain_text("No connection to the server.")
    visitor.page.unroute("**/v2/posts/*")
    expect(popup(visitor)).to_contain_text("Ada Lovelace")
    expect(visitor.page.locator(".lost")).to_be_hidden()


def test_the_owner_of_an_older_post_learns_that_others_no_longer_see_it(product, visit, buried):
    ada, post = buried
    visitor = visit(product).sign_in(ada).open("/posts").connection("live")
    visitor.page.get_by_role("link", name="Show Oslo, Norway on the map").click()
    expect(popup(visitor)).to_contain_text("so others no longer see it.")
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.locator(".pin.old")).to_have_count(0)
    at(visitor, "/")
    back(visitor)
    at(visitor, "/posts")


def test_an_owner_edits_and_deletes_in_the_popup_and_others_do_not(product, visit):
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway")
    stranger = visit(product).open(f"/pin/{post['id']}")
    expect(popup(stranger).get_by_role("button", name=re.compile("Copy link|Share"))).to_be_visible()
    expect(popup(stranger).get_by_role("button", name=re.compile("Edit|Delete"))).to_have_count(0)
    visitor = visit(product).sign_in(ada).open(f"/pin/{post['id']}").connection("live")
    popup(visitor).get_by_role("button", name="Edit").click()
    expect(visitor.page.get_by_role("dialog")).to_contain_text("Edit your pin")
    visitor.page.keyboard.press("Escape")
    popup(visitor).get_by_role("button", name="Delete").click()
    expect(visitor.page.get_by_text("“Oslo, Norway” is deleted.").first).to_be_visible()
    expect(visitor.page.locator(".pin")).to_have_count(0)
    at(visitor, "/")
    eventually("the post is deleted", lambda: ada.posts() == [])
    expect(popup(stranger)).to_have_count(0)


def test_an_edit_from_the_popup_takes_the_map_to_the_new_place(product, visit):
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway")
    visitor = visit(product, reduced_motion="reduce").sign_in(ada).extend_timers(ARRIVAL_MS)
    visitor.open(f"/pin/{post['id']}").connection("live")
    popup(visitor).get_by_role("button", name="Edit").click()
    Adding(visitor).find("Lima, Peru").here().submit()
    expect(popup(visitor)).to_contain_text("Lima, Peru")
    expect(popup(visitor)).to_be_in_viewport(ratio=1)
    at(visitor, f"/pin/{post['id']}")


def test_a_double_press_on_delete_deletes_once_and_can_be_undone(product, visit):
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).extend_timers(UNDO_MS).open("/table").connection("live")
    visitor.page.get_by_role("tab", name="Map").click()
    visitor.pin("Yours").click()
    at(visitor, f"/pin/{post['id']}")
    popup(visitor).get_by_role("button", name="Delete").dblclick()
    expect(visitor.page.locator(".pin")).to_have_count(0)
    at(visitor, "/")
    visitor.page.get_by_role("button", name="Undo").click()
    expect(visitor.pin("Yours")).to_be_visible()
    back(visitor)
    at(visitor, "/table")
    assert len(ada.posts()) == 1
