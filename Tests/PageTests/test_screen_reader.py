"""Tests of the paths of a person with a keyboard and a screen reader: add, edit, delete, search and share.

Each step asserts where the focus is. The accessibility tree and the announcements are what a screen reader speaks.
"""

import re

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

from conftest import ARRIVAL_MS, TOAST_MS, UNDO_MS
from product import eventually

# Records every announcement, because a later one replaces it.
ANNOUNCED = """addEventListener('DOMContentLoaded', () => {
  window.announced = [];
  const place = document.getElementById('announcements');
  new MutationObserver(() => { if (place.textContent) announced.push(place.textContent) })
    .observe(place, { childList: true });
})"""


class Reader:
    """A person who has no mouse and no screen."""

    def __init__(self, visitor):
        self.visitor, self.page = visitor, visitor.page
        self.page.add_init_script(ANNOUNCED)
        visitor.extend_timers(ARRIVAL_MS, TOAST_MS, UNDO_MS)

    def open(self, path="/"):
        self.visitor.open(path).connection("live")
        return self

    def is_at(self, role, name):
        """Expects the focus on an element."""
        focus = self.page.locator(":focus")
        expect(focus).to_have_role(role)
        expect(focus).to_have_accessible_name(name)
        return self

    def tab_to(self, role, name):
        target = self.page.get_by_role(role, name=name, exact=True).first
        for _ in range(40):
            self.page.keyboard.press("Tab")
            if target.evaluate_all("([target]) => target === document.activeElement"):
                return self
        pytest.fail(f"Tab does not reach {role} {name}")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def types(self, text):
        self.page.keyboard.type(text)
        return self

    def finds(self, role, name):
        expect(self.page.get_by_role(role, name=name, exact=True)).to_be_visible()
        return self

    def hears(self, text):
        """Expects an announcement, which may be an earlier one."""
        eventually(f"the announcement {text}", lambda: any(
            re.fullmatch(text, said) if isinstance(text, re.Pattern) else text == said
            for said in self.page.evaluate("announced")))
        return self

    def reads(self, role, snapshot):
        """Expects a part of the accessibility tree."""
        expect(self.page.get_by_role(role).last).to_match_aria_snapshot(snapshot)
        return self


@pytest.fixture
def ada(product):
    return product.person("Ada", "Lovelace")


@pytest.fixture
def reader(product, ada, visit):
    return Reader(visit(product, reduced_motion="reduce").sign_in(ada))


def test_a_pin_is_added(reader):
    reader.open().press("Tab").is_at("link", "Skip to the map").tab_to("button", "Add a pin").press("Enter")
    reader.is_at("combobox", "Where are you?").reads("dialog", """
      - dialog "Add a pin · Step 1 of 3 Where are you?":
        - heading "Where are you?" [level=2]
        - button "Close"
        - combobox "Where are you?"
        - paragraph: /A city, a region, a country or a postcode/
        - button "Find"
    """)
    reader.types("Oslo").finds("option", "Oslo, Norway").press("ArrowDown").reads("dialog", """
      - combobox "Where are you?" [expanded]: Oslo
      - listbox "Suggestions":
        - option "Oslo, Norway" [selected]
    """).is_at("combobox", "Where are you?")
    reader.press("Enter").is_at("button", "Use this place").reads("dialog", """
      - dialog "Add a pin · Step 2 of 3 Is this the place?":
        - paragraph: Oslo, Norway
        - region "Preview of your pin":
          - button /Drag the pin to the exact spot/
        - status: /use the arrow keys/
        - button "Back"
        - button "Use this place"
    """)
    reader.press("Enter").is_at("textbox", "Your link").types("example.org/ada").reads("dialog", """
      - dialog "Add a pin · Step 3 of 3 Your link":
        - paragraph: Oslo, Norway
        - textbox "Your link": example.org/ada
        - paragraph: Opens https://example.org/ada
        - button "Put me on the map"
    """)
    reader.press("Enter").is_at("group", "Ada Lovelace: Oslo, Norway").hears("You are on the map: Oslo, Norway")


