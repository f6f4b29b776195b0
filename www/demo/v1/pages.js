// The smaller pages.

import { bookings, oneBooking } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { departmentName, HOURS, PEOPLE } from '../shared/words.js';

/**
 * @param {import('../shared/router.js').Place} place
 * @returns {Promise<HTMLElement>}
 */
export async function bookingDone({ parameters: [number] }) {
  const booking = await oneBooking(number);
  return h(
    'div',
    { class: 'card' },
    h('h1', {}, 'Booking confirmed'),
    h(
      'p',
      { id: 'booking-number' },
      `Number ${booking.number}: ${booking.equipment} for ${departmentName(booking.department)} on ${booking.day}.`,
    ),
    h('p', {}, 'One thing is left: the terms of the handover.'),
    // The terms are a document of their own with a strict policy: a real navigation.
    h(
      'a',
      { id: 'to-terms', class: 'primary', href: `/terms/${booking.number}`, 'data-reload': true },
      'Go to handover terms',
    ),
  );
}

/** @returns {Promise<HTMLElement>} */
export async function bookingList() {
  const all = await bookings();
  return h(
    'div',
    {},
    h('h1', {}, 'Bookings'),
    all.length === 0
      ? h('p', {}, 'Nothing is booked yet.')
      : h('ul', { class: 'lines' }, ...all.map((one) => h('li', {}, `${one.number}: ${one.equipment}, ${one.day}`))),
  );
}

/** @returns {HTMLElement} */
export function hours() {
  return h(
    'div',
    {},
    h('h1', {}, 'Opening hours'),
    h('dl', { class: 'summary' }, ...HOURS.flatMap(([day, time]) => [h('dt', {}, day), h('dd', {}, time)])),
  );
}

/** @returns {HTMLElement} */
export function people() {
  return h(
    'div',
    {},
    h('h1', {}, 'People'),
    h('ul', { class: 'lines' }, ...PEOPLE.map((one) => h('li', {}, one.join(', ')))),
  );
}

/** @returns {HTMLElement} */
export function missing() {
  return h(
    'div',
    {},
    h('h1', {}, 'Not found'),
    h('p', {}, 'There is no such page. '),
    h('a', { href: '/apps' }, 'Back to the applications'),
  );
}
