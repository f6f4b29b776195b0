// The two builds of the probe from one crate.
//
// WASM:  cargo -> wasm-bindgen -> wasm-opt                                   probe_wasm.js, probe_bg.wasm
// twin:  cargo for the first WASM (mvp) -> wasm-opt twice -> wasm-bindgen -> wasm2js -> esbuild    probe_twin.js
//
// A page whose Content-Security-Policy lacks 'wasm-unsafe-eval' refuses WASM to content scripts too; the twin is a plain
// script and runs there. Both files only define a factory, so that a probe can be dropped and made anew.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { glueFactory, twinFactory, withShortNames } from './factory.mjs';
import { panicsAsTraps } from './panics.mjs';
import { BuildError, npmTool, pinnedBindgen, run } from './tools.mjs';

export { BuildError };

const TARGET = 'wasm32-unknown-unknown';
const PROFILE = 'probe';

/** What rustc 1.95 uses by itself; std in the prebuilt target holds some of it even when the crate is built for mvp. */
const FEATURES = [
  'bulk-memory',
  'bulk-memory-opt',
  'call-indirect-overlong',
  'multivalue',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'sign-ext',
].map((name) => `--enable-${name}`);

/**
 * What wasm-opt does for size. No address below 1024 is ever used: the linker puts the stack there, which grows down
 * towards it.
 */
const SMALL = ['-Oz', '--low-memory-unused', '--strip-debug', '--strip-producers'];

const MVP = ['--mvp-features', '--enable-mutable-globals'];

/** @param {(string | Buffer)[]} parts */
function hash(...parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\0');
  return sum.digest('hex');
}

/** @param {string} path @returns {string} hash of a file, or of all files below a folder */
function hashPath(path) {
  if (!statSync(path).isDirectory()) return hash(readFileSync(path));
  return hash(
    ...readdirSync(path)
      .sort()
      .flatMap((name) => [name, hashPath(join(path, name))]),
  );
}

/** @param {string} root @returns {string} hash of everything that goes into the compiled crate */
function hashSources(root) {
  const paths = ['Cargo.toml', 'Cargo.lock', 'core/Cargo.toml', 'core/src', 'probe-wasm/Cargo.toml', 'probe-wasm/src'];
  return hash(run('rustc', ['--version'], { quiet: true }), ...paths.map((path) => hashPath(join(root, path))));
}

/**
 * Paths that a panic names, without the folders of whoever builds: a hundred bytes less for each of fifty files, and the
 * same module on every machine.
 * @returns {string[]} flags of rustc
 */
function shortPaths() {
  const sysroot = run('rustc', ['--print', 'sysroot'], { quiet: true }).trim();
  const home = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
  const folders = [join(sysroot, 'lib/rustlib/src/rust/library'), join(home, 'registry/src')];
  return folders.map((folder) => `--remap-path-prefix=${folder}/=`);
}

/** @param {string} root @returns {string} hash of the tools and recipes behind the compiler */
function hashRecipe(root) {
  const recipes = ['probe.mjs', 'factory.mjs', 'panics.mjs'].map((name) =>
    hashPath(join(root, 'extension/build', name)),
  );
  return hash(pinnedBindgen(root), hashPath(join(root, 'package-lock.json')), ...recipes);
}

/**
 * Calls `make` unless the stamp beside its outputs still has this key.
 * @param {string} stamp @param {string} key @param {string[]} outputs @param {() => void} make
 */
