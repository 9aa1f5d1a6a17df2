"""Tests of sharing a pin: the button, and the tags of the shared address."""

import html.parser
import urllib.error
import urllib.request

from playwright.sync_api import expect

from product import Product

HOSTILE = '</title><script>alert("1")</script>&amp;\'{place}'
# The browser has no menu to share. The first script has one, and keeps what the page shares.
SHARES = "navigator.share = (shared) => { window.shared = shared; return Promise.resolve() }"
CANCELS = "navigator.share = () => Promise.reject(new DOMException('', 'AbortError'))"
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"


def open_pin(visitor, post, script=None):
    if script:
        visitor.page.add_init_script(script)
    visitor.open(f"/pin/{post['id']}").connection("live")
    return visitor.page.locator(".leaflet-popup")


def toast(visitor, text):
    return visitor.page.locator("#toasts").get_by_text(text)


def test_a_popup_shows_name_place_host_and_age(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway", "https://www.example.org/a/long/path?to=ada")
    popup = open_pin(visit(product), post)
    for text in ["Ada Lovelace", "Oslo, Norway", "just now"]:
        expect(popup).to_contain_text(text)
    link = popup.get_by_role("link", name="www.example.org", exact=True)
    expect(link).to_have_attribute("href", "https://www.example.org/a/long/path?to=ada")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow ugc")
    assert popup.locator("time").get_attribute("title")


def test_the_popup_copies_the_address_of_the_pin(product, visit):
    post = product.person().post("Oslo, Norway")
    visitor = visit(product, permissions=["clipboard-read", "clipboard-write"])
    open_pin(visitor, post).get_by_role("button", name="Copy link").click()
    expect(toast(visitor, "The link is copied.")).to_be_visible()
    assert visitor.page.evaluate("navigator.clipboard.readText()") == f"{product.url}/pin/{post['id']}"


def test_the_popup_opens_the_menu_of_the_device_if_it_has_one(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product)
    open_pin(visitor, post, SHARES).get_by_role("button", name="Share").click()
    visitor.page.wait_for_function("window.shared")
    assert visitor.page.evaluate("window.shared") == {
        "title": "Ada Lovelace: Oslo, Norway", "url": f"{product.url}/pin/{post['id']}"}
    other = visit(product)
    open_pin(other, post, CANCELS).get_by_role("button", name="Share").click()
    expect(other.page.locator("#toasts")).to_be_empty()
    expect(other.page.get_by_role("dialog")).to_have_count(0)


def test_a_browser_without_clipboard_shows_the_selected_link(product, visit):
    post = product.person().post("Oslo, Norway")
    visitor = visit(product)
    open_pin(visitor, post, NO_CLIPBOARD).get_by_role("button", name="Copy link").click()
    field = visitor.page.get_by_label("Copy this link:")
    expect(field).to_have_value(f"{product.url}/pin/{post['id']}")
    expect(field).to_be_focused()
    assert visitor.page.evaluate("getSelection().toString()") == f"{product.url}/pin/{post['id']}"
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.get_by_role("dialog")).to_have_count(0)


def test_a_new_pin_can_be_shared_from_its_message(adding):
    adding.page.add_init_script(SHARES)
    adding.page.reload()
    adding.visitor.connection("live")
    adding.begin().find("Oslo").here().link("example.org/ada").submit()
    adding.page.locator("#toasts").get_by_role("button", name="Share").click()
    adding.page.wait_for_function("window.shared")
    [post] = adding.person.posts()
    assert adding.page.evaluate("window.shared")["url"].endswith(f"/pin/{post['id']}")


def test_the_popup_is_reached_read_and_closed_by_keyboard(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product).open().connection("live")
    visitor.pin("Ada Lovelace").focus()
    visitor.page.keyboard.press("Enter")
    group = visitor.page.get_by_role("group", name="Ada Lovelace: Oslo, Norway")
    expect(group).to_be_focused()
    assert 'button "Copy link"' in group.aria_snapshot() and 'link "example.org"' in group.aria_snapshot()
    for focused in ["example.org", "Copy link"]:
        visitor.page.keyboard.press("Tab")
        expect(visitor.page.locator(":focus")).to_have_text(focused)
    visitor.page.keyboard.press("Escape")
    expect(group).to_have_count(0)


