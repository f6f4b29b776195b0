// The form of a booking. The dialog that confirms it is given from outside: builds differ in it.

import { oneItem } from '../shared/api.js';
import { h, select } from '../shared/dom.js';
import { DEPARTMENTS } from '../shared/words.js';

/**
 * @typedef {{ equipment: string, department: string, day: string, technician: boolean, note: string }} Wish
 * @typedef {(item: import('../shared/api.js').Item, wish: Wish) => HTMLDialogElement} Dialog
 */

/**
 * @param {Dialog} dialog
 * @returns {import('../shared/router.js').View}
 */
export function bookingForm(dialog) {
  return async ({ parameters: [id] }) => {
    const item = await oneItem(id);
    const page = h('div', {}, h('h1', {}, `Book ${item.name}`), form());

    function form() {
      return h(
        'form',
        { id: 'booking-form', class: 'card', onsubmit: review },
        field(
          'department',
          'Department',
          select({ id: 'department', name: 'department', required: true }, DEPARTMENTS),
        ),
        field('day', 'Day', h('input', { id: 'day', name: 'day', type: 'date', required: true })),
        h(
          'div',
          { class: 'check' },
          h('input', { id: 'technician', name: 'technician', type: 'checkbox' }),
          h('label', { for: 'technician' }, 'Needs a technician'),
        ),
        field('note', 'Note for the desk', h('textarea', { id: 'note', name: 'note', rows: '3' })),
        h('button', { id: 'review', class: 'primary', type: 'submit' }, 'Review booking'),
      );
    }

    /** @param {SubmitEvent} event */
    function review(event) {
      event.preventDefault();
      const data = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
      const opened = dialog(item, readWish(item.id, data));
      page.append(opened);
      opened.addEventListener('close', () => opened.remove());
      opened.showModal();
    }

    return page;
  };
}

/**
 * @param {string} equipment
 * @param {FormData} data
 * @returns {Wish}
 */
export function readWish(equipment, data) {
  const text = (/** @type {string} */ key) => String(data.get(key) ?? '');
  return {
    equipment,
    department: text('department'),
    day: text('day'),
    technician: data.has('technician'),
    note: text('note'),
  };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {HTMLElement} control
 */
function field(id, label, control) {
  return h('div', { class: 'field' }, h('label', { for: id }, label), control);
}
