/**
 * Runs something that takes a while, and lets nobody start it again meanwhile: the button shows that it goes on.
 * Returns what it returns.
 */
export async function busy(button, body) {
  if (button.getAttribute('aria-busy') === 'true') return undefined;
  button.setAttribute('aria-busy', 'true');
  // Not `disabled`: that would take the focus away from whoever pressed it by keyboard.
  button.setAttribute('aria-disabled', 'true');
  try {
    return await body();
  } finally {
    button.removeAttribute('aria-busy');
    button.removeAttribute('aria-disabled');
  }
}
