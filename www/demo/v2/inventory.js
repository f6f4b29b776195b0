// The list of the redesign: paging above the table, columns in another order, a text field instead of a search field.

import { findEquipment } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';

/**
 * @param {import('../shared/router.js').Place} place
 * @returns {Promise<HTMLElement>}
 */
export async function inventory({ query }) {
  const words = query.get('q') ?? '';
  const found = await findEquipment(words, Number(query.get('page') ?? '1'));
  return h(
    'div',
    { class: 'q-stack' },
    h(
      'div',
      { class: 'q-title' },
      h('h1', {}, 'Equipment'),
      h('span', { class: 'q-badge', role: 'status' }, `${found.total} items`),
    ),
    h('div', { class: 'q-bar' }, pager(words, found.page, found.pages), finder(words)),
    h('div', { class: 'q-card' }, sheet(found.items)),
  );
}

/** @param {string} words */
function finder(words) {
  const field = h('input', {
    id: 'q-find',
    name: 'q',
    type: 'text',
    'aria-label': 'Search equipment',
    placeholder: 'camera, tripod, drill',
    value: words,
  });
  return h(
    'form',
    {
      class: 'q-find',
      role: 'search',
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void go(`/equipment?q=${encodeURIComponent(/** @type {HTMLInputElement} */ (field).value)}`);
      },
    },
    field,
    h('button', { class: 'q-btn', type: 'submit' }, h('span', { class: 'q-lens', 'aria-hidden': 'true' }), 'Search'),
  );
}

/** @param {import('../shared/api.js').Item[]} items */
function sheet(items) {
  const head = ['Name', 'Status', 'Shelf', 'Category', ''];
  return h(
    'div',
    { class: 'q-scroll' },
    h(
      'table',
      { class: 'q-table' },
      h('caption', { class: 'q-sr' }, 'Equipment found'),
      h('thead', {}, h('tr', {}, ...head.map((text) => h(text ? 'th' : 'td', text ? { scope: 'col' } : {}, text)))),
      h('tbody', {}, ...items.map(line)),
    ),
  );
}

/** @param {import('../shared/api.js').Item} item */
function line(item) {
  const open = () => go(`/equipment/${item.id}/book`);
  return h(
    'tr',
    { class: 'q-line' },
    h('th', { scope: 'row' }, h('div', { class: 'q-cell' }, item.name)),
    h('td', {}, h('span', { class: item.available ? 'q-on' : 'q-off' }, item.available ? 'Available' : 'On loan')),
    h('td', {}, item.shelf),
    h('td', {}, item.category),
    h(
      'td',
      {},
      h(
        'div',
        { class: 'q-cell' },
        h('button', { class: 'q-btn q-small', type: 'button', disabled: !item.available, onclick: open }, 'Book'),
      ),
    ),
  );
}

/**
 * @param {string} words
 * @param {number} page
 * @param {number} pages
 */
function pager(words, page, pages) {
  const turn = (/** @type {string} */ text, /** @type {number} */ to) =>
    h(
      'button',
      {
        class: 'q-btn q-small',
        type: 'button',
        disabled: to < 1 || to > pages,
        onclick: () => go(`/equipment?q=${encodeURIComponent(words)}&page=${to}`),
      },
      text,
    );
  return h(
    'nav',
    { class: 'q-pager', 'aria-label': 'Pages' },
    turn('Previous page', page - 1),
    turn('Next page', page + 1),
    h('span', {}, `Page ${page} of ${pages}`),
  );
}
