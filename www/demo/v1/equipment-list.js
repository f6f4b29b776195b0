// The list of equipment, with search and paging.

import { findEquipment } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';

/**
 * @param {import('../shared/router.js').Place} place
 * @returns {Promise<HTMLElement>}
 */
export async function equipmentList({ query }) {
  const words = query.get('q') ?? '';
  const found = await findEquipment(words, Number(query.get('page') ?? '1'));
  return h(
    'div',
    {},
    h('h1', {}, 'Equipment'),
    searchForm(words),
    h('p', { class: 'count', role: 'status' }, `${found.total} items`),
    table(found.items),
    paging(words, found.page, found.pages),
  );
}

/** @param {string} words */
function searchForm(words) {
  const field = h('input', { id: 'search', name: 'q', type: 'search', value: words });
  return h(
    'form',
    {
      class: 'searchbar',
      role: 'search',
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void go(`/equipment?q=${encodeURIComponent(/** @type {HTMLInputElement} */ (field).value)}`);
      },
    },
    h('label', { for: 'search' }, 'Search equipment'),
    field,
    h('button', { id: 'search-go', type: 'submit' }, 'Search'),
  );
}

/** @param {import('../shared/api.js').Item[]} items */
function table(items) {
  const head = ['Name', 'Category', 'Shelf', 'Status', ''];
  return h(
    'table',
    { class: 'list' },
    h('caption', { class: 'visually-hidden' }, 'Equipment found'),
    h('thead', {}, h('tr', {}, ...head.map((text) => h(text ? 'th' : 'td', text ? { scope: 'col' } : {}, text)))),
    h('tbody', {}, ...items.map(row)),
  );
}

/** @param {import('../shared/api.js').Item} item */
function row(item) {
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, item.name),
    h('td', {}, item.category),
    h('td', {}, item.shelf),
    h('td', { class: item.available ? 'yes' : 'no' }, item.available ? 'Available' : 'On loan'),
    h(
      'td',
      {},
      h(
        'button',
        { class: 'book', type: 'button', disabled: !item.available, onclick: () => go(`/equipment/${item.id}/book`) },
        'Book',
      ),
    ),
  );
}

/**
 * @param {string} words
 * @param {number} page
 * @param {number} pages
 */
function paging(words, page, pages) {
  const link = (/** @type {string} */ text, /** @type {number} */ to) =>
    to >= 1 && to <= pages
      ? h('a', { class: 'page-link', href: `/equipment?q=${encodeURIComponent(words)}&page=${to}` }, text)
      : h('span', { class: 'page-link off', 'aria-hidden': 'true' }, text);
  return h(
    'nav',
    { class: 'paging', 'aria-label': 'Pages' },
    link('Previous page', page - 1),
    h('span', {}, `Page ${page} of ${pages}`),
    link('Next page', page + 1),
  );
}
