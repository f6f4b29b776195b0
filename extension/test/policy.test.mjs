import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowsWasm } from '../worker/policy.js';

/** @type {[string[], boolean][]} */
const CASES = [
  [[], true],
  [["img-src 'self'"], true],
  [["default-src 'self'"], false],
  [["script-src 'self'"], false],
  [["default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"], true],
  [["default-src 'wasm-unsafe-eval'; script-src 'self'"], false],
  [["SCRIPT-SRC 'Unsafe-Eval' https:"], true],
  [["script-src 'unsafe-eval', default-src 'none'"], false],
  [["script-src 'unsafe-eval'", "script-src 'self'"], false],
  [["script-src 'self'; script-src 'unsafe-eval'"], false],
  [["  script-src  'nonce-abc'  'strict-dynamic' ;"], false],
  [["frame-ancestors 'none';;"], true],
];

for (const [headers, allowed] of CASES) {
  test(`${allowed ? 'WASM compiles' : 'WASM is refused'} under ${JSON.stringify(headers)}`, () => {
    assert.equal(allowsWasm(headers), allowed);
  });
}
