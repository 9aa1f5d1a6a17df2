"""What a person cannot see or reach on the page, at any size of the window."""

from axe_playwright_python.sync_playwright import Axe

SIZES = [
    (320, 568), (390, 844), (600, 960), (768, 1024), (820, 1180), (844, 390), (1024, 768), (1280, 800), (1440, 900),
    (1920, 1080), (2560, 1440)]
LONG_NAME = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenh"
# Finds actions that leave the window, lie under another element, or are too small for a finger. A pin may lie under
# another pin. The whole row of a list belongs to the name in it.
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
      if (overflowY !== 'visible' && (y < box.top || y > box.bottom)) return true;
    }
    return false;
  };
  for (const one of document.querySelectorAll('button, a[href], input, select')) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('.skip, .leaflet-marker-pane')) continue;
    const target = one.matches('.name') ? one.closest('.entry') : one;
    const { left, right, top, bottom } = one.getClientRects()[0];
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (scrolled(one, x, y)) continue;
    const isWithin = left >= 0 && right <= innerWidth + .5 && y >= 0 && y <= innerHeight;
    if (!isWithin) faults.push(`${name(one)} is at ${left}, ${top} to ${right}, ${bottom}`);
    const hit = document.elementFromPoint(x, y);
    const isCard = hit?.closest('#add, .toasts, thead') && one.closest('.entry');
    if (isWithin && !one.contains(hit) && !isCard) faults.push(`${name(one)} is under ${hit?.outerHTML.slice(0, 90)}`);
    const { width, height } = target.getBoundingClientRect();
    if (innerWidth <= 736 && (height < 39.5 || width < 39.5)) faults.push(`${name(one)} is ${width} by ${height}`);
  }
  return faults;
}"""


def violations(page):
    """Returns what axe finds. The page's policy forbids the styles with which axe would compare style sheets."""
    found = Axe().run(page, options={"preload": False}).response["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]


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
