// One socket to one host: proof both ways, pings, and coming back when the host was away.

import { mac, makeNonce, same } from './proof.js';

const PROTOCOL_VERSION = 2;
const PING_MS = 15_000;

/** Delay before each new try; the last one repeats. A host that restarts on its port is found within a second or two. */
const DELAYS_MS = [100, 250, 500, 1000, 1000, 1000, 1000, 1000, 2000, 2000, 5000, 5000, 10_000, 30_000];

/** How long the host may take to greet. */
const GREETING_MS = 5000;

/** Frames that may wait for a host that is away, in characters. More is dropped, the oldest first. */
const WAITING_CHARACTERS = 32 * 1024 * 1024;

/** Calls whose numbers are kept: more than can be without an answer. */
const KNOWN_CALLS = 256;

/** This life of the worker: a host counts what it has had of it. */
const LIFE = makeNonce();

/** Codes with which the host closes a socket that it does not admit. */
const CLOSE = { NOT_PAIRED: 4401, WRONG_PROOF: 4403, WRONG_VERSION: 4426, BACK_OFF: 4429, REPLACED: 4409 };

/** What a person is told when a host does not admit us. @type {Record<number, string>} */
const REFUSALS = {
  [CLOSE.NOT_PAIRED]: 'This Cairn does not know this browser. Run `cairn pair` and open the address that it prints.',
  [CLOSE.WRONG_PROOF]: 'The pairing code has expired or was used before. Run `cairn pair` for a new one.',
  [CLOSE.WRONG_VERSION]: 'Cairn and its extension are of different versions. Load the extension of this Cairn again.',
  [CLOSE.BACK_OFF]: 'Too many wrong codes. Wait a minute, then run `cairn pair`.',
};

const STRANGER =
  'Something else than the paired Cairn answers on this port. Run `cairn pair` and open the address that it prints.';

/** A refusal by the host, or of the host: trying again is of no use. */
export class Refusal extends Error {
  /** @param {number} code @param {string} reason */
  constructor(code, reason) {
    super(REFUSALS[code] ?? (reason || 'Cairn closed the connection.'));
    this.code = code;
  }

  get notPaired() {
    return this.code === CLOSE.NOT_PAIRED;
  }
}

/**
 * @typedef {{with: 'code' | 'key', keyId: string, secret: string}} Credential
 * @typedef {{page: chrome.runtime.Port, number: number}} PageNumber a page's message, and which of its messages it is
 * @typedef {{socket: WebSocket, welcome: Cairn.Welcome, early: string[]}} Greeted `early`: frames that came right behind
 * @typedef {{
 *   receive: (link: Link, message: Exclude<Cairn.ToWorker, {type: 'received' | 'pong'}>) => void,
 *   taken: (numbers: Map<chrome.runtime.Port, number>) => void,
 *   changed: (link: Link) => void,
 *   refused: (link: Link, refusal: Refusal) => void,
 * }} Handlers
 */

export class Link {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #retry;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #ping;
  #tries = 0;
  #stopped = false;
  /** Frames that the host is not known to have, in order. @type {{text: string, of: PageNumber | undefined}[]} */ #kept =
    [];
  #keptCharacters = 0;
  /** How many frames were kept before these. */
  #before = 0;
  /** The host's life: one that began anew knows nothing of what was said to the other. @type {string | null} */ #hostLife =
    null;
  /** Numbers of the calls that came: one that comes again is not done again. @type {Set<number>} */ #calls = new Set();

  /** The host has been greeted and knows us. */
  open = false;
  /** When the host was connected, in milliseconds since 1970. */
  connectedAt = 0;
  /** When the host was last heard; at first, when this link was made. */
  lastHeard = Date.now();

  /** @param {number} port @param {Credential} credential @param {Handlers} handlers */
  constructor(port, credential, handlers) {
    this.port = port;
    this.credential = credential;
    this.handlers = handlers;
  }

