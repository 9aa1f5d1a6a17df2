/**
 * Creates an element. User input becomes text or an attribute's value, never markup.
 *
 * @param {string} name The element's name, with classes after dots: 'a.link'.
 * @param {Object} attributes `on…` are listeners. True sets an attribute without a value; false and null omit it.
 * @param {...(Node|string|null)} children
 */
export function element(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}


/** Returns the page's element with an id, which must exist. */
export function byId(id) {
  return document.getElementById(id);
}
