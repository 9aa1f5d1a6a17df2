"""The page as it is in Sources/WebPage, in place of the files in the built program.

With PAGE_SOURCE=1, the tests need no new build after a change of the page. The modules and style sheets stay separate
files. Otherwise this module does what Ingest's PageFiles does.
"""

import json
import mimetypes
import os
import pathlib
import re
import urllib.parse
from html import escape

import land

from product import ROOT

FOLDER = ROOT / "Sources/WebPage"
LEAFLET = pathlib.Path("/usr/share/javascript/leaflet")
IS_USED = bool(os.environ.get("PAGE_SOURCE"))
# The browser takes a document of this module for one of the public network, which must not reach a local feed.
ARGUMENTS = ["--disable-features=LocalNetworkAccessChecks"] if IS_USED else []
# Other requests reach the server while a test waits in Python, because Playwright compares the pattern itself.
VIEWS = re.compile(r"^https?://[^/]+/(|table|posts|account|reset|confirm|pin/[^/?]+|admin)([?#].*)?$")


def language(headers):
    """Returns the language that the server would choose for a request."""
    cookie = re.search(r"language=(\w+)", headers.get("cookie", ""))
    wanted = [cookie[1]] if cookie else []
    wanted += [part.split(";")[0].split("-")[0].strip() for part in headers.get("accept-language", "").split(",")]
    return next((code for code in wanted if (FOLDER / f"texts/{code}.json").exists()), "en")


def texts(code):
    """Returns the page's texts in a language."""
    return json.loads((FOLDER / f"texts/{code}.json").read_text())


def document(name, code, root, is_members_only):
    """Returns a document in a language, with the texts that its attributes name. Only a public map preloads its list."""
    own = texts(code)
    html = (FOLDER / name).read_text().replace('<html lang="en">', f'<html lang="{code}">')
    html = html.replace('"assets/texts/en.js"', f'"assets/texts/{code}.js"')
    if is_members_only:
        html = html.replace('<link rel="preload" href="/v2/feed" as="fetch" crossorigin>\n', "")
    html = re.sub(r' data-text="([a-z.-]+)"([^>]*)>[^<]*', lambda match: f"{match[2]}>{own[match[1]]}", html)
    html = re.sub(r'data-label="([a-z.-]+)"', lambda match: f'aria-label="{own[match[1]]}"', html)
    return html.replace('"assets/', f'"{root}/')


def file(name):
    """Returns the content and the type of a file, or None."""
    if match := re.fullmatch(r"texts/(\w+)\.js", name):
        return f"globalThis.texts = {(FOLDER / f'texts/{match[1]}.json').read_text()};", "text/javascript"
    if match := re.fullmatch(r"land/(\d+)/(\d+)/(\d+)", name):
        tile = land.tile(*map(int, match.groups()))
        return tile and (tile, "application/octet-stream")
    path = LEAFLET / name.removeprefix("leaflet/") if name.startswith("leaflet/") else FOLDER / name
    if not path.is_file():
        return None
    return path.read_bytes(), mimetypes.guess_type(name)[0] or "application/octet-stream"


def serve(context):
    """Answers a browser context's requests for the page from the sources."""

    def page_file(route):
        found = file(route.request.url.split("/page/", 1)[1].split("/", 1)[1])
        if found is None:
            route.fulfill(status=404)
        else:
            route.fulfill(body=found[0], content_type=found[1])

    def view(route):
        # The built program's document has the policy, and shows whether the map is members-only.
        built = route.fetch(url=urllib.parse.urljoin(route.request.url, "/table"))
        policy = built.headers["content-security-policy"]
        name = "admin.html" if VIEWS.match(route.request.url)[1] == "admin" else "index.html"
        is_members_only = '"/v2/feed"' not in built.text()
        body = document(name, language(route.request.all_headers()), "/page/source", is_members_only)
        route.fulfill(
            headers={"content-security-policy": policy}, content_type="text/html; charset=utf-8", body=body)

    def login(route):
        # The browser would follow the provider's redirects to a view without asking these routes.
        url = escape(route.fetch().url)
        route.fulfill(content_type="text/html", body=f'<meta http-equiv="refresh" content="0; url={url}">')

    context.route(VIEWS, view)
    context.route("**/v2/login/oidc?**", login)
    context.route("**/authorize?**", login)
    context.route("**/page/*/**", page_file)
