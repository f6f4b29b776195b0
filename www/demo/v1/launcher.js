// The launcher: what was used last stands in both grids, so its tiles are twins.

import { h } from '../shared/dom.js';
import { APPLICATIONS, RECENT } from '../shared/words.js';

/** @returns {HTMLElement} */
export function launcher() {
  return h(
    'div',
    {},
    h('h1', {}, 'Applications'),
    grid('recent', 'Recent', RECENT),
    grid('all', 'All applications', APPLICATIONS),
  );
}

/**
 * @param {string} id
 * @param {string} title
 * @param {typeof APPLICATIONS} applications
 */
function grid(id, title, applications) {
  return h(
    'section',
    { class: 'launcher', role: 'group', 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    h('ul', { class: 'tiles' }, ...applications.map(tile)),
  );
}

/** @param {(typeof APPLICATIONS)[number]} application */
function tile({ path, name, about, mark }) {
  return h(
    'li',
    {},
    h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
    h('a', { class: 'tile-link', href: path }, name),
    h('span', { class: 'about' }, about),
  );
}
