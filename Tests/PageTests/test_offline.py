"""Tests of the installed page: it opens without a connection, and an update replaces it. Uses the built program."""

import http.client
import http.server
import re
import threading
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import TOAST_MS
from product import Product, eventually

CONTROLLED = "() => navigator.serviceWorker.controller !== null"
KEPT = "() => localStorage.getItem('last-list') !== null"
VERSION = "() => document.querySelector('link[rel=icon]').href.match(/\\/page\\/([0-9a-f]{16})\\//)[1]"

NEW = "f" * 16
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


def kept_paths(visitor):
    """Returns the paths of everything that the service worker keeps."""
    return visitor.page.evaluate("""async () => {
      const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const requests = (await Promise.all(stores.map((store) => store.keys()))).flat();
      return requests.map(({ url }) => new URL(url).pathname);
    }""")


def await_new_worker(visitor):
    """Waits until the service worker of the new version has deleted the files of the old one."""
    eventually("the new version is installed", lambda: (
        visitor.page.evaluate("caches.keys()") == [f"/page/{NEW}/"]))


class Proxy(http.server.ThreadingHTTPServer):
    """A reverse proxy that can serve the page as another version, answer with an error, or hold documents back."""

    daemon_threads = True

    def __init__(self, product):
        super().__init__(("127.0.0.1", 0), ProxiedRequest)
        self.upstream = urllib.parse.urlsplit(product.url).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        # The digest of the program, and the digest that browsers see.
        self.digests = None
        self.status = None
        self.passes = threading.Event()
        self.passes.set()
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
            self.server.passes.wait(120)
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
    assert "/" in paths and any(path.endswith("/style/index.css") for path in paths), paths
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
