"""Tests of the operator's page: it shows and controls the queue for operators only."""

import re
import urllib.error

import pytest
from playwright.sync_api import expect

from conftest import TOAST_MS
from product import PASSWORD, FailingWorker, eventually
from views import answer, show

# Finds what leaves the window or its card, and words of more than one line.
FAULTS = """() => {
  const faults = [];
  const shown = [...document.querySelectorAll('.bar *, #figures *')]
    .filter((one) => one.checkVisibility() && !one.closest('.menu, svg, option') && one.getBoundingClientRect().width > 1);
  for (const one of shown) {
    const { left, right } = one.getBoundingClientRect();
    if (left < 0 || right > innerWidth + .5) faults.push(`${one.outerHTML.slice(0, 80)}: ${left} to ${right}`);
    for (const text of [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
      for (const { index, 0: word } of text.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const boxes = [...range.getClientRects()];
        if (boxes.some(({ top }) => top !== boxes[0].top)) faults.push(`${word} is broken`);
        if (boxes.some((box) => box.right > right + .5)) faults.push(`${word} leaves its place`);
      }
    }
  }
  return faults;
}"""


def figure(visitor, name):
    return visitor.page.locator(".figures > div", has=visitor.page.get_by_text(name, exact=True)).locator("dd")


def dead(visitor):
    return visitor.page.locator(".dead tbody tr")


@pytest.fixture
def workerless(apart):
    """Services without their worker."""
    apart.worker.kill()
    return apart


def make_dead(product, person, *places):
    with FailingWorker(product):
        for place in places:
            post = person.request("POST", "/v2/posts", {"place": place, "link": "https://example.org/"},
                              {"Prefer": "wait=30"})
            assert post["state"] == "dead", post


def test_strangers_and_other_accounts_see_no_operator_page(shared, visit):
    visitor = visit(shared).open("/admin")
    gate = visitor.page.locator("#gate")
    expect(gate).to_contain_text("Sign in with an operator account to see")
    visitor.connection("operators-only")
    gate.get_by_role("button", name="Sign in").click()
    expect(visitor.page.get_by_role("dialog")).to_be_visible()
    ada = shared.person("Ada")
    visitor.sign_in(ada).open("/admin")
    expect(gate).to_contain_text("This page is for operators.")
    expect(gate.get_by_role("button")).to_be_hidden()
    expect(visitor.page.locator("#figures")).to_be_hidden()
    for method, path in [("GET", "status"), ("GET", "history"), ("GET", "posts"), ("GET", "posts/0000000001"),
                         ("POST", "posts/retry"), ("POST", "posts/discard"), ("POST", "pause"), ("POST", "resume")]:
        with pytest.raises(urllib.error.HTTPError) as refused:
            ada.request(method, f"/v2/admin/{path}", {} if method == "POST" else None)
        assert refused.value.code == 403


def test_a_promoted_account_sees_the_operator_page_and_its_link(shared, visit):
    ada = shared.person("Ada")
    visitor = visit(shared).sign_in(ada).open("/admin")
    expect(visitor.page.locator("#gate")).to_be_visible()
    shared.command("user", "promote", ada.email)
    visitor.open("/").menu("Operator")
    visitor.connection("live")
    expect(figure(visitor, "Workers")).not_to_have_text("0")
    shared.command("user", "demote", ada.email)
    expect(visitor.page.locator("#gate")).to_be_visible()
    expect(visitor.page.locator("#figures")).to_be_hidden()


def test_the_operator_page_signs_in_and_out_like_the_map(shared, visit):
    olga = shared.operator()
    visitor = visit(shared).open("/admin")
    visitor.page.locator("#gate").get_by_role("button", name="Sign in").click()
    visitor.page.get_by_label("Email address").fill(olga.email)
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    expect(visitor.page.locator("#figures")).to_be_visible()
    visitor.sign_out()
    expect(visitor.page.locator("#gate")).to_be_visible()
    expect(visitor.page.locator("#figures")).to_be_hidden()