function unlessDone(stamp, key, outputs, make) {
  if (outputs.every(existsSync) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  make();
  writeFileSync(stamp, key);
}

/**
 * Compiles the crate.
 * @param {string} root @param {string} folder cargo's target folder @param {string[]} flags of rustc
 * @returns {string} path of the module
 */
function compile(root, folder, flags) {
  const output = join(folder, TARGET, PROFILE, 'cairn_probe.wasm');
  unlessDone(join(folder, 'probe.stamp'), hashSources(root), [output], () => {
    console.error(`compiling the probe into ${folder.slice(root.length + 1)}`);
    const args = [
      'build',
      '--profile',
      PROFILE,
      '--package',
      'cairn-probe',
      '--target',
      TARGET,
      '--target-dir',
      folder,
    ];
    const encoded = [...shortPaths(), ...flags].join('\x1f');
    run('cargo', args, { cwd: root, env: { CARGO_ENCODED_RUSTFLAGS: encoded } });
  });
  return output;
}

/** Parts of the standard library that the probe does without: each is 5 to 25 KB, and one call brings it back. */
const TOO_LARGE = {
  'num::flt2dec': "formatting a fraction (use the probe's `number::text`)",
  'num::dec2flt': "parsing a fraction (use the probe's `number::of`)",
  'hash::sip': 'a HashMap (use `core::map` or `QuickMap`)',
  'btree::map': 'a BTreeMap (use `core::map`)',
  'slice::sort::stable': 'sorting with the standard library (use `core::order`)',
  'unicode_data::conversions': 'to_lowercase or to_uppercase (use `core::text::letters`)',
};

/** @param {Buffer} module whose functions still have names */
function refuseLargeParts(module) {
  const found = Object.entries(TOO_LARGE).filter(([name]) => module.includes(`${name}::`));
  if (found.length > 0)
    throw new BuildError(`the probe has grown by ${found.map(([, what]) => what).join(', and by ')}`);
}

/** @param {string} root @param {string} module @param {string} folder */
function bindgen(root, module, folder) {
  const args = ['--target', 'no-modules', '--no-typescript', '--out-dir', folder, '--out-name', 'probe', module];
  run('wasm-bindgen', args, { cwd: root });
  const bound = join(folder, 'probe_bg.wasm');
  const bytes = readFileSync(bound);
  refuseLargeParts(bytes);
  writeFileSync(bound, panicsAsTraps(bytes));
}

/**
 * @param {string} root @param {boolean} reuse take what is there, however old
 * @returns {Map<string, Buffer>}
 */
export function buildWasm(root, reuse) {
  const folder = join(root, 'target/probe');
  const outputs = ['probe_wasm.js', 'probe_bg.wasm'].map((name) => join(folder, 'dist', name));
  if (!(reuse && outputs.every(existsSync))) {
    mkdirSync(join(folder, 'dist'), { recursive: true });
    const module = compile(root, folder, []);
    unlessDone(join(folder, 'dist.stamp'), hash(hashPath(module), hashRecipe(root)), outputs, () => {
      console.error('optimising probe_bg.wasm');
      const glue = join(folder, 'glue');
      bindgen(root, module, glue);
      const bound = join(glue, 'probe_bg.wasm');
      const args = [...FEATURES, ...SMALL, '--minify-imports-and-exports-and-modules', bound, '-o', outputs[1]];
      const names = run(npmTool(root, 'wasm-opt'), args, { quiet: true });
      const script = readFileSync(join(glue, 'probe.js'), 'utf8');
      writeFileSync(outputs[0], glueFactory(withShortNames(script, names)));
    });
  }
  return new Map(outputs.map((path) => [path.slice(folder.length + '/dist/'.length), readFileSync(path)]));
}

/**
 * @param {string} root @param {boolean} reuse take what is there, however old
 * @returns {Map<string, Buffer>}
 */
export function buildTwin(root, reuse) {
  const folder = join(root, 'target/probe-twin');
  const output = join(folder, 'probe_twin.js');
  if (!(reuse && existsSync(output))) {
    mkdirSync(folder, { recursive: true });
    const module = compile(root, folder, ['-Ctarget-cpu=mvp', '-Ctarget-feature=+mutable-globals']);
    unlessDone(join(folder, 'dist.stamp'), hash(hashPath(module), hashRecipe(root)), [output], () => {
      console.error('turning the probe into plain JavaScript');
      writeFileSync(output, makeTwin(root, folder, module));
    });
  }
  return new Map([['probe_twin.js', readFileSync(output)]]);
}

/** @param {string} root @param {string} folder @param {string} module @returns {string} the script */
function makeTwin(root, folder, module) {
  const lowered = join(folder, 'lowered.wasm');
  const mvp = join(folder, 'mvp.wasm');
  const glue = join(folder, 'glue');
  const lower = ['--signext-lowering', '--llvm-nontrapping-fptoint-lowering', '--llvm-memory-copy-fill-lowering'];
  const wasmOpt = npmTool(root, 'wasm-opt');
  // The names stay (`-g`): they tell which functions are panics.
  run(wasmOpt, ['-g', ...FEATURES, ...lower, '--strip-target-features', module, '-o', lowered]);
  run(wasmOpt, ['-g', ...MVP, '--emit-target-features', lowered, '-o', mvp]);
  bindgen(root, mvp, glue);
  const small = join(glue, 'small.wasm');
  run(wasmOpt, [...MVP, ...SMALL, join(glue, 'probe_bg.wasm'), '-o', small]);
  const plain = join(glue, 'plain.js');
  run(npmTool(root, 'wasm2js'), ['-O', ...MVP, small, '-o', plain]);
  const script = join(folder, 'script.js');
  writeFileSync(script, twinFactory(readFileSync(join(glue, 'probe.js'), 'utf8'), readFileSync(plain, 'utf8')));
  return run(npmTool(root, 'esbuild'), ['--minify', '--log-level=warning', '--charset=ascii', script], { quiet: true });
}
