"""What a person cannot see or reach on the page, at any size of the window."""

from axe_playwright_python.sync_playwright import Axe

SIZES = [
    (320, 568), (390, 844), (600, 960), (768, 1024), (820, 1180), (844, 390), (1024, 768), (1280, 800), (1440, 900),
    (1920, 1080), (2560, 1440)]
LONG_NAME = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenh"
# Finds actions that leave the window, lie under another element, or are too small for a finger. The whole row of a list
# belongs to the name in it. A row may lie under "+" or the head if the user can scroll it from there, or under a toast,
# which closes by itself. The user moves the map, so only the first view must show each pin: see `hidden_pins`.
FAULTS = """() => {
  const faults = [];
  const name = (one) => one.id || one.textContent.trim().slice(0, 20) || one.className;
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`the page scrolls to ${scrollWidth}`);
  for (const view of document.querySelectorAll('main > section, .entries')) {
    if (view.scrollWidth > view.clientWidth) faults.push(`${name(view)} scrolls to ${view.scrollWidth}`);
  }
  const scrolled = (one, x, y) => {
    for (let above = one.parentElement; above; above = above.parentElement) {
      const { overflowY } = getComputedStyle(above);
      const box = above.getBoundingClientRect();
      if (overflowY !== 'visible' && (y < box.top || y >= box.bottom)) return true;
    }
    return false;
  };
  const canLeave = (row, cover) => {
    const list = row.closest('.entries, main > section');
    const [box, over] = [row, cover].map((one) => one.getBoundingClientRect());
    return box.bottom - over.top <= list.scrollHeight - list.clientHeight - list.scrollTop
      || over.bottom - box.top <= list.scrollTop;
  };
  for (const one of document.querySelectorAll('button, a[href], input, select')) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('.skip, .leaflet-marker-pane')) continue;
    const target = one.matches('.name') ? one.closest('.entry') : one;
    const { left, right, top, bottom } = one.getClientRects()[0];
    // Chromium rounds the point, and finds nothing at the window's lower edge.
    const [x, y] = [(left + right) / 2, Math.floor((top + bottom) / 2)];
    if (scrolled(one, x, y)) continue;
    const isWithin = left >= 0 && right <= innerWidth + .5 && y >= 0 && y < innerHeight;
    if (!isWithin) faults.push(`${name(one)} is at ${left}, ${top} to ${right}, ${bottom}`);
    const hit = document.elementFromPoint(x, y);
    const [row, cover] = [one.closest('.entry'), hit?.closest('#add, thead')];
    const isFree = one.contains(hit) || row && (hit?.closest('.toast') || cover && canLeave(row, cover));
    if (isWithin && !isFree) faults.push(`${name(one)} is under ${hit?.outerHTML.slice(0, 90)}`);
    const { width, height } = target.getBoundingClientRect();
    if (innerWidth <= 736 && (height < 39.5 || width < 39.5)) faults.push(`${name(one)} is ${width} by ${height}`);
  }
  return faults;
}"""
# Finds pins and clusters that are not whole in the map's part of the window, or that something else covers.
HIDDEN_PINS = """() => {
  const map = document.querySelector('#map').getBoundingClientRect();
  return [...document.querySelectorAll('#map :is(.pin, .cluster)')].filter((pin) => {
    const { left, right, top, bottom } = pin.getBoundingClientRect();
    const isWithin = left >= map.left && right <= map.right && top >= map.top && bottom <= map.bottom;
    return !isWithin || !document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest('.pin, .cluster');
  }).map((pin) => pin.getAttribute('aria-label'));
}"""


def violations(page):
    """Returns what axe finds. The page's policy forbids the styles with which axe would compare style sheets.

    An open dialog hides the rest of the page from people, and from axe. Without the details of all other results, axe
    needs half of the time.
    """
    context = "dialog[open]" if page.locator("dialog[open]").count() else None
    options = {"preload": False, "resultTypes": ["violations"]}
    found = Axe().run(page, context, options).response["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]


def hidden_pins(visitor):
    """Returns the names of the pins that a view of all pins does not show."""
    return visitor.page.evaluate(HIDDEN_PINS)


def faults(visitor, size):
    """Returns the faults of a visitor's page at a size, when the page has adapted to it."""
    page = visitor.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for _ in range(600):
        found = page.evaluate(FAULTS)
        if not found:
            break
        page.wait_for_timeout(50)
    return found
