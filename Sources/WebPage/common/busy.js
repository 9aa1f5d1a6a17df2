/** Runs an action unless it already runs, and marks the button as busy meanwhile. Returns the action's result. */
export async function busy(button, body) {
  if (button.getAttribute('aria-busy') === 'true') return undefined;
  button.setAttribute('aria-busy', 'true');
  // `disabled` would take the focus from a keyboard user.
  button.setAttribute('aria-disabled', 'true');
  try {
    return await body();
  } finally {
    button.removeAttribute('aria-busy');
    button.removeAttribute('aria-disabled');
  }
}
