/**
 * Makes an element. What people have written goes in as text or as an attribute's value, never as markup.
 *
 * @param {string} name of the element, with classes after dots: 'a.link'
 * @param {Object} attributes `on…` are listeners; true is an attribute without a value; false and null leave it out
 * @param {...(Node|string|null)} children
 */
export function element(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}


/** The element of the page with an id; the page is made so that it is there. */
export function byId(id) {
  return document.getElementById(id);
}
