// Sign-in of the redesign: other ids, labels with a mark, a reveal button beside the password.

import { signIn } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';

/** @returns {HTMLElement} */
export function access() {
  const problem = h('div', { role: 'alert', class: 'q-alert' });
  const password = /** @type {HTMLInputElement} */ (
    h('input', { id: 'q-secret', name: 'secret', type: 'password', autocomplete: 'current-password', required: true })
  );
  const form = h(
    'form',
    { class: 'q-card q-access', onsubmit: submit },
    h('div', { class: 'q-hero' }, h('h1', {}, 'Sign in to Quayside'), h('p', {}, 'The lending desk.')),
    row(
      'q-mail',
      'Email *',
      h('input', { id: 'q-mail', name: 'mail', type: 'email', autocomplete: 'username', required: true }),
    ),
    row(
      'q-secret',
      'Password *',
      h(
        'div',
        { class: 'q-joined' },
        password,
        h('button', { class: 'q-btn', type: 'button', onclick: reveal }, 'Show'),
      ),
    ),
    problem,
    h('div', { class: 'q-foot' }, h('button', { class: 'q-btn q-go', type: 'submit' }, h('span', {}, 'Sign in'))),
  );

  function reveal() {
    password.type = password.type === 'password' ? 'text' : 'password';
  }

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (form));
    try {
      await signIn(String(data.get('mail')), String(data.get('secret')));
      await go('/apps');
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  return h('div', { class: 'q-center' }, form);
}

/**
 * A labelled row of a form.
 *
 * @param {string} id
 * @param {string} label
 * @param {HTMLElement} control
 */
export function row(id, label, control) {
  return h(
    'div',
    { class: 'q-row' },
    h('div', { class: 'q-label' }, h('label', { for: id }, label)),
    h('div', { class: 'q-control' }, control),
  );
}
