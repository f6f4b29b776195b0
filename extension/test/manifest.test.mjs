import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const manifest = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'));

test('the extension may do what it must and nothing else', () => {
  const permissions = 'scripting tabs webNavigation webRequest storage cookies downloads sidePanel debugger';
  assert.deepEqual([...manifest.permissions].sort(), permissions.split(' ').sort());
  assert.deepEqual(manifest.host_permissions, ['<all_urls>']);
  for (const key of ['optional_permissions', 'optional_host_permissions', 'externally_connectable']) {
    assert.equal(manifest[key], undefined, key);
  }
});

test('pages cannot see that it is there', () => {
  assert.equal(manifest.web_accessible_resources, undefined);
  assert.equal(manifest.content_scripts, undefined, 'nothing is in a page without a lease');
});

test('our own pages run our own code alone, and talk to this machine alone', () => {
  const policy = manifest.content_security_policy.extension_pages;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /connect-src 'self' ws:\/\/127\.0\.0\.1:\*;/);
  assert.doesNotMatch(policy, /unsafe/);
});
