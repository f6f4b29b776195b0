// The server's API. The session is the tab's own: a new tab starts signed out.

const KEY = 'quayside-session';

/**
 * @typedef {{ token: string, name: string }} Session
 * @typedef {{ id: string, name: string, category: string, shelf: string, available: boolean }} Item
 * @typedef {{ items: Item[], total: number, page: number, pages: number }} ItemPage
 * @typedef {{ number: number, equipment: string, department: string, day: string, technician: boolean, note: string,
 *             accepted: boolean }} Booking
 */

/** @returns {Session | null} */
export function session() {
  const stored = sessionStorage.getItem(KEY);
  return stored ? JSON.parse(stored) : null;
}

/** Forgets who was signed in. */
export function signOut() {
  sessionStorage.removeItem(KEY);
}

/** An answer that is no success, with the server's own words. */
export class ApiError extends Error {}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' };
  const current = session();
  if (current) headers.authorization = `Bearer ${current.token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new ApiError(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}

/**
 * @param {string} email
 * @param {string} password
 */
export async function signIn(email, password) {
  /** @type {Session} */
  const opened = await ask('POST', '/api/sign-in', { email, password });
  sessionStorage.setItem(KEY, JSON.stringify(opened));
  return opened;
}

/**
 * @param {string} query
 * @param {number} page from 1
 * @returns {Promise<ItemPage>}
 */
export const findEquipment = (query, page) => ask('GET', `/api/equipment?q=${encodeURIComponent(query)}&page=${page}`);

/**
 * @param {string} id
 * @returns {Promise<Item>}
 */
export const oneItem = (id) => ask('GET', `/api/equipment/${encodeURIComponent(id)}`);

/** @returns {Promise<Booking[]>} */
export const bookings = () => ask('GET', '/api/bookings');

/**
 * @param {string} number
 * @returns {Promise<Booking>}
 */
export const oneBooking = (number) => ask('GET', `/api/bookings/${encodeURIComponent(number)}`);

/**
 * @param {{ equipment: string, department: string, day: string, technician: boolean, note: string }} wish
 * @returns {Promise<Booking>}
 */
export const book = (wish) => ask('POST', '/api/bookings', wish);

/**
 * @param {string} equipment
 * @returns {Promise<{ discarded: boolean }>}
 */
export const discard = (equipment) => ask('POST', '/api/discard', { equipment });

/**
 * @param {string} number
 * @returns {Promise<Booking>}
 */
export const acceptTerms = (number) => ask('POST', `/api/bookings/${encodeURIComponent(number)}/terms`, {});