def test_only_the_pins_of_others_are_announced_as_new(product, ada, reader):
    def delay(route):
        # The list brings the pin before the response does.
        response = route.fetch()
        expect(reader.page.locator(".leaflet-marker-pane [aria-label*=Lima]")).to_be_attached()
        route.fulfill(response=response)

    reader.open()
    reader.page.route("**/v2/posts", delay)
    reader.page.get_by_role("banner").get_by_role("button", name="Add a pin").click()
    Adding(reader.visitor).find("Lima, Peru").here().link("example.org/ada").submit()
    reader.hears("You are on the map: Lima, Peru")
    product.person("Grace", "Hopper").post("Oslo, Norway")
    reader.hears("New: Grace Hopper, Oslo, Norway")
    ada.request("PUT", f"/v2/posts/{ada.posts()[0]['id']}", {"place": "Quito", "link": "https://example.org/"})
    product.person("Mei", "Chen").post("Perth")
    reader.hears("New: Mei Chen, Perth")
    news = [said for said in reader.page.evaluate("announced") if said.startswith("New") or "new" in said]
    assert news == ["New: Grace Hopper, Oslo, Norway", "New: Mei Chen, Perth"]


def test_a_pin_is_edited(reader, ada):
    ada.post("Oslo, Norway", "https://example.org/old")
    reader.open("/posts").tab_to("button", "Edit Oslo, Norway").press("Enter")
    reader.is_at("combobox", "Where are you?").press("Control+a").types("Lima, Peru").press("Enter")
    reader.is_at("radio", re.compile("^Lima, ")).reads("dialog", """
      - dialog "Edit your pin · Step 2 of 3 Which one do you mean?":
        - group "Which one do you mean?":
          - radio /Lima, .*Peru city/ [checked]
    """)
    reader.press("Enter").is_at("textbox", "Your link").press("Control+a").types("javascript:alert(1)").reads("dialog", """
      - textbox "Your link" [invalid]: javascript:alert(1)
      - alert: This is not a web address. Enter one such as example.org/ada.
    """)
    reader.press("Control+a").types("example.org/new").press("Enter").is_at("group", re.compile("^Ada Lovelace: Lima, "))
    reader.hears(re.compile("Pin moved: Lima, .*")).reads("group", """
      - link "example.org":
        - /url: https://example.org/new
    """)


def test_a_pin_is_deleted_and_comes_back_by_undo(reader, ada):
    for place in ["Lima, Peru", "Oslo, Norway"]:
        ada.post(place)
    reader.open("/posts").tab_to("button", "Delete Oslo, Norway").press("Enter")
    reader.hears("“Oslo, Norway” is deleted.").is_at("button", "Delete Lima, Peru").reads("tabpanel", """
      - heading "My posts" [level=2]
      - list:
        - listitem:
          - strong: Lima, Peru
          - text: on the map
          - link "Show Lima, Peru on the map"
          - button "Edit Lima, Peru"
          - button "Delete Lima, Peru"
    """)
    expect(reader.page.get_by_role("listitem")).to_have_count(1)
    reader.tab_to("button", "Undo").press("Enter").is_at("button", "Delete Oslo, Norway")
    expect(reader.page.get_by_role("listitem")).to_have_count(2)


def test_the_table_is_searched(product, reader):
    for name, place in [("Grace", "Oslo, Norway"), ("Mei", "Lima, Peru")]:
        product.person(name, "X").post(place)
    reader.open("/table").tab_to("searchbox", "Search").types("lima").reads("tabpanel", """
      - searchbox "Search": lima
      - table "The latest posts":
        - rowgroup:
          - row "Name Place Link Age"
        - rowgroup:
          - row /Mei X Lima, Peru example.org/:
            - rowheader "Mei X"
            - cell "Lima, Peru"
            - cell "example.org"
            - cell /now|ago/
    """).types("zzz").reads("tabpanel", """
      - status:
        - paragraph: No posts match your search.
        - button "Clear search"
    """)
    reader.tab_to("button", "Clear search").press("Enter").is_at("searchbox", "Search").types("oslo")
    reader.tab_to("link", "Grace X").press("Enter").is_at("group", "Grace X: Oslo, Norway")


def test_a_pin_is_shared(reader, ada):
    ada.post("Oslo, Norway")
    reader.visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.open().tab_to("link", "Ada Lovelace").press("Enter")
    reader.is_at("group", "Ada Lovelace: Oslo, Norway").reads("group", """
      - 'group "Ada Lovelace: Oslo, Norway"':
        - strong: Ada Lovelace
        - text: Oslo, Norway
        - link "example.org":
          - /url: https://example.org/
        - time: /now|ago/
        - button "Copy link"
        - button "Edit"
        - button "Delete"
    """)
    reader.tab_to("button", "Copy link").press("Enter").hears("The link is copied. Paste it wherever you like.")
    reader.is_at("button", "Copy link")
    assert reader.page.evaluate("navigator.clipboard.readText()") == reader.page.url
