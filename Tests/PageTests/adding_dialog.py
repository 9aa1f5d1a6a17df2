"""A driver of the dialog that puts a person on the map."""

import re

from playwright.sync_api import expect


class Adding:
    """The dialog, operated as a person operates it."""

    def __init__(self, visitor):
        self.visitor, self.page = visitor, visitor.page
        self.dialog = self.page.locator("dialog.adding")

    def begin(self):
        self.page.get_by_role("banner").get_by_role("button", name="Add a pin").click()
        expect(self.dialog).to_be_visible()
        return self

    def find(self, place):
        self.dialog.get_by_role("combobox").fill(place)
        self.dialog.get_by_role("button", name="Find").click()
        return self

    def here(self):
        self.dialog.get_by_role("button", name="Use this place").click()
        return self

    def link(self, link):
        self.dialog.get_by_label("Your link").fill(link)
        return self

    def submit(self):
        self.dialog.get_by_role("button", name=re.compile("Put me on the map|Save")).click()
        return self

    def step(self, number):
        expect(self.dialog.locator(".kicker")).to_contain_text(f"Step {number} of 3")
        return self

    def asks(self, question):
        expect(self.dialog.get_by_role("heading")).to_have_text(question)
        return self

    def place_yourself(self, place):
        """Types an unknown place, and goes on to the map."""
        self.find(place)
        self.dialog.get_by_role("button", name="Place the pin yourself").click()
        return self

    @property
    def pin(self):
        return self.dialog.locator(".preview-map .pin")

    def trouble(self, text):
        expect(self.dialog.get_by_text(text)).to_be_visible()
        return self

    def notice(self, *lines):
        """Expects a notice with these lines. Expects no notice if there are no lines."""
        expect(self.dialog.locator(".notice p")).to_have_text(list(lines))
        return self
