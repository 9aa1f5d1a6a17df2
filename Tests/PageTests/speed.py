"""Measures how fast the page loads and how smooth it stays. Prints the medians beside their limits.

    python speed.py [--against BUILD] [--check] [--runs RUNS]

BUILD is a program, or a commit that the script builds. Both builds are measured in one run, in the order ABBA, so that
a change of the machine's speed meets both. Each load has an empty cache. Each build has 100 posts on a public map. The
machine must do nothing else meanwhile.
"""

import argparse
import contextlib
import itertools
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from crowd import PEOPLE, PLACES
from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, PHONE
from product import ROOT, Product, eventually

DESKTOP = {"width": 1440, "height": 900}
# The preset "Slow 4G" of Chrome's developer tools: 1.6 Mbit/s down, 750 kbit/s up and 150 ms per round trip. Like the
# preset, this takes 90 % of the throughput. Chrome delays requests, not packets, so 3.75 round trips stand for the
# handshake and for TCP's slow start.
SLOW_4G = {
    "offline": False, "latency": 150 * 3.75, "downloadThroughput": 0.9 * 1_600_000 / 8,
    "uploadThroughput": 0.9 * 750_000 / 8}
SLOW_CPU = 4
CHANGES_PER_MINUTE = 1_000
# The duration of the stream of changes, in seconds.
STREAM_S = 20
# Of a person's latest posts, this one is published, so that it can be edited.
SETTLED = 20
# A load has ended when no request has been open for this time, in milliseconds.
QUIET_MS = 500

# The figures by profile, with units and limits.
FIGURES = {
    "desktop": {
        "first contentful paint": ("ms", 300), "first pin": ("ms", 600), "live": ("ms", None), "requests": ("", 15),
        "compressed": ("KB", 250)},
    "slow 4G": {
        "first contentful paint": ("ms", None), "first pin": ("ms", 3_000), "live": ("ms", None), "requests": ("", 15),
        "compressed": ("KB", 250)},
    "1,000 changes/min": {"tasks above 50 ms": ("", 0), "longest of them": ("ms", 0)},
}

