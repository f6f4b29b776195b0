// Wraps what the tools give as factories: `cairnProbeFactory(WebAssembly)` gives a fresh glue each time it is called, so a
// probe that panicked can be dropped and made anew in the same document. Loaded, a factory says which build it is, and so to
// the stub at once. For the twin, a stand-in for `WebAssembly`
// whose `Instance` is the plain JavaScript.

import { BuildError } from './tools.mjs';

/**
 * Chromium compiles the functions of a file that begins so when it loads it, once and in one go. Else each is read twice and
 * compiled at its first call: of the glue's and the readers' that would be three hundred, in the midst of the first steps.
 */
export const EAGER = '//# allFunctionsCalledOnLoad\n';

/** @param {string} text @param {string | RegExp} from @param {string} to @returns {string} with exactly one replaced */
function replaceOnce(text, from, to) {
  const parts = text.split(from);
  if (parts.length !== 2) {
    throw new BuildError(`a tool's output has changed: expected one \`${from}\`, found ${parts.length - 1}`);
  }
  return parts.join(to);
}

/**
 * The glue asks `document.currentScript` where it came from; a page can put an element of its own under that name.
 * We always hand it the module.
 * @param {string} glue
 */
function withoutScriptSource(glue) {
  return replaceOnce(
    glue,
    /\n {4}if \(typeof document !== 'undefined' && document\.currentScript !== null\) \{\n[^\n]*\n {4}\}\n/,
    '\n',
  );
}

/**
 * wasm-bindgen calls each import by its full name and a hash, ten kilobytes of them. wasm-opt gives short ones and says
 * which: the same change in the glue.
 * @param {string} glue @param {string} said by `--minify-imports-and-exports-and-modules`: JSON
 * @returns {string}
 */
export function withShortNames(glue, said) {
  /** @type {{imports: [string, string, string][], exports: [string, string][]}} */
  const names = JSON.parse(said);
  if (names.imports.length === 0) throw new BuildError('wasm-opt named no imports');
  let short = replaceOnce(glue, `"./probe_bg.js": import0,`, 'a: import0,');
  for (const [, long, name] of names.imports)
    short = replaceOnce(short, `            ${long}: `, `            ${name}: `);
  const exported = new Map(names.exports);
  short = short.replace(/\bwasm\.(\w+)/g, (whole, name) => (exported.has(name) ? `wasm.${exported.get(name)}` : whole));
  return short;
}

/** @param {string} engine @returns {string} */
const arrival = (engine) => `globalThis.cairnProbeFactory.engine = '${engine}';
globalThis.cairnStub?.arrived?.();
`;

/** @param {string} glue of wasm-bindgen, `--target no-modules` @returns {string} */
export function glueFactory(glue) {
  return `${EAGER}globalThis.cairnProbeFactory = function () {
'use strict';
${withoutScriptSource(glue)}
return wasm_bindgen;
};
${arrival('wasm')}`;
}

/**
 * Memory grows by moving its bytes into a larger buffer. `transfer` detaches the old one as a real memory does: the
 * glue's cached views test for that.
 */
const GROW = `function __wasm_memory_grow(pagesToAdd) {
  pagesToAdd = pagesToAdd | 0;
  var oldPages = __wasm_memory_size() | 0;
  var newPages = oldPages + pagesToAdd | 0;
  if (newPages < oldPages || newPages > 16384) return -1;
  if (newPages === oldPages) return oldPages;
  try {
   buffer = buffer.transfer(newPages * 65536);
  } catch (_) {
   return -1;
  }
  HEAP8 = new Int8Array(buffer);
  HEAP16 = new Int16Array(buffer);
  HEAP32 = new Int32Array(buffer);
  HEAPU8 = new Uint8Array(buffer);
  HEAPU16 = new Uint16Array(buffer);
  HEAPU32 = new Uint32Array(buffer);
  HEAPF32 = new Float32Array(buffer);
  HEAPF64 = new Float64Array(buffer);
  bufferView = HEAPU8;
  return oldPages;
 }
`;

/** @param {string} plain what wasm2js printed: a module around `asmFunc` @returns {string} without the module around it */
function withoutModule(plain) {
  const body = plain.split('\nvar retasmFunc = asmFunc(')[0];
  if (body.length === plain.length) throw new BuildError('wasm2js printed no `retasmFunc`');
  const bare = replaceOnce(body, /^import \* as \$_probe_bg_js from '\.\/probe_bg\.js';$/m, '');
  // The trap is told from an error of the page's by its mark.
  const marked = replaceOnce(
    bare,
    "function wasm2js_trap() { throw new Error('abort'); }",
    "function wasm2js_trap() { throw Object.assign(new Error('unreachable executed'), { cairnTrap: true }); }",
  );
  return replaceOnce(marked, /function __wasm_memory_grow\(pagesToAdd\) \{[\s\S]*?\n \}\n/, GROW);
}

/** @param {string} glue @param {string} plain @returns {string} */
export function twinFactory(glue, plain) {
  return `globalThis.cairnProbeFactory = function () {
'use strict';
const WebAssembly = (() => {
${withoutModule(plain)}
class Module {}
class Instance {
  constructor(_module, imports) {
    this.exports = asmFunc(imports);
  }
}
return { Module, Instance };
})();
${withoutScriptSource(glue)}
return wasm_bindgen;
};
${arrival('js')}`;
}
