// Builds extension/dist: the folder a person loads into Chrome.
//
//   node extension/build.mjs              both builds of the probe and every other file
//   node extension/build.mjs --only wasm  leaves the twin as it is (quicker while developing)
//   node extension/build.mjs --only js    leaves the WASM build as it is
//
// What has not changed is not built again. The steps of each build are in build/probe.mjs.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EAGER } from './build/factory.mjs';
import { BuildError, buildTwin, buildWasm } from './build/probe.mjs';
import { checkTools } from './build/tools.mjs';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(SOURCE);
const DIST = join(SOURCE, 'dist');

/** Files and folders of extension/ that are loaded as they are. */
const PLAIN = [
  'manifest.json',
  'worker.js',
  'worker',
  'content.js',
  'pair.html',
  'pair.js',
  'panel.html',
  'panel.js',
  'style.css',
  'icons',
];

/** KB of a built file: the bar, which the benchmarks hold it to, and what no build may go beyond. */
const LIMITS = { 'probe_bg.wasm': { bar: 400, most: 640 }, 'probe_twin.js': { bar: 1536, most: 1536 } };

/** @param {string} path @returns {string[]} the files below, or the file itself, as absolute paths */
function filesBelow(path) {
  if (!existsSync(path)) throw new BuildError(`${relative(ROOT, path)} is missing`);
  const entries = readdirSync(dirname(path), { withFileTypes: true });
  const self = entries.find((entry) => join(dirname(path), entry.name) === path);
  if (!self?.isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

/** @returns {Map<string, Buffer>} every file of dist that is not built, by its path in dist */
function plainFiles() {
  const files = new Map();
  for (const name of PLAIN) {
    for (const file of filesBelow(join(SOURCE, name))) files.set(relative(SOURCE, file), readFileSync(file));
  }
  const readers = ['dom', 'styles', 'markup', 'read', 'measure', 'frames', 'parts', 'changes', 'hold', 'hover'].map(
    (name) => join(ROOT, `probe-wasm/collect/${name}.js`),
  );
  // Brought into a page a second time, they leave alone what a probe already stands on. An element
  // of the page with that id is not meant.
  const [open, close] = [`${EAGER}if (!Object.hasOwn(globalThis, '__cairn_collect')) {\n`, '}\n'].map((text) =>
    Buffer.from(text),
  );
  files.set('collect.js', Buffer.concat([open, ...readers.map((path) => readFileSync(path)), close]));
  return files;
}

/** Writes what differs and removes what is no longer there. @param {Map<string, Buffer>} files */
function writeDist(files) {
  mkdirSync(DIST, { recursive: true });
  for (const file of filesBelow(DIST)) {
    if (!files.has(relative(DIST, file))) rmSync(file);
  }
  for (const [name, bytes] of files) {
    const path = join(DIST, name);
    if (existsSync(path) && readFileSync(path).equals(bytes)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}

/** Says the sizes; fails where one is beyond what it may be. @param {Map<string, Buffer>} files */
function checkSizes(files) {
  for (const [name, { bar, most }] of Object.entries(LIMITS)) {
    const size = (files.get(name)?.length ?? 0) / 1024;
    const said = `${name}: ${Math.round(size)} KB of at most ${bar} KB`;
    if (size > most) throw new BuildError(`${said}; no build may have more than ${most} KB (docs/benchmarks.md, Size)`);
    console.error(size > bar ? `warning: larger than it may be, ${said}` : said);
  }
}

function main() {
  const flag = process.argv.indexOf('--only');
  const only = flag < 0 ? null : process.argv[flag + 1];
  if (only !== null && only !== 'wasm' && only !== 'js') throw new BuildError('--only takes `wasm` or `js`');
  checkTools(ROOT);
  const files = plainFiles();
  const built = [...buildWasm(ROOT, only === 'js'), ...buildTwin(ROOT, only === 'wasm')];
  for (const [name, bytes] of built) files.set(name, bytes);
  writeDist(files);
  checkSizes(files);
  console.error(`built ${relative(process.cwd(), DIST) || DIST}`);
}

try {
  main();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
