// The confirmation of the redesign: the buttons changed sides and lost their ids.

import { book } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';
import { summary } from '../v1/confirm-dialog.js';

/** @type {import('../v1/booking-form.js').Dialog} */
export function confirmSheet(item, wish) {
  const sheet = /** @type {HTMLDialogElement} */ (
    h(
      'dialog',
      { class: 'q-sheet', 'aria-labelledby': 'q-sheet-title' },
      h(
        'div',
        { class: 'q-card' },
        h('header', {}, h('h2', { id: 'q-sheet-title' }, 'Please check your booking')),
        h('section', {}, summary(item, wish)),
        h(
          'footer',
          { class: 'q-foot' },
          h('button', { class: 'q-btn q-go', type: 'button', onclick: confirm }, h('b', {}, 'Confirm booking')),
          h('button', { class: 'q-btn q-plain', type: 'button', onclick: () => sheet.close() }, 'Back'),
        ),
      ),
    )
  );

  async function confirm() {
    const made = await book(wish);
    sheet.close();
    await go(`/bookings/${made.number}`);
  }

  return sheet;
}
