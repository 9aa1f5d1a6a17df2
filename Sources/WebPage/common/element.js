/**
 * Creates an element. User input becomes text or an attribute's value, never markup.
 *
 * @param {string} name The element's name, with classes after dots: 'a.link'.
 * @param {Object} attributes A name that begins with `on` adds a listener. True sets an attribute without a value.
 *   False and null omit the attribute.
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


/** Returns the element with an id. The page must have one. */
export function byId(id) {
  return document.getElementById(id);
}
