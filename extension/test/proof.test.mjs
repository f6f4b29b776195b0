import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mac, makeNonce, same } from '../worker/proof.js';

test('the proof is the documented one', async () => {
  // printf 'cairn worker\naa\nbb' | openssl dgst -sha256 -hmac secret
  const expected = 'a41d04a703014c7e87397677935f355069d4e0a506e937b1fa1f1a62581525a3';
  assert.equal(await mac('secret', 'worker', 'aa', 'bb'), expected);
  assert.notEqual(await mac('secret', 'host', 'aa', 'bb'), expected);
  assert.notEqual(await mac('other', 'worker', 'aa', 'bb'), expected);
});

test('a nonce is 32 bytes and new each time', () => {
  assert.match(makeNonce(), /^[0-9a-f]{64}$/);
  assert.notEqual(makeNonce(), makeNonce());
});

test('texts are the same only as a whole', () => {
  assert.ok(same('abc', 'abc'));
  assert.ok(!same('abc', 'abd'));
  assert.ok(!same('ab', 'abc'));
  assert.ok(!same(undefined, 'abc'));
});
