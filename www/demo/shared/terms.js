// The page of the handover terms: a document of its own, under a policy that lets in nothing but our own files.

import { acceptTerms } from './api.js';
import { h } from './dom.js';
import { keepJournal } from './journal.js';

keepJournal();

const number = location.pathname.split('/').pop() ?? '';
const form = /** @type {HTMLFormElement} */ (document.querySelector('[data-terms]'));
const problem = /** @type {HTMLElement} */ (document.querySelector('[data-problem]'));

// Without this script the button would send the form the browser's way: it stands disabled until we are here.
const accept = /** @type {HTMLButtonElement} */ (form.querySelector('button[type="submit"]'));
accept.disabled = false;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const booking = await acceptTerms(number);
    form.replaceWith(
      h(
        'section',
        { class: form.className },
        h('h1', {}, 'All set'),
        h('p', { role: 'status' }, `The terms are accepted. ${booking.equipment} waits for you at the desk.`),
        h('a', { href: '/apps' }, 'Back to the applications'),
      ),
    );
  } catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error);
  }
});
