"""What the tests of the page share: the running product, and Debian's Chromium to look at it with."""

import os
import re

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect, sync_playwright

from product import PASSWORD, ROOT, Product


def timer(file, name):
    """A timer of the page, in milliseconds."""
    found = re.search(rf"^const {name} = ([\d_]+);$", (ROOT / "Sources/WebPage" / file).read_text(), re.MULTILINE)
    assert found, f"{file} has no {name}"
    return int(found[1])


# Draws as the whole browser does, for three quarters of its CPU time: it has no windows and menus of its own.
CHROMIUM = "/usr/bin/chromium-headless-shell"
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}
# Timers of the page: for a toast to go, for a deletion to be sent, and for the wait for a new pin to end.
TOAST_MS, UNDO_MS = timer("common/toast.js", "longMs"), timer("posts/deletion.js", "undoMs")
ARRIVAL_MS = timer("main.js", "arrivalMs")
# What a browser itself says of an answer that is no success, or of none. The tests know which they cause.
NETWORK = re.compile(r"^Failed to load resource|net::ERR_")
expect.set_options(timeout=120_000)


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A product that many tests use: each with people of its own."""
    product = Product(tmp_path_factory.mktemp("shared"))
    yield product
    product.end()


@pytest.fixture
def product(tmp_path):
    """A product of a test's own, all in one process."""
    product = Product(tmp_path)
    yield product
    product.end()


@pytest.fixture
def apart(tmp_path):
    """A product of a test's own, each role in a process that may end."""
    product = Product(tmp_path, apart=True)
    yield product
    product.end()


@pytest.fixture
def hurry():
    """Judges a duration, in seconds, where nothing else uses the machine: `make page` says so with PAGE_TIMES."""

    def judge(seconds, limit):
        if os.environ.get("PAGE_TIMES"):
            assert seconds < limit, f"{seconds:.2f} s"

    return judge


class Visitor:
    """A browser window with the page in it. Whatever it complains of fails the test."""

    def __init__(self, chromium, product, **options):
        self.product = product
        self.context = chromium.new_context(**{"viewport": DESKTOP, "locale": "en-GB", "base_url": product.url, **options})
        self.context.set_default_timeout(120_000)
        self.page = self.context.new_page()
        self.complaints = []
        self.statuses = []
        self.watch(self.page)

    def watch(self, page):
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("response", lambda answer: self.statuses.append(answer.status))

    def _hear(self, kind, text):
        if kind in ("error", "warning") and not NETWORK.search(text):
            self.complaints.append(f"{kind}: {text}")

    def unhurried(self, *timers):
        """Makes these timers of the page last ten minutes, for machines that are slower than people.

        It holds from the next page on, so call it before `open`.
        """
        self.page.add_init_script(f"""{{
          const {{ setTimeout }} = window;
          window.setTimeout = (run, ms, ...more) =>
            setTimeout(run, {list(timers)}.includes(ms) ? 600_000 : ms, ...more);
        }}""")
        return self

    def open(self, path="/"):
        self.page.goto(path)
        return self

    def sign_in(self, person):
        """As the page does it, without the page."""
        answer = self.context.request.post(
            "/v2/session", data={"email": person.email, "password": PASSWORD})
        assert answer.ok, answer.text()
        return self

    def connection(self, state):
        expect(self.page.locator("#connection")).to_have_attribute("data-state", state)
        return self

    def sign_out(self):
        self.page.locator("#account").click()
        self.page.get_by_role("button", name="Sign out").click()
        return self

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()
        return self

    def pin(self, name):
        return self.page.locator(f'.leaflet-marker-pane [aria-label^="{name}"]')

    def close(self):
        self.context.close()


@pytest.fixture
def visit(chromium):
    """Opens browsers; at the end none may have complained, and no answer may have been an error but those expected."""
    visitors = []

    def visit(product, **options):
        visitors.append(Visitor(chromium, product, **options))
        return visitors[-1]

    yield visit
    for visitor in visitors:
        visitor.close()
    assert [visitor.complaints for visitor in visitors] == [[] for _ in visitors]


@pytest.fixture
def adding(shared, visit):
    """The dialog, for a person who is signed in and has no pin yet."""
    person = shared.person()
    adding = Adding(visit(shared).sign_in(person).unhurried(ARRIVAL_MS).open().connection("live"))
    adding.person = person
    return adding
