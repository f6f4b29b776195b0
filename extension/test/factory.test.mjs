import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import { glueFactory, twinFactory } from '../build/factory.mjs';

/** As wasm-bindgen prints it, with nothing of the crate's. */
const GLUE = `let wasm_bindgen = (function(exports) {
    let script_src;
    if (typeof document !== 'undefined' && document.currentScript !== null) {
        script_src = new URL(document.currentScript.src, location.href).toString();
    }

    function initSync({ module }) {
        return new WebAssembly.Instance(new WebAssembly.Module(module), { './probe_bg.js': {} }).exports;
    }
    return Object.assign(() => {}, { initSync }, exports);
})({ __proto__: null });
`;

/** As wasm2js prints it: one page of memory, a function that grows it, one that traps. */
const PLAIN = `import * as $_probe_bg_js from './probe_bg.js';

  var bufferView;
      function wasm2js_trap() { throw new Error('abort'); }

function asmFunc(imports) {
 var buffer = new ArrayBuffer(65536);
 var HEAP8 = new Int8Array(buffer), HEAP16, HEAP32, HEAPU8 = new Uint8Array(buffer), HEAPU16, HEAPU32, HEAPF32, HEAPF64;
 bufferView = HEAPU8;
 function __wasm_memory_size() {
  return buffer.byteLength >> 16;
 }
 
 function __wasm_memory_grow(pagesToAdd) {
  var newBuffer = new ArrayBuffer(1);
  return 0;
 }
 
 return {
  "memory": { get buffer() { return buffer; } },
  "grow": __wasm_memory_grow,
  "trap": wasm2js_trap,
  "read": (at) => HEAPU8[at],
  "write": (at, value) => { HEAPU8[at] = value; }
 };
}

var retasmFunc = asmFunc({
  "./probe_bg.js": $_probe_bg_js,
});
export var memory = retasmFunc.memory;
`;

/** Node has it from version 21 on. @this {ArrayBuffer} @param {number} length @returns {ArrayBuffer} */
function transfer(length) {
  const moved = new Uint8Array(structuredClone(this, { transfer: [this] }));
  const longer = new Uint8Array(length);
  longer.set(moved);
  return longer.buffer;
}

/** @param {string} script */
function load(script) {
  const context = vm.createContext({ WebAssembly, transfer });
  vm.runInContext('ArrayBuffer.prototype.transfer ??= transfer', context);
  vm.runInContext(script, context);
  return context.cairnProbeFactory;
}

test('growing the memory detaches the old buffer and keeps its bytes', () => {
  const twin = load(twinFactory(GLUE, PLAIN))().initSync({ module: null });
  twin.write(7, 42);
  const before = twin.memory.buffer;
  assert.equal(twin.grow(2), 1);
  assert.equal(before.byteLength, 0);
  assert.equal(twin.memory.buffer.byteLength, 3 * 65_536);
  assert.equal(twin.read(7), 42);
  assert.equal(twin.grow(100_000), -1);
  assert.equal(twin.read(7), 42);
});

test('a trap of the twin is told from an error of a page', () => {
  const twin = load(twinFactory(GLUE, PLAIN))().initSync({ module: null });
  assert.throws(twin.trap, { cairnTrap: true });
});

test('each call of a factory gives a probe of its own', () => {
  const factory = load(twinFactory(GLUE, PLAIN));
  const [one, other] = [factory(), factory()].map((glue) => glue.initSync({ module: null }));
  one.write(1, 1);
  assert.equal(other.read(1), 0);
});

test('the glue does not ask the page where it came from', () => {
  assert.doesNotMatch(glueFactory(GLUE), /currentScript/);
  assert.throws(() => glueFactory('let wasm_bindgen = 1;'), /output has changed/);
});