  /**
   * Connects once with a code, and gives the key that the host hands out.
   * @param {number} port @param {string} code
   * @returns {Promise<{id: string, secret: string, greeted: Greeted}>}
   */
  static async exchange(port, code) {
    const greeted = await greet(port, { with: 'code', keyId: '', secret: code });
    if (!greeted.welcome.key) {
      greeted.socket.close();
      throw new Refusal(0, 'Cairn gave no key for the code. Run `cairn pair` for a new one.');
    }
    return { ...greeted.welcome.key, greeted };
  }

  /** Takes a socket on which the host has already been greeted. @param {Greeted} greeted */
  adopt(greeted) {
    this.#opened(greeted);
  }

  /** Connects, unless it is connected or about to be. */
  async connect() {
    if (this.#stopped || this.#socket) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const socket = new WebSocket(address(this.port));
    this.#socket = socket;
    try {
      this.#opened(await greet(this.port, this.credential, socket));
    } catch (error) {
      socket.close();
      this.#socket = null;
      if (error instanceof Refusal && error.code !== CLOSE.BACK_OFF) {
        this.stop();
        this.handlers.refused(this, error);
      } else {
        this.#again();
      }
    }
  }

  /** Something woke the worker: try at once, not at the end of a long delay. */
  nudge() {
    if (this.#socket || this.#stopped) return;
    this.#tries = 0;
    void this.connect();
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearInterval(this.#ping);
    this.#socket?.close();
    this.#socket = null;
    this.open = false;
  }

  /**
   * Sends now, or when the host is back; again, where the socket ended before the host had it.
   * @param {Cairn.FromWorker} message @param {PageNumber} [of]
   */
  send(message, of) {
    const text = JSON.stringify(message);
    this.#kept.push({ text, of });
    this.#keptCharacters += text.length;
    if (this.open && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    while (this.#keptCharacters > WAITING_CHARACTERS && this.#kept.length > 1) this.#drop();
  }

  /** Forgets the oldest frame that is kept. */
  #drop() {
    const dropped = this.#kept.shift();
    this.#keptCharacters -= dropped?.text.length ?? 0;
    this.#before += 1;
    return dropped;
  }

  /** The host has so many of all frames. @param {number} count */
  #arrived(count) {
    /** @type {Map<chrome.runtime.Port, number>} */
    const numbers = new Map();
    while (this.#kept.length > 0 && this.#before < count) {
      const of = this.#drop()?.of;
      if (of) numbers.set(of.page, of.number);
    }
    if (numbers.size > 0) this.handlers.taken(numbers);
  }

  /** What the host has not had goes out, or what it never will is forgotten. @param {Cairn.Welcome} welcome */
  #goOn({ life, received }) {
    if (this.#hostLife !== null && this.#hostLife !== life) {
      this.#kept = [];
      this.#keptCharacters = 0;
      this.#calls.clear();
    }
    this.#hostLife = life;
    this.#arrived(received);
    // What was dropped for want of room is lost; from here on both count the same.
    this.#before = received;
    for (const { text } of this.#kept) this.#socket?.send(text);
  }

  /** @param {Greeted} greeted */
  #opened({ socket, welcome, early }) {
    if (socket.readyState !== WebSocket.OPEN) {
      // It closed while its last proof was checked.
      this.#socket = null;
      this.#again();
      return;
    }
    this.#socket = socket;
    this.#tries = 0;
    this.open = true;
    this.connectedAt = Date.now();
    this.lastHeard = Date.now();
    socket.onmessage = ({ data }) => this.#received(data);
    socket.onclose = ({ code }) => this.#closed(socket, code);
    socket.onerror = null;
    // What the browser says keeps the worker too, but only traffic within every 30 s does so for certain.
    this.#ping = setInterval(() => socket.send('{"type":"ping"}'), PING_MS);
    this.#goOn(welcome);
    this.handlers.changed(this);
    for (const frame of early) this.#received(frame);
  }

  /** @param {unknown} data */
  #received(data) {
    this.lastHeard = Date.now();
    let message;
    try {
      message = JSON.parse(String(data));
    } catch {
      console.warn('cairn: the host sent a frame that is no JSON');
      return;
    }
    if (message.type === 'received') return this.#arrived(message.count);
    if (message.type === 'call' && !this.#isNew(message.id)) return;
    if (message.type !== 'pong') this.handlers.receive(this, message);
  }

  /** A call comes again when the host could not tell whether it had arrived. @param {number} id */
  #isNew(id) {
    if (this.#calls.has(id)) return false;
    this.#calls.add(id);
    if (this.#calls.size > KNOWN_CALLS) this.#calls.delete(/** @type {number} */ (this.#calls.values().next().value));
    return true;
  }

  /** @param {WebSocket} socket @param {number} code */
  #closed(socket, code) {
    if (this.#socket !== socket) return;
    clearInterval(this.#ping);
    this.#socket = null;
    this.open = false;
    if (code === CLOSE.REPLACED) this.stop();
    else if (!this.#stopped) this.#again();
    this.handlers.changed(this);
  }

  #again() {
    if (this.#stopped) return;
    const delay = DELAYS_MS[Math.min(this.#tries, DELAYS_MS.length - 1)];
    this.#tries += 1;
    this.#retry = setTimeout(() => void this.connect(), delay);
  }
}

/** @param {number} port */
function address(port) {
  return `ws://127.0.0.1:${port}/extension`;
}

/**
 * Challenge, proof, welcome. Nothing the host says is believed before its own proof is seen.
 * @param {number} port @param {Credential} credential @param {WebSocket} [socket]
 * @returns {Promise<Greeted>}
 */
async function greet(port, credential, socket = new WebSocket(address(port))) {
  const { frames, early } = firstFrames(socket, 2);
  const challenge = /** @type {Cairn.Challenge} */ (JSON.parse(await frames[0]));
  if (challenge.protocol !== PROTOCOL_VERSION) throw new Refusal(CLOSE.WRONG_VERSION, '');
  if (typeof challenge.nonce !== 'string') throw new Refusal(0, STRANGER);
  const nonce = makeNonce();
  const proof = {
    protocol: PROTOCOL_VERSION,
    nonce,
    with: credential.with,
    keyId: credential.keyId,
    mac: await mac(credential.secret, 'worker', challenge.nonce, nonce),
    life: LIFE,
    extensionVersion: chrome.runtime.getManifest().version,
  };
  socket.send(JSON.stringify(proof));
  const welcome = /** @type {Cairn.Welcome} */ (JSON.parse(await frames[1]));
  if (!same(welcome.mac, await mac(credential.secret, 'host', challenge.nonce, nonce))) {
    socket.close();
    throw new Refusal(0, STRANGER);
  }
  return { socket, welcome, early };
}

/**
 * The first frames of a socket, each of which fails when the socket closes or the time is up before it came; and what
 * follows them before somebody else listens.
 * @param {WebSocket} socket @param {number} count @returns {{frames: Promise<string>[], early: string[]}}
 */
function firstFrames(socket, count) {
  const waiting = Array.from({ length: count }, () => Promise.withResolvers());
  const frames = waiting.map(({ promise }) => promise);
  /** @type {string[]} */
  const early = [];
  let next = 0;
  /** @param {Error} error */
  const fail = (error) => {
    clearTimeout(timer);
    for (const { reject } of waiting) reject(error);
  };
  const timer = setTimeout(() => fail(new Error('no greeting in time')), GREETING_MS);
  socket.onmessage = ({ data }) => {
    if (next < count) waiting[next].resolve(String(data));
    else early.push(String(data));
    next += 1;
    if (next === count) clearTimeout(timer);
  };
  socket.onclose = ({ code, reason }) => fail(code >= 4000 ? new Refusal(code, reason) : new Error('not connected'));
  for (const frame of frames) frame.catch(() => {});
  return { frames, early };
}
