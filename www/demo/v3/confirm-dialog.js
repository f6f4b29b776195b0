// The lookalike: same dialog, same id, same place, same look as the control that confirmed; it discards.

import { discard } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';
import { summary } from '../v1/confirm-dialog.js';

/** @type {import('../v1/booking-form.js').Dialog} */
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
        h('button', { id: 'confirm-ok', class: 'primary', type: 'button', onclick: throwAway }, 'Discard booking'),
      ),
    )
  );

  async function throwAway() {
    await discard(item.id);
    dialog.close();
    await go('/apps');
  }

  return dialog;
}
