"""The views and states of the page, and the steps to each. Each test of all views, and the screenshots, use this list."""

import contextlib
from typing import Callable, NamedTuple

from playwright.sync_api import expect

from conftest import ARRIVAL_MS, TOAST_MS, UNDO_MS

TOKEN = "cY0uVnN2sJb1hT6mZt4kQyq8r3fWl5oXaP7eUgIdEHM"
THEN = "2026-11-24T08:00:00.000Z"


class View(NamedTuple):
    steps: Callable
    by: str | None
    services: str
    is_new: bool


VIEWS = {}


def view(by=None, services="product", is_new=False):
    """Adds a view to the list. Its name is the function's, and its steps are the function's, with a visitor and a crowd.

    `by` is the name of the signed-in person of the crowd.
    """

    def add(steps):
        VIEWS[steps.__name__.replace("_", "-")] = View(steps, by, services, is_new)
        return steps

    return add


def show(name, visit, crowd, **options):
    """Opens a view as a person does. Returns the visitor."""
    steps, by, services, is_new = VIEWS[name]
    visitor = visit(getattr(crowd, services), **{"is_new": is_new, "reduced_motion": "reduce", **options})
    # These messages stay for a test.
    visitor.extend_timers(ARRIVAL_MS, TOAST_MS, UNDO_MS)
    if by:
        visitor.sign_in(getattr(crowd, by))
    steps(visitor, crowd)
    return visitor


def press(visitor, key, within="dialog[open], #views, .bar"):
    """Presses the button with a text of the page."""
    visitor.page.locator(within).get_by_role("button", name=visitor.texts[key], exact=True).last.click()


def answer(visitor, path, **members):
    """Answers a request like the server, but with these members. A member may be a dictionary of members."""

    def change(route):
        # The page may have gone.
        with contextlib.suppress(Exception):
            response = route.fetch()
            body = response.json()
            for name, value in members.items():
                body[name] = body[name] | value if isinstance(value, dict) and body.get(name) else value
            route.fulfill(response=response, json=body)

    visitor.page.route(path, change)


def heading(visitor):
    return visitor.page.get_by_role("dialog").get_by_role("heading")


def rows(visitor):
    return visitor.page.locator("#view-table tbody tr")


@view(is_new=True)
def welcome(visitor, crowd):
    visitor.open().connection("live")
    expect(visitor.page.locator("#welcome")).to_be_visible()


@view(services="empty")
def empty_map(visitor, crowd):
    welcome(visitor, crowd)


@view(by="ada")
def busy_map(visitor, crowd):
    visitor.open().connection("live")
    expect(visitor.page.locator("#map .cluster").first).to_be_visible()


@view()
def sheet(visitor, crowd):
    busy_map(visitor, crowd)
    handle = visitor.page.locator("#list-handle")
    # Only a phone has the sheet.
    if handle.is_visible():
        handle.click()
        expect(visitor.page.locator("#list")).to_have_attribute("data-height", "half")


@view()
def pin(visitor, crowd):
    visitor.open(f"/pin/{crowd.newest['id']}").connection("live")
    expect(visitor.page.locator(".popup")).to_be_visible()


@view(by="ada")
def own_pin(visitor, crowd):
    pin(visitor, crowd)
    expect(visitor.page.locator(".popup").get_by_text(visitor.texts["delete"])).to_be_visible()


@view()
def old_pin(visitor, crowd):
    post = crowd.product.request("GET", f"/v2/posts/{crowd.newest['id']}")
    old = post | {
        "id": "1234567890", "seq": 1, "place": "Tunis, Tunisia", "label": "", "latitude": 36.8, "longitude": 10.2}
    visitor.page.route("**/v2/posts/1234567890", lambda route: route.fulfill(json=old))
    visitor.open("/pin/1234567890").connection("live")
    expect(visitor.page.locator(".popup .notice")).to_be_visible()


@view()
def lost_pin(visitor, crowd):
    visitor.open("/pin/0123456789").connection("live")
    expect(visitor.page.locator(".lost")).to_be_visible()


@view()
def cluster_list(visitor, crowd):
    visitor.open(f"/pin/{crowd.last['id']}")
    expect(visitor.page.locator(".leaflet-popup .popup")).to_be_focused()
    # The focus goes to the cluster that has the pin.
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.locator(".leaflet-popup")).to_have_count(0)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".leaflet-popup .cluster-list button")).to_have_count(3)


@view()
def pick(visitor, crowd):
    busy_map(visitor, crowd)
    visitor.page.locator("#map").focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.get_by_role("button", name=visitor.texts["pick"])).to_be_visible()


