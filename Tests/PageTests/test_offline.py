"""Tests of the installed page: it opens without a connection, and an update replaces it. Uses the built program."""

import http.client
import http.server
import re
import threading
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import TOAST_MS, timer
from product import PASSWORD, ROOT, Product, eventually

CONTROLLED = "() => navigator.serviceWorker.controller !== null"
KEPT = "() => localStorage.getItem('last-list') !== null"
VERSION = "() => document.querySelector('link[rel=icon]').href.match(/\\/page\\/([0-9a-f]{16})\\//)[1]"

NEW = "f" * 16
PATIENCE_MS = timer("sw.js", "patienceMs")
GATEWAY_PROBLEM = b'{"status":503,"code":"ingest_unavailable"}'


def install(visit, product, url=None):
    """Opens the page, and waits until it works without a connection."""
    visitor = visit(product, service_workers="allow", **({"base_url": url} if url else {}))
    visitor.extend_timers(TOAST_MS).open().connection("live")
    visitor.page.wait_for_function(CONTROLLED)
    visitor.page.wait_for_function(KEPT)
    return visitor


def rows(visitor):
    return visitor.page.locator("tbody tr")


def kept_urls(visitor):
    """Returns the URLs of everything that the service worker keeps."""
    return visitor.page.evaluate("""async () => {
      const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      return (await Promise.all(stores.map((store) => store.keys()))).flat().map(({ url }) => url);
    }""")


def kept_paths(visitor):
    return [urllib.parse.urlsplit(url).path for url in kept_urls(visitor)]


def await_new_worker(visitor):
    """Waits until the service worker of the new version has deleted the files of the old one."""
    eventually("the new version is installed", lambda: (
        visitor.page.evaluate("caches.keys()") == [f"/page/{NEW}/"]))


