// The form of the redesign: groups, another order, two labels that grew.

import { oneItem } from '../shared/api.js';
import { h, select } from '../shared/dom.js';
import { DEPARTMENTS } from '../shared/words.js';
import { readWish } from '../v1/booking-form.js';
import { row } from './access.js';

/**
 * @param {import('../v1/booking-form.js').Dialog} dialog
 * @returns {import('../shared/router.js').View}
 */
export function requestForm(dialog) {
  return async ({ parameters: [id] }) => {
    const item = await oneItem(id);
    const page = h(
      'div',
      { class: 'q-stack' },
      h('div', { class: 'q-title' }, h('h1', {}, `Book ${item.name}`)),
      form(review),
    );

    /** @param {SubmitEvent} event */
    function review(event) {
      event.preventDefault();
      const opened = dialog(
        item,
        readWish(item.id, new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))),
      );
      page.append(opened);
      opened.addEventListener('close', () => opened.remove());
      opened.showModal();
    }

    return page;
  };
}

/** @param {(event: SubmitEvent) => void} review */
function form(review) {
  return h(
    'form',
    { class: 'q-card q-request', onsubmit: review },
    h(
      'div',
      { class: 'q-two' },
      h(
        'div',
        {},
        row('q-date', 'Day *', h('input', { id: 'q-date', name: 'day', type: 'date', required: true })),
        row('q-unit', 'Department *', select({ id: 'q-unit', name: 'department', required: true }, DEPARTMENTS)),
      ),
      h(
        'div',
        {},
        row('q-remark', 'Note for the desk', h('textarea', { id: 'q-remark', name: 'note', rows: '4' })),
        h(
          'label',
          { class: 'q-tick' },
          h('input', { id: 'q-tech', name: 'technician', type: 'checkbox' }),
          h('span', {}, 'Needs a technician on site'),
        ),
      ),
    ),
    h('div', { class: 'q-foot' }, h('button', { class: 'q-btn q-go', type: 'submit' }, 'Review booking details')),
  );
}
