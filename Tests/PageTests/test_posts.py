"""Tests of a person's own posts: finding, editing, and deleting with undo."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Error, expect

from conftest import ARRIVAL_MS, TOAST_MS, UNDO_MS
from product import eventually


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
    visitor = visit(shared).sign_in(ada).extend_timers(ARRIVAL_MS).open("/#posts")
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


def test_a_deleted_post_disappears_immediately_and_comes_back_by_undo(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS).open("/#posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    expect(own(visitor)).to_have_count(0)
    visitor.page.get_by_role("button", name="Undo").click()
    expect(own(visitor)).to_have_count(1)
    assert len(ada.posts()) == 1


def delete(visitor, place):
    """Presses Delete and waits for the server's response."""
    with visitor.page.expect_response(lambda response: response.request.method == "DELETE") as response:
        own(visitor).get_by_role("button", name=f"Delete {place}").click()
        expect(own(visitor).get_by_text(place)).to_have_count(0)
    assert response.value.ok


def stop_clock(visitor):
    """Stops the page's clock a few seconds in the future."""
    for seconds in [5, 20, 80]:
        try:
            visitor.page.clock.pause_at(datetime.now() + timedelta(seconds=seconds))
            return
        except Error:
            # The page's clock has already passed that time.
            if seconds == 80:
                raise


def failures(visitor):
    return visitor.page.locator("#toasts").get_by_text("Couldn’t delete the post")


def test_a_deleted_post_stays_hidden(product, visit):
    ada, bob = product.person("Ada"), product.person("Bob")
    ada.post("Oslo, Norway")
    ada.post("Lima, Peru")
    visitor = visit(product).sign_in(ada).open("/#posts").connection("live")
    delete(visitor, "Oslo, Norway")
    # A change from the stream redraws the list.
    bob.post("Nairobi")
    expect(visitor.page.locator("#announcements")).to_contain_text("Bob")
    expect(own(visitor)).to_have_count(1)
    expect(own(visitor)).to_contain_text("Lima, Peru")
    delete(visitor, "Lima, Peru")
    expect(visitor.page.get_by_text("You have no posts yet.")).to_be_visible()
    for name, row in [("Map", ".pin.own"), ("Table", "tbody td:has-text('Oslo')"), ("My posts", "#view-posts li")]:
        visitor.tab(name)
        expect(visitor.page.locator(row)).to_have_count(0)
    expect(visitor.page.get_by_text("You have no posts yet.")).to_be_visible()
    expect(failures(visitor)).to_have_count(0)


def test_a_deleted_post_is_hidden_in_every_view_until_undo(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).extend_timers(UNDO_MS).open("/#posts").connection("live")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    visitor.tab("Map")
    expect(visitor.page.locator(".pin.own")).to_have_count(0)
    visitor.tab("My posts")
    expect(visitor.page.get_by_text("You have no posts yet.")).to_be_visible()
    visitor.page.get_by_role("button", name="Undo").click()
    expect(own(visitor)).to_have_count(1)
    visitor.tab("Map")
    expect(visitor.page.locator(".pin.own")).to_have_count(1)


def test_undo_in_the_last_second_sends_no_deletion(shared, visit):
    ada = shared.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada)
    sent = []
    visitor.page.on("request", lambda request: sent.append(request.method))
    visitor.page.clock.install()
    visitor.open("/#posts")
    expect(own(visitor)).to_have_count(1)
    stop_clock(visitor)
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    visitor.page.clock.fast_forward(5_000)
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.page.clock.fast_forward(10_000)
    expect(own(visitor)).to_have_count(1)
    assert "DELETE" not in sent and len(ada.posts()) == 1


def test_a_post_deleted_in_another_window_leaves_the_list_and_deletes_without_error(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    ada.post("Lima, Peru")
    one, other = (visit(product).sign_in(ada) for _ in range(2))
    other.page.clock.install()
    for visitor in (one, other):
        visitor.open("/#posts").connection("live")
    delete(one, "Oslo, Norway")
    expect(own(other)).to_have_count(1)
    expect(own(other)).to_contain_text("Lima, Peru")
    stop_clock(other)
    own(other).get_by_role("button", name="Delete Lima, Peru").click()
    [post] = ada.posts()
    ada.request("DELETE", f"/v2/posts/{post['id']}")
    with other.page.expect_response(lambda response: response.request.method == "DELETE") as response:
        other.page.clock.fast_forward(7_000)
        other.page.clock.resume()
    assert response.value.status in (404, 410)
    expect(other.page.get_by_text("You have no posts yet.")).to_be_visible()
    expect(failures(other)).to_have_count(0)


def test_an_edit_in_another_window_shows_in_the_list(product, visit):
    ada = product.person("Ada")
    post = ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).open("/#posts").connection("live")
    expect(own(visitor)).to_have_count(1)
    ada.request("PUT", f"/v2/posts/{post['id']}", {"place": "Lima, Peru", "link": "https://example.org/new"})
    expect(own(visitor)).to_contain_text("Lima, Peru")


def test_signing_out_sends_pending_deletions(shared, visit):
    ada = shared.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS, TOAST_MS).open("/#posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    expect(own(visitor)).to_have_count(0)
    visitor.sign_out()
    expect(visitor.page.locator("#toasts").get_by_text("You are signed out.")).to_be_visible()
    expect(visitor.page.locator("dialog")).to_have_count(0)
    assert ada.posts() == []


def test_a_deletion_is_sent_after_its_timer_or_when_the_page_is_left(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    ada.post("Lima, Peru")
    visitor = visit(shared).sign_in(ada).open("/#posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    eventually("the post is deleted", lambda: [post["place"] for post in ada.posts()] == ["Lima, Peru"])
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS).open("/#posts")
    own(visitor).get_by_role("button", name="Delete Lima, Peru").click()
    assert len(ada.posts()) == 1
    visitor.page.goto("about:blank")
    eventually("the post is deleted", lambda: ada.posts() == [])


def test_closing_the_tab_sends_pending_deletions(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS).open("/#posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    expect(own(visitor)).to_have_count(0)
    visitor.page.close()
    eventually("the post is deleted", lambda: ada.posts() == [])


def test_a_failed_deletion_brings_the_post_back_with_a_reason(product, visit):
    ada = product.person()
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).extend_timers(TOAST_MS).open("/#posts").connection("live")
    expect(own(visitor)).to_have_count(1)
    product.ingest.kill()
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    expect(visitor.page.locator("#toasts").get_by_text("Couldn’t delete the post, so it is back.")).to_be_visible()
    expect(own(visitor)).to_have_count(1)
    visitor.tab("Table")
    expect(visitor.page.locator("tbody tr")).to_have_count(1)


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