def test_hostile_names_and_places_are_text_in_the_popup_and_the_title(product, visit):
    person = product.person("<img src=x onerror=alert(1)>", HOSTILE)
    post = person.post("Oslo, <b>Norway</b>", latitude=60, longitude=11)
    visitor = visit(product)
    popup = open_pin(visitor, post)
    expect(popup).to_contain_text(f"<img src=x onerror=alert(1)> {HOSTILE}")
    expect(popup).to_contain_text("Oslo, <b>Norway</b>")
    assert HOSTILE in visitor.page.title()
    expect(popup.locator("img, script, b")).to_have_count(0)


class Head(html.parser.HTMLParser):
    """The title, the tags and the scripts of a document, as a browser or a chat reads them."""

    def __init__(self, address, method="GET", **headers):
        super().__init__()
        self.title, self.tags, self.scripts, self._isTitle = "", {}, [], False
        request = urllib.request.Request(address, method=method, headers=headers)
        try:
            response = urllib.request.urlopen(request, timeout=120)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            self.status, self.type = response.status, response.headers["Content-Type"]
            self.feed(response.read().decode())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self._isTitle = tag == "title"
        if tag == "meta" and "content" in attributes:
            self.tags[attributes.get("property", attributes.get("name"))] = attributes["content"]
        if tag == "script":
            self.scripts.append(attributes.get("src"))

    def handle_endtag(self, tag):
        self._isTitle = False

    def handle_data(self, data):
        if self._isTitle:
            self.title += data


def test_a_chat_sees_the_name_and_the_place_of_a_shared_pin(product):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    address = f"{product.url}/pin/{post['id']}"
    for accept in ["*/*", "text/html", "application/json"]:
        head = Head(address, Accept=accept)
        assert (head.status, head.type) == (200, "text/html; charset=utf-8")
        assert head.title == "Ada Lovelace: Oslo, Norway · On The Map"
        assert head.tags["og:title"] == "Ada Lovelace: Oslo, Norway"
        assert (head.tags["og:url"], head.tags["og:site_name"]) == (address, "On The Map")
        assert head.tags["og:description"] and head.tags["twitter:card"] == "summary"
    assert Head(address, **{"Accept-Language": "de"}).tags["og:description"].startswith("Oslo, Norway · ")
    assert Head(address, "HEAD").status == 200
    assert Head(address, Host="a b; <script>").tags.get("og:url") is None
    main = Head(product.url, Accept="text/html")
    assert main.title == main.tags["og:title"] == "On The Map"


def test_hostile_names_are_text_in_the_tags(product):
    post = product.person("<img src=x onerror=alert(1)>", HOSTILE).post("Oslo")
    head, plain = Head(f"{product.url}/pin/{post['id']}"), Head(f"{product.url}/table")
    assert head.tags["og:title"] == f"<img src=x onerror=alert(1)> {HOSTILE}: Oslo"
    assert head.title == f"{head.tags['og:title']} · On The Map"
    assert head.scripts == plain.scripts and set(head.tags) == {*plain.tags, "og:url"}


def test_a_deleted_unknown_or_unpublished_pin_is_not_found_and_has_no_name(product):
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway")
    ada.request("DELETE", f"/v2/posts/{post['id']}")
    rejected = ada.request("POST", "/v2/posts", {"place": "Qwxzzzk", "link": "example.org"}, {"Prefer": "wait=30"})
    assert rejected["state"] == "rejected"
    for id in [post["id"], rejected["id"], "0123456789", "%3Cscript%3E"]:
        head = Head(f"{product.url}/pin/{id}")
        assert (head.status, head.type) == (404, "text/html; charset=utf-8")
        assert head.title == head.tags["og:title"] == "On The Map"


def test_a_members_only_map_has_no_names_for_strangers(tmp_path):
    product = Product(tmp_path, "--map-access", "members")
    try:
        ada = product.person("Ada", "Lovelace")
        address = f"{product.url}/pin/{ada.post('Oslo, Norway')['id']}"
        for head in [Head(address), Head(f"{product.url}/pin/0123456789")]:
            assert (head.status, head.tags["og:title"]) == (200, "On The Map")
        assert Head(address, Authorization=f"Bearer {ada.token}").tags["og:title"] == "Ada Lovelace: Oslo, Norway"
    finally:
        product.end()
