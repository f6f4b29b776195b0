// Proof of a pairing key, both ways: HMAC-SHA-256 over the two nonces of a socket.

const ENCODER = new TextEncoder();

/** @param {ArrayBuffer | Uint8Array} bytes @returns {string} */
function hex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @returns {string} 32 random bytes in hex */
export function makeNonce() {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * @param {string} secret taken as its text's bytes
 * @param {'worker' | 'host'} side who proves: the prefix keeps one side's proof from being sent back as the other's
 * @param {string} hostNonce @param {string} workerNonce
 * @returns {Promise<string>} in hex
 */
export async function mac(secret, side, hostNonce, workerNonce) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', ENCODER.encode(secret), algorithm, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', key, ENCODER.encode(`cairn ${side}\n${hostNonce}\n${workerNonce}`)));
}

/**
 * Compares two texts in a time that does not depend on where they differ.
 * @param {unknown} left @param {string} right
 */
export function same(left, right) {
  if (typeof left !== 'string' || left.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < right.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
