// Builds elements without a string of HTML anywhere: text from the server stays text.

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, unknown>} Properties
 */

/**
 * An element with attributes, listeners (`onclick: fn`) and children.
 *
 * @param {string} tag
 * @param {Properties} [properties] `true` sets an empty attribute, `false` and `null` leave it out
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * A native select with its options; the first one is chosen.
 *
 * @param {Properties} properties
 * @param {[string, string][]} options value and label
 */
export function select(properties, options) {
  return h('select', properties, ...options.map(([value, label]) => h('option', { value }, label)));
}

/**
 * A polite announcement for people who cannot see the page change.
 *
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById('announcer');
  if (region) region.textContent = text;
}
