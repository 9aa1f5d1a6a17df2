"""Fixtures of the page tests: the running services, and Debian's Chromium and Firefox."""

import os
import re

import pytest
import source
from adding_dialog import Adding
from crowd import Crowd
from playwright.sync_api import expect, sync_playwright

from product import PASSWORD, ROOT, Product


def timer(file, name):
    """Returns a timer of the page's source, in milliseconds."""
    found = re.search(rf"^const {name} = ([\d_]+);$", (ROOT / "Sources/WebPage" / file).read_text(), re.MULTILINE)
    assert found, f"{file} has no {name}"
    return int(found[1])


def extendable(file, name):
    """Returns a timer for `extend_timers`, which would also extend another timer of the same length."""
    ms = timer(file, name)
    sources = "".join(path.read_text() for path in (ROOT / "Sources/WebPage").rglob("*.js"))
    assert sources.count(f"Ms = {ms:_};") == 1, f"{name} of {file} has the length of another timer"
    return ms


# This browser has no windows and menus. It renders like the full Chromium, with three quarters of the CPU time.
CHROMIUM = "/usr/bin/chromium-headless-shell"
FIREFOX = "/usr/bin/firefox-esr"
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}
# Timers of the page: until a toast closes, until a deletion is sent, and until the wait for a new pin ends.
TOAST_MS, UNDO_MS = extendable("common/toast.js", "longMs"), extendable("posts/deletion.js", "undoMs")
ARRIVAL_MS = extendable("main.js", "arrivalMs")
# Playwright's message about a blocked service worker. Only test_offline has service workers.
BLOCKED = "Service Worker registration blocked by Playwright"
# The browser's own console messages about error responses and failed requests, which tests cause on purpose.
NETWORK = re.compile(r"^Failed to load resource|net::ERR_|CORS request did not succeed|can’t establish a connection")
expect.set_options(timeout=120_000)


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright):
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *source.ARGUMENTS])
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def firefox(playwright):
    # The channel makes Playwright speak WebDriver BiDi. Its other protocol needs a Firefox that Debian does not have.
    browser = playwright.firefox.launch(channel="moz-firefox", executable_path=FIREFOX)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def browser(chromium):
    """The browser of `visit`. A module may have another one."""
    return chromium


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Services that many tests share. Each test uses its own people."""
    product = Product(tmp_path_factory.mktemp("shared"))
    yield product
    product.end()


@pytest.fixture(scope="session")
def crowd(tmp_path_factory):
    """Services with many people and pins. A test of them changes nothing that others see."""
    crowd = Crowd(tmp_path_factory.mktemp("crowd"))
    yield crowd
    crowd.end()


@pytest.fixture
def product(tmp_path):
    """Services of one test, in one process."""
    product = Product(tmp_path)
    yield product
    product.end()


@pytest.fixture
def apart(tmp_path):
    """Services of one test, with each role in its own process, which may end."""
    product = Product(tmp_path, apart=True)
    yield product
    product.end()


@pytest.fixture
def check_duration():
    """Checks a duration in seconds, but only if PAGE_TIMES is set, as by `make page`: then the machine is idle."""

    def check(seconds, limit):
        if os.environ.get("PAGE_TIMES"):
            assert seconds < limit, f"{seconds:.2f} s"

    return check


class Visitor:
    """A browser window with the page. Any error in its console fails the test."""

    def __init__(self, browser, product, is_new=False, **options):
        """A new visitor sees the card of the first visit. Other visitors have closed it."""
        self.product = product
        self.texts = source.texts(options.get("locale", "en")[:2])
        self.context = browser.new_context(**{
            "viewport": DESKTOP, "locale": "en-GB", "base_url": product.url, "service_workers": "block", **options})
        self.context.set_default_timeout(120_000)
        # A service worker keeps the files of the built program.
        if source.IS_USED and options.get("service_workers") != "allow":
            source.serve(self.context)
        if not is_new:
            self.context.add_init_script("try { localStorage.setItem('welcome', 'closed'); } catch {}")
        self.page = self.context.new_page()
        self.errors = []
        self.statuses = []
        self.watch(self.page)

    def watch(self, page):
        page.on("console", lambda message: self._record(message.type, message.text))
        # Firefox reports a failed request as an error of the page.
        page.on("pageerror", lambda error: self._record("error", error.stack or str(error)))
        page.on("response", lambda response: self.statuses.append(response.status))

    def _record(self, kind, text):
        if kind in ("error", "warning") and text != BLOCKED and not NETWORK.search(text):
            self.errors.append(f"{kind}: {text}")

    def extend_timers(self, *timers):
        """Extends these timers of the page to ten minutes, for slow machines.

        Takes effect with the next page, so call it before `open`.
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
        """Signs in with the request that the page would send."""
        response = self.context.request.post(
            "/v2/session", data={"email": person.email, "password": PASSWORD})
        assert response.ok, response.text()
        return self

    def connection(self, state):
        expect(self.page.locator("#connection")).to_have_attribute("data-state", state)
        return self

    def sign_out(self):
        return self.menu(self.texts["sign-out"])

    def menu(self, name):
        """Chooses an entry of the menu at the end of the header."""
        self.page.locator("#account").click()
        self.page.locator("#account-menu").get_by_text(name).click()
        return self

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()
        return self

    def pin(self, name):
        return self.page.locator(f'.leaflet-marker-pane [aria-label^="{name}"]')

    def close(self):
        self.context.close()


@pytest.fixture
def visit(browser):
    """Opens browser windows. At the end of the test, no window's console may have an error or a warning."""
    visitors = []

    def visit(product, **options):
        visitors.append(Visitor(browser, product, **options))
        return visitors[-1]

    yield visit
    for visitor in visitors:
        visitor.close()
    assert [visitor.errors for visitor in visitors] == [[] for _ in visitors]


@pytest.fixture
def adding(shared, visit):
    """The dialog, for a signed-in person without a pin."""
    person = shared.person()
    adding = Adding(visit(shared).sign_in(person).extend_timers(ARRIVAL_MS).open("/posts").connection("live"))
    adding.person = person
    return adding