def test_the_queue_is_shown_live_as_it_fills_ages_and_empties(workerless, visit):
    olga = workerless.operator()
    visitor = visit(workerless).sign_in(olga).open("/admin").connection("live")
    expect(figure(visitor, "Workers")).to_have_text("0")
    expect(visitor.page.get_by_text("No worker is connected. Posts wait.")).to_be_visible()
    posts = []

    def is_counted():
        # The page shows the rate of the last ten seconds.
        posts.append(olga.request("POST", "/v2/posts", {"place": "Oslo", "link": f"https://example.org/{len(posts)}"}))
        visitor.page.wait_for_timeout(100)
        return figure(visitor, "Accepted").inner_text() != "0/s"

    eventually("posts are counted", is_counted)
    count = len(posts)
    expect(figure(visitor, "Queue")).to_have_text(f"{count}")
    expect(figure(visitor, "Oldest post")).to_contain_text("sec")
    queue = visitor.page.get_by_role("img", name="Queue: ")
    expect(queue).to_have_accessible_name(f"Queue: now {count}, at most {count}.")
    visit(workerless).open().connection("live")
    expect(figure(visitor, "Subscribers")).to_have_text("1")
    workerless.worker.start()
    expect(figure(visitor, "Queue")).to_have_text("0")
    expect(figure(visitor, "Workers")).not_to_have_text("0")
    expect(queue).to_have_accessible_name(f"Queue: now 0, at most {count}.")
    box = queue.bounding_box()
    visitor.page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 5)
    expect(visitor.page.locator(".plot", has=queue).locator(".legend")).to_contain_text("·")


def test_the_queue_is_plotted_on_a_device_whose_clock_is_wrong(shared, visit):
    visitor = visit(shared).sign_in(shared.operator())
    visitor.page.add_init_script("{ const { now } = Date; Date.now = () => now() + 172_800_000; }")
    visitor.open("/admin").connection("live")
    expect(visitor.page.get_by_role("img", name="Queue: now 0, at most 0.")).to_be_visible()


def test_dead_posts_are_shown_with_their_reasons_retried_and_discarded(workerless, visit):
    olga = workerless.operator()
    visitor = visit(workerless).sign_in(olga).extend_timers(TOAST_MS).open("/admin").connection("live")
    expect(visitor.page.get_by_text("No dead posts.")).to_be_visible()
    make_dead(workerless, olga, "Oslo", "Lima", '<b onclick="alert(1)">Paris</b>')
    expect(dead(visitor)).to_have_count(3)
    expect(figure(visitor, "Dead posts")).to_have_text("3")
    expect(dead(visitor).nth(2)).to_contain_text('<b onclick="alert(1)">Paris</b>')
    expect(dead(visitor).nth(0)).to_contain_text("this worker likes no place")
    visitor.page.get_by_role("button", name="Oslo").click()
    expect(visitor.page.get_by_role("dialog")).to_contain_text("bad_place: this worker likes no place")
    visitor.page.keyboard.press("Escape")

    expect(visitor.page.get_by_role("button", name="Discard")).to_be_disabled()
    visitor.page.get_by_role("checkbox", name="Select <b").check()
    visitor.page.get_by_role("button", name="Discard").click()
    expect(visitor.page.locator(".dead [aria-busy]")).to_have_count(0)
    visitor.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(dead(visitor)).to_have_count(3)
    visitor.page.get_by_role("button", name="Discard").click()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(dead(visitor)).to_have_count(2)
    assert [post["state"] for post in olga.posts()].count("rejected") == 1

    workerless.worker.start()
    visitor.page.get_by_role("checkbox", name="Select Oslo").check()
    visitor.page.get_by_role("button", name="Retry", exact=True).click()
    expect(visitor.page.locator("#toasts")).to_contain_text("1 post is back in the queue.")
    expect(dead(visitor)).to_have_count(1)
    visitor.page.get_by_role("button", name="Retry all").click()
    expect(dead(visitor)).to_have_count(0)
    eventually("both posts are published", lambda: len(workerless.request("GET", "/v2/feed")["entries"]) == 2)


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "fr-FR"])
def test_the_operators_tables_fit_every_width_and_no_word_is_broken(crowd, visit, language):
    page = show("admin-with-dead-posts", visit, crowd, locale=language).page
    tables = [table.aria_snapshot() for table in page.get_by_role("table").all()]
    assert len(tables) == 3
    for width in [320, 390, 600, 736, 737, 820, 1440]:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(FAULTS) == [], width
        # A card of a narrow window is still a row with named columns.
        assert [table.get_by_role("columnheader").count() for table in page.get_by_role("table").all()] == [4, 7, 4]
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "es-ES", "fr-FR", "pt-BR"])
@pytest.mark.parametrize("width", [320, 390])
def test_the_operators_header_has_two_rows_on_a_phone_and_the_account_in_the_first(shared, visit, language, width):
    visitor = visit(shared, locale=language, viewport={"width": width, "height": 844}).sign_in(shared.operator())
    bar = visitor.open("/admin").connection("live").page.locator(".bar")
    middles = {name: box["y"] + box["height"] / 2 for name, box in [
        (name, bar.locator(name).bounding_box()) for name in ["h1", "#account", "#pause", "a.button"]]}
    assert abs(middles["#account"] - middles["h1"]) < 3
    assert abs(middles["#pause"] - middles["a.button"]) < 3
    assert middles["#pause"] > middles["h1"] + 20


