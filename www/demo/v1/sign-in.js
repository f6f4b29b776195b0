// Sign-in.

import { signIn } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';

/** @returns {HTMLElement} */
export function signInPage() {
  const problem = h('p', { role: 'alert', class: 'problem' });
  const form = h(
    'form',
    { id: 'sign-in-form', class: 'card narrow', onsubmit: submit },
    h('h1', {}, 'Sign in to Quayside'),
    h('p', { class: 'lead' }, 'The lending desk for cameras, tools and everything with a plug.'),
    h('label', { for: 'email' }, 'Email'),
    h('input', { id: 'email', name: 'email', type: 'email', autocomplete: 'username', required: true }),
    h('label', { for: 'password' }, 'Password'),
    h('input', {
      id: 'password',
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    }),
    problem,
    h('button', { id: 'sign-in', class: 'primary', type: 'submit' }, 'Sign in'),
  );

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (form));
    try {
      await signIn(String(data.get('email')), String(data.get('password')));
      await go('/apps');
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  return form;
}
