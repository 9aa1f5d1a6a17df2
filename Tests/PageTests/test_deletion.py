"""Tests of deleting a post: undo, tabs that close too early, other tabs, and failures."""

from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Error, expect
from test_posts import own

from conftest import PHONE, TOAST_MS, UNDO_MS
from product import eventually


def test_a_deleted_post_disappears_immediately_and_comes_back_by_undo(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS).open("/#posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    expect(own(visitor)).to_have_count(0)
    visitor.page.get_by_role("button", name="Undo").click()
    expect(own(visitor)).to_have_count(1)
    assert len(ada.posts()) == 1


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "es-ES", "fr-FR", "pt-BR"])
def test_the_quotes_of_a_deleted_place_stay_at_its_words_on_a_phone(shared, visit, language):
    ada = shared.person()
    ada.post("Casablanca")
    visitor = visit(shared, viewport=PHONE, locale=language).sign_in(ada).extend_timers(UNDO_MS).open("/posts")
    own(visitor).get_by_role("button", name=visitor.texts["delete"]).click()
    text = visitor.page.locator(".toast > span")
    expect(text).to_contain_text("Casablanca")
    # The word, with a quote before it and one after it, is in one line.
    assert text.evaluate("""({ firstChild: text }) => {
      const range = document.createRange();
      const { index, 0: word } = text.data.match(/\\S\\s?Casablanca\\s?\\S/);
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return range.getClientRects().length;
    }""") == 1


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


def delete_in_a_tab_that_closes_too_early(visitor, place):
    """Deletes a post in a tab that closes before its request reaches the server. The visitor goes on in another tab."""
    visitor.extend_timers(UNDO_MS).page.add_init_script("""{
      const { fetch } = window;
      window.fetch = (path, options) => (options?.method === 'DELETE' ? Promise.reject(new TypeError('cancelled'))
        : fetch(path, options));
    }""")
    visitor.open("/posts")
    own(visitor).get_by_role("button", name=f"Delete {place}").click()
    expect(own(visitor).get_by_text(place)).to_have_count(0)
    visitor.page.close()
    visitor.page = visitor.context.new_page()
    visitor.watch(visitor.page)


