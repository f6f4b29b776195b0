// A panic formats its message, finds its place, runs its hook, and then traps. The probe needs the trap alone: the loader
// reports it with the place from its stack and makes the probe anew. So the functions of the standard library that never
// return become a trap by themselves; wasm-opt then drops what only they called and the arguments that were made for them.

import { BuildError } from './tools.mjs';

/** Names of functions that never return, as rustc writes them without hashes. */
const NEVER_RETURN = [
  /^core::panicking::/,
  /^core::(option|result)::\w+_failed$/,
  /^core::(str|slice)::[\w:]+_fail(_rt)?$/,
  /^core::cell::(lazy::)?panic_\w+$/,
  /^core::slice::sort::.*::panic_on_ord_violation$/,
  /^(core|alloc|std)::.*::assert_failed$/,
  /^<alloc::.*>::\w+::assert_failed$/,
  /^alloc::raw_vec::(handle_error|capacity_overflow)$/,
  /^alloc::alloc::handle_alloc_error$/,
  /^std::thread::local::panic_access_error$/,
  /^__rustc::rust_begin_unwind$/,
];

/** Where every panic ends: a module without it is none of ours. */
const END = '__rustc::rust_begin_unwind';

/** No locals, `unreachable`, `end`. */
const TRAP = Uint8Array.of(0, 0x00, 0x0b);

const SECTION = { custom: 0, import: 2, code: 10 };

/** Reads a module from its beginning. */
class Reader {
  /** @param {Uint8Array} bytes @param {number} [at] */
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number() {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }

  /** @param {number} length */
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text() {
    return new TextDecoder().decode(this.take(this.number()));
  }
}

/** @param {number} value @returns {number[]} in LEB128 */
function encoded(value) {
  return value < 128 ? [value] : [(value % 128) | 128, ...encoded(Math.floor(value / 128))];
}

/** @param {Uint8Array} bytes @returns {{id: number, body: Uint8Array}[]} */
function sections(bytes) {
  const reader = new Reader(bytes, 8);
  const found = [];
  while (reader.at < bytes.length) {
    const id = reader.take(1)[0];
    found.push({ id, body: reader.take(reader.number()) });
  }
  return found;
}

/** @param {Uint8Array} body of the import section @returns {number} how many functions are imported */
function importedFunctions(body) {
  const reader = new Reader(body);
  let functions = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.text();
    reader.text();
    const kind = reader.take(1)[0];
    if (kind === 0) {
      reader.number();
      functions += 1;
    } else if (kind === 3) {
      reader.take(2);
    } else {
      // A table has a type before its limits.
      if (kind === 1) reader.take(1);
      const hasMost = reader.number() & 1;
      reader.number();
      if (hasMost) reader.number();
    }
  }
  return functions;
}

/** @param {Uint8Array} body of the section `name`, behind that word @returns {Map<number, string>} */
function functionNames(body) {
  const reader = new Reader(body);
  const names = new Map();
  while (reader.at < body.length) {
    const kind = reader.take(1)[0];
    const part = new Reader(reader.take(reader.number()));
    if (kind !== 1) continue;
    for (let left = part.number(); left > 0; left -= 1) {
      const index = part.number();
      names.set(
        index,
        part
          .text()
          .replace(/\[[0-9a-f]{16}\]/g, '')
          .replace(/::h[0-9a-f]{16}$/, ''),
      );
    }
  }
  return names;
}

/** @param {Uint8Array} body of the code section @param {(place: number) => boolean} traps @returns {Uint8Array} */
function withTraps(body, traps) {
  const reader = new Reader(body);
  const count = reader.number();
  /** @type {Uint8Array[]} */
  const parts = [Uint8Array.from(encoded(count))];
  for (let place = 0; place < count; place += 1) {
    const own = reader.take(reader.number());
    const code = traps(place) ? TRAP : own;
    parts.push(Uint8Array.from(encoded(code.length)), code);
  }
  return Buffer.concat(parts);
}

/**
 * The module with a trap in place of every function that never returns.
 * @param {Uint8Array} module with its names
 * @returns {Buffer}
 */
export function panicsAsTraps(module) {
  const all = sections(module);
  let imported = 0;
  let names = new Map();
  for (const { id, body } of all) {
    if (id === SECTION.import) imported = importedFunctions(body);
    if (id !== SECTION.custom) continue;
    const reader = new Reader(body);
    if (reader.text() === 'name') names = functionNames(body.subarray(reader.at));
  }
  if (![...names.values()].includes(END)) throw new BuildError(`the module has no function \`${END}\``);
  const neverReturns = (/** @type {number} */ place) => {
    const name = names.get(place + imported) ?? '';
    return NEVER_RETURN.some((pattern) => pattern.test(name));
  };
  const parts = [Buffer.from(module.subarray(0, 8))];
  for (const { id, body } of all) {
    const own = id === SECTION.code ? withTraps(body, neverReturns) : body;
    parts.push(Buffer.from([id, ...encoded(own.length)]), Buffer.from(own));
  }
  return Buffer.concat(parts);
}
