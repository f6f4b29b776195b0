// The last question before a booking is made.

import { book } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';
import { departmentName } from '../shared/words.js';

/** @type {import('./booking-form.js').Dialog} */
export function confirmDialog(item, wish) {
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      'dialog',
      { class: 'card', 'aria-labelledby': 'confirm-title' },
      h('h2', { id: 'confirm-title' }, 'Please check your booking'),
      summary(item, wish),
      h(
        'div',
        { class: 'actions' },
        h('button', { id: 'confirm-back', type: 'button', onclick: () => dialog.close() }, 'Back'),
        h('button', { id: 'confirm-ok', class: 'primary', type: 'button', onclick: confirm }, 'Confirm booking'),
      ),
    )
  );

  async function confirm() {
    const made = await book(wish);
    dialog.close();
    await go(`/bookings/${made.number}`);
  }

  return dialog;
}

/**
 * @param {import('../shared/api.js').Item} item
 * @param {import('./booking-form.js').Wish} wish
 */
export function summary(item, wish) {
  /** @type {[string, string][]} */
  const lines = [
    ['Equipment', item.name],
    ['Department', departmentName(wish.department)],
    ['Day', wish.day],
    ['Technician', wish.technician ? 'Yes' : 'No'],
  ];
  return h('dl', { class: 'summary' }, ...lines.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]));
}
