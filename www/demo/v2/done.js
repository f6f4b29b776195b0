// The page behind a booking, redesigned.

import { oneBooking } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { departmentName } from '../shared/words.js';

/**
 * @param {import('../shared/router.js').Place} place
 * @returns {Promise<HTMLElement>}
 */
export async function done({ parameters: [number] }) {
  const booking = await oneBooking(number);
  return h(
    'div',
    { class: 'q-stack' },
    h('div', { class: 'q-title' }, h('h1', {}, 'Booking confirmed')),
    h(
      'div',
      { class: 'q-card q-next' },
      // A real navigation: the terms are a document with a policy of its own.
      h(
        'div',
        { class: 'q-foot' },
        h('a', { class: 'q-btn q-go', href: `/terms/${booking.number}`, 'data-reload': true }, 'Go to handover terms'),
      ),
      h(
        'p',
        {},
        `Number ${booking.number}: ${booking.equipment} for ${departmentName(booking.department)} on ${booking.day}.`,
      ),
    ),
  );
}