def test_ages_on_the_operator_page_are_whole_and_no_line_crosses_the_label_of_an_axis(shared, visit):
    visitor = visit(shared).sign_in(shared.operator())
    answer(visitor, "**/v2/admin/history?*", samples=[
        {"unixMs": unix_ms, "depth": 10, "oldestMs": 0, "accepted": 10, "completed": 10, "failed": 0, "subscribers": 10}
        for unix_ms in range(1_800_000_000_000, 1_800_000_306_000, 2_000)])
    page = visitor.open("/admin").connection("live").page
    plot = page.locator(".plot", has=page.get_by_role("heading", name="Posts per second"))
    expect(plot.locator(".times")).to_have_text("5 min agonow")
    label, line = plot.get_by_text("10/s", exact=True).last.bounding_box(), plot.locator(".line-0").last.bounding_box()
    assert label["y"] + label["height"] <= line["y"]
    expect(page.get_by_role("table", name="Workers").get_by_role("cell").last).to_have_text(
        re.compile(r"now|\d+ sec ago"))
    page.unroute_all(behavior="ignoreErrors")


def test_dead_posts_are_selected_by_reason_or_all_together(workerless, visit):
    olga = workerless.operator()
    make_dead(workerless, olga, *[f"Oslo {number}" for number in range(60)])
    visitor = visit(workerless).sign_in(olga).open("/admin").connection("live")
    expect(dead(visitor)).to_have_count(50)
    visitor.page.get_by_role("button", name="Show more").click()
    expect(dead(visitor)).to_have_count(60)
    visitor.page.get_by_label("Reason").select_option("bad_place")
    expect(dead(visitor)).to_have_count(50)
    visitor.page.get_by_role("checkbox", name="Select all").check()
    visitor.page.get_by_role("button", name="Discard").click()
    expect(visitor.page.get_by_role("dialog")).to_contain_text("Discard 50 posts?")
    visitor.page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(dead(visitor)).to_have_count(10)
    expect(figure(visitor, "Dead posts")).to_have_text("10")


def test_a_paused_queue_accepts_posts_and_holds_them_until_the_resume(product, visit):
    olga = product.operator()
    visitor = visit(product).sign_in(olga).extend_timers(TOAST_MS).open("/admin").connection("live")
    visitor.page.get_by_role("button", name="Pause queue").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("Queue paused.")
    olga.request("POST", "/v2/posts", {"place": "Oslo", "link": "https://example.org/"})
    expect(figure(visitor, "Queue")).to_have_text("1")
    visitor.page.reload()
    visitor.page.get_by_role("button", name="Resume queue").click()
    expect(figure(visitor, "Queue")).to_have_text("0")