class Proxy(http.server.ThreadingHTTPServer):
    """A reverse proxy that can serve the page as another version, answer with an error, or hold documents back.

    It can also hide the service worker of the other version.
    """

    daemon_threads = True

    def __init__(self, product):
        super().__init__(("127.0.0.1", 0), ProxiedRequest)
        self.upstream = urllib.parse.urlsplit(product.url).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        # The digest of the program, and the digest that browsers see.
        self.digests = None
        self.status = None
        self.hides_worker = False
        self.passes = threading.Event()
        self.passes.set()
        # Paths of the documents that wait for `passes`.
        self.held = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Browsers close connections in the middle of an answer."""

    def end(self):
        self.passes.set()
        self.shutdown()
        self.server_close()


class ProxiedRequest(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path
        if self.server.digests:
            own, seen = self.server.digests
            path = path.replace(own, "0" * 16).replace(seen, own)
        if "text/html" in self.headers.get("Accept", ""):
            self.server.held.append(path)
            self.server.passes.wait(120)
            self.server.held.remove(path)
        if self.server.hides_worker and path == "/sw.js":
            self.answer(404, {}, b"")
            return
        if self.server.status:
            # The answer of a gateway without ingest.
            self.answer(self.server.status, {"Content-Type": "application/problem+json"}, GATEWAY_PROBLEM)
            return
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=120)
        try:
            upstream.request("GET", path, headers={
                **{name: value for name, value in self.headers.items() if name != "Connection"},
                "Accept-Encoding": "identity"})
            response = upstream.getresponse()
            body = response.read()
        except OSError:
            self.answer(502, {}, b"")
            return
        finally:
            upstream.close()
        if self.server.digests and not path.startswith("/page/"):
            body = body.replace(own.encode(), seen.encode())
        self.answer(response.status, dict(response.getheaders()), body)

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def proxy(product):
    proxy = Proxy(product)
    yield proxy
    proxy.end()


def test_the_page_opens_without_a_connection_with_its_last_list_and_reconnects(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = install(visit, product)
    visitor.sign_in(ada)
    product.ingest.kill()
    visitor.open("/table").connection("offline")
    expect(visitor.page.locator("#connection")).to_have_text(re.compile(r"^Offline · list of \d+:\d\d"))
    expect(rows(visitor)).to_have_count(1)
    expect(rows(visitor)).to_contain_text("Oslo")
    product.ingest.start()
    visitor.connection("live")
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")
    ada.post("Lima, Peru")
    expect(rows(visitor)).to_have_count(2)


def test_the_service_worker_keeps_files_of_the_page_and_no_answer_of_the_api(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = install(visit, product)
    paths = kept_paths(visitor)
    for name in ["/", "/style/index.css", "/land/0/0/0", "/names.json"]:
        assert any(path.endswith(name) for path in paths), (name, paths)
    assert [path for path in paths if path != "/" and not path.startswith("/page/")] == []


def test_the_page_opens_while_a_gateway_has_no_ingest(product, proxy, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = install(visit, product, proxy.url)
    proxy.status = 503
    visitor.open("/table")
    expect(rows(visitor)).to_have_count(1)
    proxy.status = None
    visitor.connection("live")


def test_a_slow_server_does_not_delay_the_page(product, proxy, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = install(visit, product, proxy.url)
    proxy.passes.clear()
    visitor.open("/table").connection("live")
    expect(rows(visitor)).to_have_count(1)


def test_the_last_list_shows_while_the_server_does_not_answer(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = visit(product).open().connection("live")
    page = visitor.page
    page.wait_for_function(KEPT)
    # Otherwise the list could show because a request has timed out.
    page.add_init_script("AbortSignal.timeout = () => new AbortController().signal;")
    for path in ["page", "feed", "feed/stream*"]:
        page.route(f"**/v2/{path}", lambda route: None)
    # The document is complete only when the server has answered.
    page.goto("/table", wait_until="commit")
    visitor.connection("offline")
    expect(page.locator("#connection")).to_have_text(re.compile(r"^Offline · list of \d+:\d\d"))
    expect(rows(visitor)).to_have_count(1)
    expect(rows(visitor)).to_contain_text("Oslo")
    # This lets the held requests continue.
    page.unroute_all()
    visitor.connection("live")


def test_an_edit_survives_a_reload_whose_answer_is_late(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).open("/posts").connection("live")
    page = visitor.page
    page.wait_for_function(KEPT)
    page.get_by_role("button", name="Edit Oslo, Norway").click()
    page.get_by_role("combobox").last.fill("Lima")
    page.route("**/v2/page", lambda route: None)
    page.goto("/posts", wait_until="commit")
    visitor.connection("offline")
    expect(page.get_by_role("button", name="Sign in").first).to_be_visible()
    # The page asks again, and learns who the user is.
    page.unroute_all()
    expect(page.get_by_role("dialog")).to_contain_text("Edit your pin")
    expect(page.get_by_role("combobox").last).to_have_value("Lima")


def test_a_slow_server_with_a_new_version_opens_the_old_page_once_and_offers_a_reload(product, proxy, visit):
    visitor = install(visit, product, proxy.url)
    page = visitor.page
    own = page.evaluate(VERSION)
    proxy.digests = (own, NEW)
    # Only the answer to the navigation can then reveal the new version.
    proxy.hides_worker = True
    proxy.passes.clear()
    visitor.open("/table").connection("live")
    assert page.evaluate(VERSION) == own
    expect(page.locator("#toasts")).not_to_contain_text("new version")
    proxy.passes.set()
    expect(page.locator("#toasts")).to_contain_text("On The Map has a new version.")
    proxy.passes.clear()
    page.locator("#toasts").get_by_role("button", name="Reload").click(no_wait_after=True)
    # The server is slow again, and the service worker has no other document.
    eventually("the proxy holds the reload", lambda: proxy.held == ["/table"])
    page.wait_for_timeout(PATIENCE_MS + 1_000)
    proxy.passes.set()
    page.wait_for_function(f"{VERSION[6:]} === '{NEW}'")
    visitor.connection("live")


def test_every_view_opens_without_a_connection_in_the_language_chosen_last(product, visit):
    post = product.person("Ada").post("Oslo, Norway")
    visitor = install(visit, product).open("/table").connection("live")
    page = visitor.page
    page.locator("#account").click()
    page.locator("#language").select_option("de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    visitor.connection("live")
    eventually("the German page is kept", lambda: page.evaluate(
        "async () => (await caches.match('/', { ignoreVary: true })).headers.get('Content-Language') === 'de'"))
    product.ingest.kill()
    for path in ["/", "/table", "/posts", "/account", f"/pin/{post['id']}"]:
        visitor.open(path).connection("offline")
        expect(page.get_by_role("tab", name="Tabelle")).to_be_visible()


def test_an_update_shows_at_the_next_navigation_and_stays_without_a_connection(product, proxy, visit):
    visitor = install(visit, product, proxy.url)
    own = visitor.page.evaluate(VERSION)
    proxy.digests = (own, NEW)
    visitor.open().connection("live")
    assert visitor.page.evaluate(VERSION) == NEW
    await_new_worker(visitor)
    assert [path for path in kept_paths(visitor) if path != "/" and not path.startswith(f"/page/{NEW}/")] == []
    proxy.status = 503
    visitor.open().connection("offline")
    assert visitor.page.evaluate(VERSION) == NEW
    expect(visitor.page.locator("#toasts")).not_to_contain_text("new version")


def test_an_open_page_offers_a_reload_after_an_update_when_no_dialog_is_open(product, proxy, visit):
    visitor = install(visit, product, proxy.url)
    page = visitor.page
    page.get_by_role("button", name="Add a pin").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    product.ingest.kill()
    visitor.connection("offline")
    proxy.digests = (page.evaluate(VERSION), NEW)
    product.ingest.start()
    visitor.connection("live")
    await_new_worker(visitor)
    expect(page.locator("#toasts")).not_to_contain_text("new version")
    page.keyboard.press("Escape")
    expect(page.locator("#toasts")).to_contain_text("On The Map has a new version.")
    page.locator("#toasts").get_by_role("button", name="Reload").click()
    page.wait_for_function(f"{VERSION[6:]} === '{NEW}'")
    visitor.connection("live")


def test_a_sign_out_deletes_the_last_list(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = install(visit, product)
    visitor.sign_in(ada).open().connection("live")
    visitor.sign_out()
    expect(visitor.page.locator("#sign-in")).to_be_visible()
    product.ingest.kill()
    visitor.open("/table").connection("offline")
    expect(visitor.page.locator("#connection")).to_have_text("Offline")
    assert "Oslo" not in visitor.page.content()
    assert not visitor.page.evaluate(KEPT)


@pytest.mark.parametrize("end", ["a sign-out", "a members-only map"])
def test_another_open_tab_does_not_keep_the_list_after(end, product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(product).sign_in(ada).open("/table").connection("live")
    other = visitor.context.new_page()
    visitor.watch(other)
    other.goto("/table")
    expect(other.locator("tbody tr")).to_have_count(1)
    visitor.page.wait_for_function(KEPT)
    if end == "a sign-out":
        visitor.sign_out()
        expect(visitor.page.locator("#sign-in")).to_be_visible()
    else:
        setting = product.request("GET", "/v2/page")
        visitor.page.route("**/v2/page", lambda route: route.fulfill(json=setting | {"mapAccess": "members"}))
        visitor.open().connection("members-only")
    visitor.page.wait_for_function("() => localStorage.getItem('last-list') === null")
    # A page saves its list before it closes.
    other.goto("about:blank")
    assert not visitor.page.evaluate(KEPT)


def test_a_members_only_map_keeps_no_list(tmp_path, visit):
    product = Product(tmp_path, "--map-access", "members")
    try:
        ada = product.person("Ada")
        ada.post("Oslo, Norway")
        visitor = visit(product, service_workers="allow").sign_in(ada).open("/table").connection("live")
        expect(rows(visitor)).to_have_count(1)
        visitor.page.wait_for_function(CONTROLLED)
        product.ingest.kill()
        visitor.open("/table").connection("offline")
        assert "Oslo" not in visitor.page.content()
        assert not visitor.page.evaluate(KEPT)
        product.ingest.start()
        visitor.connection("live")
        expect(rows(visitor)).to_have_count(1)
    finally:
        product.end()


def test_a_map_that_became_members_only_during_an_outage_forgets_its_list_and_opens_for_members(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = install(visit, product)
    product.ingest.kill()
    visitor.open("/table").connection("offline")
    expect(rows(visitor)).to_have_count(1)
    product.ingest.arguments += ["--map-access", "members"]
    product.ingest.start()
    visitor.connection("members-only")
    page = visitor.page
    expect(rows(visitor)).to_have_count(0)
    page.wait_for_function("() => localStorage.getItem('last-list') === null")
    page.locator("#enter").click()
    page.get_by_label("Email address").fill(ada.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    visitor.connection("live")
    expect(rows(visitor)).to_have_count(1)


class TileServer(http.server.BaseHTTPRequestHandler):
    """A server of raster tiles, which permits no other site to read them."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write((ROOT / "Sources/WebPage/icon-192.png").read_bytes())

    def log_message(self, *_):
        pass


