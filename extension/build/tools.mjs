// The tools of the build: where they are, whether they have the right version, how they are run.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something that the person who builds can mend. */
export class BuildError extends Error {}

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {string[]} args
 * @param {{cwd?: string, env?: Record<string, string>, quiet?: boolean}} [options] quiet: its output is returned, not shown
 * @returns {string} its standard output, if quiet
 */
export function run(program, args, options = {}) {
  const done = spawnSync(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.error) throw new BuildError(`${program} could not be started: ${done.error.message}. Run \`make setup\`.`);
  if (done.status !== 0) {
    const said = options.quiet ? `\n${done.stderr}` : '';
    throw new BuildError(`${program} ${args.join(' ')} ended with ${done.status ?? done.signal}${said}`);
  }
  return done.stdout ?? '';
}

/** @param {string} root @returns {string} the version of wasm-bindgen that the crates are pinned to */
export function pinnedBindgen(root) {
  const found = /^wasm-bindgen = "=([0-9.]+)"/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'));
  if (!found) throw new BuildError('Cargo.toml pins no wasm-bindgen (`wasm-bindgen = "=X.Y.Z"`)');
  return found[1];
}

/** @param {string} root @param {string} name @returns {string} a program of the npm packages */
export function npmTool(root, name) {
  return join(root, 'node_modules/.bin', name);
}

/** Says what is missing before anything is built. @param {string} root */
export function checkTools(root) {
  const wanted = pinnedBindgen(root);
  const version = run('wasm-bindgen', ['--version'], { quiet: true }).trim();
  if (version !== `wasm-bindgen ${wanted}`) {
    throw new BuildError(
      `found ${version}, and the crate is ${wanted}. Run \`cargo install wasm-bindgen-cli --version ${wanted}\`.`,
    );
  }
  for (const name of ['wasm-opt', 'wasm2js', 'esbuild']) {
    if (!existsSync(npmTool(root, name))) throw new BuildError(`${name} is missing. Run \`npm ci\` in ${root}.`);
  }
}