@view(by="ada")
def place(visitor, crowd):
    # A map behind the dialog would be drawn again at each size.
    visitor.open("/posts").connection("live")
    press(visitor, "add", ".bar")
    expect(visitor.page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()


@view(by="ada")
def suggestions(visitor, crowd):
    place(visitor, crowd)
    visitor.page.get_by_role("dialog").get_by_role("combobox").press_sequentially("Springf")
    expect(visitor.page.get_by_role("listbox").get_by_role("option")).to_have_count(5)


def find(visitor, crowd, text):
    place(visitor, crowd)
    visitor.page.get_by_role("dialog").get_by_role("combobox").fill(text)
    press(visitor, "adding.find")


@view(by="ada")
def not_found(visitor, crowd):
    find(visitor, crowd, "qqqzzzxx")
    expect(visitor.page.get_by_role("button", name=visitor.texts["adding.yourself"])).to_be_visible()


@view(by="ada")
def place_yourself(visitor, crowd):
    not_found(visitor, crowd)
    press(visitor, "adding.yourself")
    expect(heading(visitor)).to_have_text(visitor.texts["adding.where"])


@view(by="ada")
def candidates(visitor, crowd):
    find(visitor, crowd, "Springfield")
    expect(visitor.page.locator(".choices")).to_be_visible()


@view(by="ada")
def understood(visitor, crowd):
    find(visitor, crowd, "10 Downing St, London")
    expect(visitor.page.locator(".preview-map .pin")).to_be_visible()


@view(by="ada")
def preview(visitor, crowd):
    find(visitor, crowd, "Reykjavík")
    expect(visitor.page.locator(".preview-map .pin")).to_be_visible()


@view(by="ada")
def link(visitor, crowd):
    preview(visitor, crowd)
    press(visitor, "adding.use")
    expect(heading(visitor)).to_have_text(visitor.texts["adding.link"])


@view(by="ada")
def link_refused(visitor, crowd):
    link(visitor, crowd)
    visitor.page.get_by_role("dialog").get_by_role("textbox").fill("javascript:alert(1)")
    expect(visitor.page.get_by_text(visitor.texts["link.scheme"])).to_be_visible()


@view(by="eve")
def done(visitor, crowd):
    crowd.leave()
    preview(visitor, crowd)
    press(visitor, "adding.use")
    visitor.page.get_by_role("dialog").get_by_role("textbox").fill("example.org/eve")
    press(visitor, "adding.submit")
    expect(visitor.page.locator(".popup")).to_be_visible()
    expect(visitor.page.locator(".toast")).to_be_visible()


@view()
def table(visitor, crowd):
    visitor.open("/table").connection("live")
    expect(rows(visitor).first).to_be_visible()


@view()
def search(visitor, crowd):
    visitor.open("/table?q=an&sort=name").connection("live")
    expect(rows(visitor).first).to_be_visible()


@view()
def search_without_result(visitor, crowd):
    visitor.open("/table?q=no such text").connection("live")
    expect(visitor.page.locator("#view-table").get_by_text(visitor.texts["search.none"])).to_be_visible()


@view(services="empty")
def empty_table(visitor, crowd):
    visitor.open("/table").connection("live")
    expect(visitor.page.locator("#view-table").get_by_text(visitor.texts["table.empty"])).to_be_visible()


@view(by="ada")
def posts(visitor, crowd):
    visitor.open("/posts").connection("live")
    expect(visitor.page.locator("#view-posts li").first).to_be_visible()


@view(by="carl")
def empty_posts(visitor, crowd):
    visitor.open("/posts").connection("live")
    expect(visitor.page.get_by_text(visitor.texts["posts.empty"])).to_be_visible()


@view()
def posts_of_a_stranger(visitor, crowd):
    visitor.open("/posts").connection("live")
    expect(visitor.page.get_by_text(visitor.texts["posts.signed-out"])).to_be_visible()


@view(by="eve")
def deleted(visitor, crowd):
    crowd.leave()
    crowd.eve.post("Casablanca", "https://example.org/eve")
    posts(visitor, crowd)
    visitor.page.locator("#view-posts li").get_by_role("button").last.click()
    expect(visitor.page.locator(".toast").get_by_text(visitor.texts["undo"])).to_be_visible()


@view(by="ada")
def account(visitor, crowd):
    visitor.open().connection("live")
    visitor.page.locator("#account").click()
    expect(visitor.page.locator("#account-menu")).to_be_visible()


@view(by="ada")
def settings(visitor, crowd):
    visitor.open("/account").connection("live")
    expect(visitor.page.locator("#view-account li").first).to_be_visible()


@view(by="ada")
def settings_refused(visitor, crowd):
    settings(visitor, crowd)
    visitor.page.get_by_label(visitor.texts["email"]).fill("not an address")
    press(visitor, "save")
    expect(visitor.page.locator("#view-account .error").get_by_text(visitor.texts["password.empty"])).to_be_visible()


@view(by="ada")
def account_deletion(visitor, crowd):
    settings(visitor, crowd)
    press(visitor, "account.delete.begin")
    expect(heading(visitor)).to_have_text(visitor.texts["account.delete.title"])


@view()
def sign_in(visitor, crowd):
    answer(visitor, "**/v2/page", login={"recovery": "mail"})
    visitor.open("/posts").connection("live")
    press(visitor, "sign-in", ".bar")
    expect(heading(visitor)).to_be_visible()


@view()
def sign_in_refused(visitor, crowd):
    sign_in(visitor, crowd)
    visitor.page.get_by_label(visitor.texts["email"]).fill("ada@example.org")
    visitor.page.get_by_label(visitor.texts["password"], exact=True).fill("a wrong password")
    press(visitor, "sign-in", "dialog .actions, dialog form")
    expect(visitor.page.get_by_text(visitor.texts["problem.bad_credentials"])).to_be_visible()


@view()
def register(visitor, crowd):
    sign_in(visitor, crowd)
    press(visitor, "sign-up")
    expect(heading(visitor)).to_have_text(visitor.texts["sign-up.title"])


@view()
def recovery(visitor, crowd):
    sign_in(visitor, crowd)
    press(visitor, "recovery")
    expect(visitor.page.get_by_role("button", name=visitor.texts["recovery.send"])).to_be_visible()


@view()
def reset(visitor, crowd):
    visitor.open(f"/reset#{TOKEN}").connection("live")
    expect(heading(visitor)).to_have_text(visitor.texts["reset.title"])


@view()
def reset_with_an_incomplete_link(visitor, crowd):
    visitor.open("/reset").connection("live")
    expect(heading(visitor)).to_have_text(visitor.texts["reset.title"])


@view(by="ada")
def confirm(visitor, crowd):
    answer(visitor, "**/v2/page", account={"emailConfirmed": False})
    visitor.page.route("**/v2/confirmation", lambda route: route.fulfill(status=204))
    visitor.open(f"/confirm#{TOKEN}").connection("live")
    expect(heading(visitor)).to_have_text(visitor.texts["confirm.title"])


@view(by="ada")
def confirmed(visitor, crowd):
    confirm(visitor, crowd)
    visitor.page.get_by_role("dialog").locator("button.primary").click()
    expect(visitor.page.get_by_text(visitor.texts["confirm.done"])).to_be_visible()


@view(services="closed")
def members_only(visitor, crowd):
    visitor.open().connection("members-only")
    expect(visitor.page.locator("#enter")).to_be_visible()


@view()
def paused(visitor, crowd):
    answer(visitor, "**/v2/page", pausedAt=THEN)
    visitor.open().connection("paused")
    expect(visitor.page.locator("#standing")).to_be_visible()


@view(by="ada")
def offline(visitor, crowd):
    busy_map(visitor, crowd)
    visitor.context.set_offline(True)
    visitor.connection("offline")


@view()
def reconnecting(visitor, crowd):
    visitor.page.route("**/v2/feed/stream*", lambda route: route.abort())
    visitor.open("/table").connection("reconnecting")


@view()
def update(visitor, crowd):
    busy_map(visitor, crowd)
    # The service worker of a new version sends this message.
    visitor.page.evaluate("""navigator.serviceWorker.dispatchEvent(
      new MessageEvent('message', { data: '/page/ffffffffffffffff/' }))""")
    expect(visitor.page.locator(".toast").get_by_text(visitor.texts["update"])).to_be_visible()


@view(by="ada")
def admin(visitor, crowd):
    visitor.open("/admin").connection("live")
    expect(visitor.page.locator(".plot .line[d^=M]").first).to_be_attached()


@view(by="ada")
def admin_with_dead_posts(visitor, crowd):
    reason = {"code": "bad_place", "detail": "this worker likes no place"}
    post = {"id": "1234567890", "place": "<b>El Dorado</b>", "reason": reason, "failedAttempts": 3, "updatedAt": THEN}
    answer(visitor, "**/v2/admin/posts?*", posts=[post, post | {"id": "1234567891", "place": "Avalon"}])
    answer(visitor, "**/v2/admin/status", dead=2, deadByReason=[{"reason": "bad_place", "count": 2}])
    admin(visitor, crowd)
    expect(visitor.page.get_by_text("El Dorado")).to_be_visible()
    visitor.page.get_by_role("checkbox").nth(1).check()


@view(by="ada")
def admin_paused(visitor, crowd):
    answer(visitor, "**/v2/admin/status", paused=True, pausedAt=THEN, pausedBy="Olga")
    visitor.open("/admin").connection("paused")
    expect(visitor.page.locator("#standing")).to_be_visible()


@view(by="carl")
def admin_refused(visitor, crowd):
    visitor.open("/admin").connection("operators-only")
    expect(visitor.page.locator("#gate")).to_be_visible()