def test_the_service_worker_leaves_the_tiles_of_another_server_alone(tmp_path, shared, visit):
    tiles = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TileServer)
    threading.Thread(target=tiles.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{tiles.server_port}"
    digest = visit(shared, service_workers="allow").open().page.evaluate(VERSION)
    # On its own server, the service worker would keep files with such a path.
    product = Product(tmp_path, "--tiles", f"{origin}/page/{digest}/{{z}}/{{x}}/{{y}}.png", "--tiles-attribution", "Us")
    try:
        visitor = install(visit, product).open().connection("live")
        shown = visitor.page.locator("#map img.leaflet-tile-loaded")
        expect(shown.first).to_be_visible()
        assert [url for url in kept_urls(visitor) if url.startswith(origin)] == []
        product.ingest.kill()
        visitor.open().connection("offline")
        expect(shown.first).to_be_visible()
        assert shown.first.evaluate("(tile) => tile.naturalWidth") == 192
    finally:
        product.end()
        tiles.shutdown()
        tiles.server_close()


def test_the_page_is_installable(shared, visit):
    page = visit(shared, service_workers="allow").open().page
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert manifest["errors"] == []
    icons = page.request.get("/manifest.webmanifest").json()["icons"]
    for icon in icons:
        width = page.evaluate("""async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          return image.naturalWidth;
        }""", icon["src"])
        assert icon["sizes"] in ("any", f"{width}x{width}")
    assert {icon["sizes"] for icon in icons} >= {"192x192", "512x512"}
    assert any(icon.get("purpose") == "maskable" for icon in icons)
    colours = page.eval_on_selector_all("meta[name=theme-color]", "(found) => found.map((one) => one.content)")
    assert len(colours) == 2