# Records the first frames with a pin and with a live connection, and the long tasks.
OBSERVER = """
  let finish;
  const done = new Promise((resolve, reject) => {
    finish = resolve;
    setTimeout(reject, 120_000, new Error('no live map with a pin after two minutes'));
  });
  window.speed = { tasks: [], done };
  new PerformanceObserver((list) => window.speed.tasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: 'longtask', buffered: true });
  const marks = { 'first pin': '.leaflet-marker-pane > *', live: '#connection[data-state=live]' };
  const observer = new MutationObserver(() => {
    for (const [mark, selector] of Object.entries(marks)) {
      if (!document.querySelector(selector)?.checkVisibility({ opacityProperty: true })) continue;
      delete marks[mark];
      // The frame is on the screen after the task that follows its callbacks.
      requestAnimationFrame(() => setTimeout(() => {
        window.speed[mark] = performance.now();
        if ('first pin' in window.speed && 'live' in window.speed) finish();
      }));
    }
    if (!Object.keys(marks).length) observer.disconnect();
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true });"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


class Traffic:
    """The requests of a page and their compressed sizes with headers, without the stream of changes.

    A service worker's own requests are not included.
    """

    def __init__(self, session):
        self.open, self.sizes, self.changed = set(), {}, time.monotonic()
        session.on("Network.requestWillBeSent", self._begin)
        session.on("Network.loadingFinished", lambda event: self._end(event, event["encodedDataLength"]))
        session.on("Network.loadingFailed", lambda event: self._end(event, 0))
        session.send("Network.enable")

    def _begin(self, event):
        if event.get("type") != "EventSource" and not event["request"]["url"].startswith("data:"):
            self.open.add(event["requestId"])
            self.changed = time.monotonic()

    def _end(self, event, size):
        if event["requestId"] in self.open:
            self.open.remove(event["requestId"])
            self.sizes[event["requestId"]] = size
            self.changed = time.monotonic()

    def wait(self, page):
        """Waits until the load has ended."""
        while self.open or time.monotonic() - self.changed < QUIET_MS / 1_000:
            page.wait_for_timeout(50)


@contextlib.contextmanager
def opened(chromium, product, size, conditions=None, cpu=1):
    """Loads the page in a new context until it is live. Yields the page and its figures."""
    context = chromium.new_context(viewport=size, locale="en-GB", base_url=product.url)
    try:
        page = context.new_page()
        page.add_init_script(OBSERVER)
        session = context.new_cdp_session(page)
        traffic = Traffic(session)
        if conditions:
            session.send("Network.emulateNetworkConditions", conditions)
        session.send("Emulation.setCPUThrottlingRate", {"rate": cpu})
        page.goto("/", wait_until="commit")
        page.evaluate("window.speed.done")
        traffic.wait(page)
        speed = page.evaluate("window.speed")
        yield page, {
            "first contentful paint": page.evaluate(PAINT), "first pin": speed["first pin"], "live": speed["live"],
            "requests": len(traffic.sizes), "compressed": sum(traffic.sizes.values()) / 1_000}
    finally:
        context.close()


def load_on_desktop(chromium, product):
    with opened(chromium, product, DESKTOP) as (_, figures):
        return figures


def load_on_slow_4g(chromium, product):
    with opened(chromium, product, PHONE, SLOW_4G, SLOW_CPU) as (_, figures):
        return figures


def stream(chromium, product):
    """Adds and edits posts at a steady rate while the map is open."""
    person = product.person("Stream")
    count = CHANGES_PER_MINUTE * STREAM_S // 60
    with opened(chromium, product, DESKTOP) as (page, _):
        page.evaluate("() => { window.speed.tasks = [] }")
        begun, added = time.monotonic(), []
        for number in range(count):
            body = {"place": PLACES[number % len(PLACES)], "link": f"https://example.org/{number}"}
            if number % 2 and len(added) >= SETTLED:
                person.request("PUT", f"/v2/posts/{added[-SETTLED]}", body)
            else:
                added.append(person.request("POST", "/v2/posts", body)["id"])
            time.sleep(max(0, begun + (number + 1) * STREAM_S / count - time.monotonic()))
        took = time.monotonic() - begun
        assert took < 1.1 * STREAM_S, f"{count} changes took {took:.1f} s: the machine is too slow"
        product.person("Last").post("Oslo")
        page.locator("#announcements", has_text="Last").wait_for(state="attached", timeout=60_000)
        assert page.locator("#connection").get_attribute("data-state") == "live"
        tasks = page.evaluate("window.speed.tasks")
    return {"tasks above 50 ms": len(tasks), "longest of them": max(tasks, default=0)}


def fill(product):
    """Adds 100 posts of ten people all over the world."""
    people = [product.person(*name) for name in PEOPLE]
    for number, place in zip(range(100), itertools.cycle(PLACES)):
        body = {"place": place, "link": f"https://example.org/{number}"}
        people[number % len(people)].request("POST", "/v2/posts", body)
    eventually("all posts are published", lambda: len(product.request("GET", "/v2/feed")["entries"]) == 100)


@contextlib.contextmanager
def built(build):
    """Yields the program of a build: a path, or a commit that is built in a worktree of its own."""
    if pathlib.Path(build).is_file():
        yield pathlib.Path(build).resolve()
        return
    tree = ROOT / ".build/speed"
    git = ["git", "-C", ROOT, "worktree"]
    subprocess.run([*git, "add", "--quiet", "--force", "--detach", tree, build], check=True)
    try:
        program, gazetteer = ".build/release/onthemap", ".build/release/gazetteer.otm"
        subprocess.run(["make", "-C", tree, program, gazetteer], check=True, stdout=sys.stderr)
        yield tree / program
    finally:
        subprocess.run([*git, "remove", "--force", tree], check=True)


def measure(products, runs):
    """Returns the medians by build, profile and figure."""
    profiles = dict(zip(FIGURES, [load_on_desktop, load_on_slow_4g, stream]))
    medians = {build: {} for build in products}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for profile, run in profiles.items():
            results = {build: [] for build in products}
            for number in range(runs):
                for build in list(products)[::-1 if number % 2 else 1]:
                    results[build].append(run(chromium, products[build]))
            for build, figures in results.items():
                medians[build][profile] = {
                    name: statistics.median(figure[name] for figure in figures) for name in FIGURES[profile]}
        chromium.close()
    return medians


def report(medians, runs):
    """Prints the table. Returns true if this tree exceeds no limit."""
    [*_, tree] = medians
    is_good = True
    print(f"Medians of {runs}\n")
    print(f"{'':44}{'limit':>10}" + "".join(f"{build:>16}" for build in medians))
    for profile, figures in FIGURES.items():
        for name, (unit, limit) in figures.items():
            is_over = limit is not None and medians[tree][profile][name] > limit
            is_good = is_good and not is_over
            shown = "" if limit is None else f"{limit:,} {unit}".strip()
            values = [f"{medians[build][profile][name]:,.0f} {unit}".strip() for build in medians]
            columns = "".join(f"{value:>16}" for value in values)
            print(f"{f'{profile}: {name}':44}{shown:>10}{columns}{'  *' if is_over else ''}")
    if not is_good:
        print("\n* above its limit")
    return is_good


def main():
    parser = argparse.ArgumentParser(description="Measures how fast the page loads and how smooth it stays.")
    parser.add_argument("--against", metavar="BUILD", help="Program or commit to compare with.")
    parser.add_argument("--build", default=ROOT / ".build/release/onthemap", help="Program to measure.")
    parser.add_argument("--check", action="store_true", help="Exit with status 1 if a limit is exceeded.")
    parser.add_argument("--runs", type=int, default=5, help="Number of runs of each figure.")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        builds = {options.against[:12]: stack.enter_context(built(options.against))} if options.against else {}
        builds["this tree"] = pathlib.Path(options.build).resolve()
        products = {}
        for name, program in builds.items():
            products[name] = Product(stack.enter_context(tempfile.TemporaryDirectory()), binary=program)
            stack.callback(products[name].end)
            fill(products[name])
        is_good = report(measure(products, options.runs), options.runs)
    return 1 if options.check and not is_good else 0


if __name__ == "__main__":
    sys.exit(main())
