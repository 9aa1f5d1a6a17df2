/** The width of a map in whose lower right corner no popup fits beside the buttons, in pixels. */
const narrow = 480;
/** Space between a popup and the map's edge, the buttons, and the primary action below them, in pixels. */
const [edge, buttons, action] = [16, 80, 96];
/** The part of a popup's width around its content, in pixels. */
const frame = 40;

/** Returns the space around a popup for Leaflet, which moves the map. Style sheets hide the buttons of a narrow map. */
export function popupPadding(map) {
  return {
    autoPanPaddingTopLeft: [edge, edge],
    autoPanPaddingBottomRight: map.getSize().x < narrow ? [edge, action] : [buttons, edge],
  };
}

/** Returns the options of the popup of a pin or cluster for Leaflet. */
export function popupOptions(map) {
  return { minWidth: 200, maxWidth: Math.min(280, map.getSize().x - frame - 2 * edge), ...popupPadding(map) };
}