def test_the_operator_page_reports_a_missing_ingest_keeps_its_figures_and_recovers(product, visit):
    olga = product.operator()
    visitor = visit(product).sign_in(olga).extend_timers(TOAST_MS).open("/admin").connection("live")
    product.ingest.kill()
    visitor.connection("offline")
    expect(visitor.page.locator("#figures")).to_be_visible()
    visitor.page.get_by_role("button", name="Pause queue").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("No connection to the server.")
    product.ingest.start()
    visitor.connection("live")


def test_an_expired_session_is_renewed_on_the_operator_page(shared, visit):
    olga = shared.operator()
    visitor = visit(shared).sign_in(olga).open("/admin").connection("live")
    visitor.context.request.delete("/v2/session", headers={"Origin": shared.url, "Sec-Fetch-Site": "same-origin"})
    expect(visitor.page.get_by_role("dialog")).to_contain_text("Your session has ended.")
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    expect(visitor.page.get_by_role("dialog")).to_have_count(0)
    visitor.connection("live")


def test_a_banner_shows_a_paused_queue(product, visit):
    olga = product.operator()
    visitor = visit(product).sign_in(olga).open("/admin").connection("live")
    bar = visitor.page.locator("#standing")
    expect(bar).to_be_hidden()
    olga.request("POST", "/v2/admin/pause")
    expect(bar).to_contain_text("New posts are accepted and wait.")
    visitor.open("/admin").connection("paused")
    expect(visitor.page.locator("#connection")).to_have_text("Paused")
    expect(bar).to_contain_text("Queue paused by Olga since")
    expect(bar).to_contain_text("Nobody can add a pin on the page meanwhile.")
    expect(bar).to_have_class("standing")
    box, first = bar.bounding_box(), visitor.page.locator(".figures").bounding_box()
    assert first["y"] >= box["y"] + box["height"], "The bar covers no figure."
    olga.request("POST", "/v2/admin/resume")
    expect(bar).to_be_hidden()
    visitor.connection("live")
    product.command("queue", "pause")
    expect(bar).to_contain_text("Queue paused since")


def test_a_banner_shows_a_full_disk(product, visit):
    olga = product.operator()
    visitor = visit(product).sign_in(olga).open("/admin").connection("live")
    assert visitor.page.locator("#standing").is_hidden()
    expect(figure(visitor, "Disk free")).to_contain_text("B")

    def fill(route):
        response = route.fetch()
        status = response.json()
        status["disk"].update(full=True, fullAt="2026-11-24T08:00:00.000Z", freeBytes=0)
        route.fulfill(response=response, json=status)

    visitor.page.route("**/v2/admin/status", fill)
    expect(visitor.page.locator("#standing.danger")).to_contain_text("Disk full or nearly full since")
    expect(figure(visitor, "Disk free")).to_have_text("0 byte")
    visitor.page.unroute("**/v2/admin/status")
    expect(visitor.page.locator("#standing")).to_be_hidden()


@pytest.mark.parametrize(("locale", "text"), [
    ("en-GB", "New posts are refused, because a post has waited 5 sec"),
    ("de-DE", "Neue Einträge werden abgelehnt, weil ein Eintrag seit 5 Sek"),
])
def test_a_banner_shows_that_ingest_refuses_posts_after_a_long_wait(shared, visit, locale, text):
    visitor = visit(shared, locale=locale).sign_in(shared.operator())
    wait = {"longestWaitMs": 5_000, "waitMaxMs": 5_000}

    def delay(route):
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | wait)

    visitor.page.route("**/v2/admin/status", delay)
    visitor.open("/admin").connection("live")
    expect(visitor.page.locator("#standing.danger")).to_contain_text(text)
    wait["longestWaitMs"] = 4_999
    expect(visitor.page.locator("#standing")).to_be_hidden()
    visitor.page.unroute_all(behavior="wait")
