// The launcher of the redesign: the grids changed places, the tiles became cards.

import { h } from '../shared/dom.js';
import { APPLICATIONS, RECENT } from '../shared/words.js';

/** @returns {HTMLElement} */
export function home() {
  return h(
    'div',
    { class: 'q-stack' },
    h('div', { class: 'q-title' }, h('h1', {}, 'Applications')),
    h(
      'div',
      { class: 'q-columns' },
      board('everything', 'All applications', APPLICATIONS),
      board('lately', 'Recent', RECENT),
    ),
  );
}

/**
 * @param {string} id
 * @param {string} title
 * @param {typeof APPLICATIONS} applications
 */
function board(id, title, applications) {
  return h(
    'div',
    { class: 'q-card' },
    h(
      'div',
      { class: 'q-board', role: 'group', 'aria-labelledby': `q-${id}` },
      h('header', {}, h('h2', { id: `q-${id}` }, title)),
      h('div', { class: 'q-grid' }, ...applications.map(card)),
    ),
  );
}

/** @param {(typeof APPLICATIONS)[number]} application */
function card({ path, name, about, mark }) {
  return h(
    'article',
    { class: 'q-app' },
    h('div', { class: 'q-glyph', 'aria-hidden': 'true' }, mark),
    h('div', {}, h('a', { class: 'q-link', href: path }, name), h('p', {}, about)),
  );
}
