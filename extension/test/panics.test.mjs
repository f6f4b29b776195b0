import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { panicsAsTraps } from '../build/panics.mjs';
import { npmTool, run } from '../build/tools.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {string} wat @returns {Uint8Array} the module, with its names */
function assembled(wat) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-panics-'));
  try {
    writeFileSync(join(folder, 'a.wat'), wat);
    run(npmTool(ROOT, 'wasm-as'), ['-g', join(folder, 'a.wat'), '-o', join(folder, 'a.wasm')], { quiet: true });
    return readFileSync(join(folder, 'a.wasm'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string[]} names of functions that give their place, from 1 */
function moduleOf(names) {
  const functions = names.map(
    (name, place) => `(func $"${name}" (export "f${place + 1}") (result i32) (i32.const ${place + 1}))`,
  );
  return assembled(`(module
    (import "a" "imported" (func $imported)) (import "a" "table" (table 1 2 funcref)) (import "a" "memory" (memory 1))
    (global $g (mut i32) (i32.const 300)) (export "imported" (func $imported)) ${functions.join('\n')})`);
}

test('what never returns traps, and everything else is as it was', () => {
  const names = [
    '__rustc::rust_begin_unwind',
    'core[0123456789abcdef]::panicking::panic_fmt',
    'core::panicking::panic_bounds_check::h0123456789abcdef',
    'core::option::unwrap_failed',
    '<alloc::vec::Vec<_, _>>::remove::assert_failed',
    'core::str::slice_error_fail',
    '<hashbrown::raw::Fallibility>::capacity_overflow',
    'cairn_probe::page::Page::panicking',
    'std::panicking::set_hook',
  ];
  const module = new WebAssembly.Module(Uint8Array.from(panicsAsTraps(moduleOf(names))));
  const table = new WebAssembly.Table({ initial: 1, maximum: 2, element: 'anyfunc' });
  const imports = { a: { imported: () => {}, table, memory: new WebAssembly.Memory({ initial: 1 }) } };
  const { exports } = new WebAssembly.Instance(module, imports);
  const call = (/** @type {number} */ place) => /** @type {() => number} */ (exports[`f${place}`])();
  for (const place of [1, 2, 3, 4, 5, 6]) assert.throws(() => call(place), WebAssembly.RuntimeError, names[place - 1]);
  for (const place of [7, 8, 9]) assert.equal(call(place), place, names[place - 1]);
});

test('a module without names is refused', () => {
  assert.throws(() => panicsAsTraps(moduleOf(['core::panicking::panic_fmt'])), /rust_begin_unwind/);
});
