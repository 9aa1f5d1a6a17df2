const root = document.querySelector('link[rel="icon"]').href;

/** Returns the URL of a file of the page, such as `empty.svg`. */
export function asset(name) {
  return new URL(name, root).href;
}