def test_the_next_page_sends_the_deletion_of_a_tab_that_closed_too_early(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    ada.post("Lima, Peru")
    visitor = visit(shared).sign_in(ada)
    delete_in_a_tab_that_closes_too_early(visitor, "Oslo, Norway")
    assert len(ada.posts()) == 2
    with visitor.page.expect_response(lambda response: response.request.method == "DELETE"):
        visitor.open("/posts")
        expect(own(visitor)).to_have_count(1)
        expect(own(visitor)).to_contain_text("Lima, Peru")
    assert [post["place"] for post in ada.posts()] == ["Lima, Peru"]
    # The server has answered, so nothing is left to send.
    eventually("the deletion is forgotten", lambda: visitor.page.evaluate("localStorage.deletions") is None)
    visitor.page.reload()
    expect(own(visitor)).to_have_count(1)
    expect(failures(visitor)).to_have_count(0)


def test_another_account_sends_no_deletion_of_a_closed_tab(shared, visit):
    ada, eve = shared.person(), shared.person("Eve")
    ada.post("Oslo, Norway")
    eve.post("Lima, Peru")
    visitor = visit(shared).sign_in(ada)
    delete_in_a_tab_that_closes_too_early(visitor, "Oslo, Norway")
    sent = []
    visitor.page.on("request", lambda request: sent.append(request.method))
    visitor.page.clock.install()
    visitor.sign_in(eve).open("/posts")
    expect(own(visitor)).to_contain_text("Lima, Peru")
    visitor.page.clock.fast_forward(UNDO_MS)
    visitor.page.evaluate("fetch('/v2/posts')")
    assert "DELETE" not in sent
    visitor.sign_in(ada).open("/posts")
    expect(visitor.page.get_by_text("You have no posts yet.")).to_be_visible()
    eventually("the post is deleted", lambda: ada.posts() == [])


def test_undo_in_one_tab_brings_the_post_back_in_another(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada)
    # All tabs of the browser have this clock.
    visitor.page.clock.install()
    visitor.open("/posts")
    expect(own(visitor)).to_have_count(1)
    stop_clock(visitor)
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    other = visitor.context.new_page()
    visitor.watch(other)
    other.goto("/posts")
    expect(other.get_by_text("You have no posts yet.")).to_be_visible()
    visitor.page.get_by_role("button", name="Undo").click()
    other.clock.fast_forward(UNDO_MS)
    expect(other.locator("#view-posts li")).to_have_count(1)
    assert len(ada.posts()) == 1


def keep_deletion(visitor, person, due):
    """Keeps a deletion in the browser as a closed page has left it. `due` is an expression in milliseconds."""
    [post] = person.posts()
    account = person.request("GET", "/v2/account")["id"]
    visitor.page.add_init_script(f"""if (!sessionStorage.kept) {{
      sessionStorage.kept = 'yes';
      localStorage.deletions = JSON.stringify([{{ account: '{account}', id: '{post["id"]}', dueMs: {due} }}]);
    }}""")
    return visitor


@pytest.mark.parametrize("hours, is_sent", [(23, True), (25, False)])
def test_a_kept_deletion_expires_after_a_day(shared, visit, hours, is_sent):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = keep_deletion(visit(shared).sign_in(ada), ada, f"Date.now() - {hours} * 3_600_000")
    visitor.page.clock.install()
    visitor.open("/posts").connection("live")
    if is_sent:
        eventually("the post is deleted", lambda: ada.posts() == [])
        return
    expect(own(visitor)).to_have_count(1)
    visitor.page.clock.fast_forward(UNDO_MS)
    expect(own(visitor)).to_have_count(1)
    assert len(ada.posts()) == 1


def test_signing_out_sends_the_deletion_that_a_closed_page_has_left(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    # The time until the page sends it is extended.
    visitor = keep_deletion(visit(shared).sign_in(ada).extend_timers(UNDO_MS, TOAST_MS), ada, "Date.now() + 3_600_000")
    visitor.open("/posts")
    expect(visitor.page.get_by_text("You have no posts yet.")).to_be_visible()
    assert len(ada.posts()) == 1
    visitor.sign_out()
    expect(visitor.page.locator("#toasts").get_by_text("You are signed out.")).to_be_visible()
    assert ada.posts() == []


def test_two_presses_of_delete_leave_one_undo_that_works(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada)
    sent = []
    visitor.page.on("request", lambda request: sent.append(request.method))
    visitor.page.clock.install()
    visitor.open("/posts")
    expect(own(visitor)).to_have_count(1)
    stop_clock(visitor)
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").evaluate(
        "(button) => { button.click(); button.click(); }")
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.page.clock.fast_forward(2 * UNDO_MS)
    expect(own(visitor)).to_have_count(1)
    assert "DELETE" not in sent and len(ada.posts()) == 1


def test_a_page_that_the_person_returns_to_sends_the_request_that_leaving_it_cancelled(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS, TOAST_MS)
    # The browser reports the end of the first request only after the return.
    visitor.page.add_init_script("""{
      const { fetch } = window;
      window.fetch = (path, options) => {
        if (options?.method !== 'DELETE' || window.cancel) return fetch(path, options);
        return new Promise((_, reject) => { window.cancel = () => reject(new TypeError('cancelled')); });
      };
    }""")
    visitor.open("/posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    visitor.page.evaluate("""() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      window.cancel();
    }""")
    eventually("the post is deleted", lambda: visitor.page.title() and ada.posts() == [])
    expect(visitor.page.get_by_text("You have no posts yet.")).to_be_visible()
    expect(failures(visitor)).to_have_count(0)


def test_undo_beside_the_map_leaves_the_keyboard_at_the_map(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS).open("/posts")
    own(visitor).get_by_role("button", name="Delete Oslo, Norway").click()
    visitor.tab("Map").page.get_by_role("button", name="Undo").press("Enter")
    expect(visitor.page.locator("#map")).to_be_focused()


def test_the_keyboard_stays_in_the_list_after_a_deletion_and_its_undo(shared, visit):
    ada = shared.person()
    for place in ["Oslo, Norway", "Lima, Peru"]:
        ada.post(place)
    visitor = visit(shared).sign_in(ada).extend_timers(UNDO_MS).open("/posts")
    own(visitor).get_by_role("button", name="Delete Lima, Peru").press("Enter")
    expect(own(visitor).get_by_role("button", name="Delete Oslo, Norway")).to_be_focused()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.get_by_role("heading", name="My posts")).to_be_focused()
    visitor.page.get_by_role("button", name="Undo").last.press("Enter")
    expect(own(visitor).get_by_role("button", name="Delete Oslo, Norway")).to_be_focused()


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
