// What an agent reads of a page: tokens of Cairn's `browser_snapshot` against those of playwright-mcp's, on the pages of the demo
// application, both driven over MCP, counted by one tokenizer (o200k).
//
// Usage: node tests/bench/tokens.mjs CAIRN FOLDER-WITH-NODE_MODULES; prints a Markdown table.
// @ts-check

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [cairn, packages] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(packages, 'package.json'));
// By a name of its own: the package is in that folder alone, and types are looked for here.
const tokenizer = 'gpt-tokenizer/encoding/o200k_base';
const { encode } = require(tokenizer);
const browser = process.env.CAIRN_BROWSER ?? '/usr/bin/chromium';

/** A server that is spoken to over stdin and stdout. */
class Agent {
  #child;
  #last = 0;
  /** @type {Map<number, (answer: any) => void>} */
  #waiting = new Map();

  /**
   * @param {string} program
   * @param {string[]} args
   * @param {string} folder
   */
  constructor(program, args, folder) {
    this.#child = spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
    });
  }

  /** @param {any} message */
  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /**
   * @param {string} method
   * @param {any} params
   * @returns {Promise<any>}
   */
  ask(method, params) {
    const id = ++this.#last;
    this.#send({ id, method, params });
    return new Promise((done) => this.#waiting.set(id, done));
  }

  async greet() {
    const clientInfo = { name: 'tokens', version: '1' };
    await this.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
  }

  /**
   * @param {string} name
   * @param {any} given
   * @returns {Promise<string>}
   */
  async call(name, given) {
    const { result, error } = await this.ask('tools/call', { name, arguments: given });
    const text = result?.content?.map((/** @type {any} */ part) => part.text ?? '').join('\n');
    if (error || result.isError) throw new Error(`${name}: ${error?.message ?? text}`);
    return text;
  }

  end() {
    this.#child.stdin.end();
    this.#child.kill('SIGTERM');
  }
}

/**
 * @param {string} page
 * @param {string} what
 */
function ref(page, what) {
  const line = page.split('\n').find((one) => one.includes(what));
  const found = line?.match(/\[ref=([^\]]+)\]/);
  if (!found) throw new Error(`no ${what} in\n${page}`);
  return found[1];
}

/**
 * The pages of the errand, as one agent sees them.
 * @param {Agent} agent
 * @param {{ url: string, email: string, password: string }} desk
 */
async function pages(agent, { url, email, password }) {
  /** @type {Map<string, number>} */
  const counted = new Map();
  const look = async (/** @type {string} */ name) => {
    const text = await agent.call('browser_snapshot', {});
    counted.set(name, encode(text).length);
    return text;
  };
  const settle = () => new Promise((done) => setTimeout(done, 600));
  await agent.call('browser_navigate', { url });
  const first = await look('sign-in');
  const type = (/** @type {string} */ what, /** @type {string} */ text) =>
    agent.call('browser_type', { element: what, ref: ref(first, what), target: ref(first, what), text });
  await type('"Email"', email);
  await type('"Password"', password);
  const button = ref(first, 'button "Sign in"');
  await agent.call('browser_click', { element: 'Sign in', ref: button, target: button });
  await settle();
  await look('applications');
  for (const [name, path] of [
    ['equipment, 1st page', 'equipment'],
    ['equipment, search', 'equipment?q=camera'],
    ['booking form', 'equipment/c-7/book'],
  ]) {
    await agent.call('browser_navigate', { url: new URL(path, url).href });
    await settle();
    await look(name);
  }
  return counted;
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-tokens-'));
const site = spawn(cairn, ['demo-site', '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
const lines = createInterface({ input: site.stdout });
/** @type {{ url: string, email: string, password: string }} */
const desk = await new Promise((done) => lines.once('line', (line) => done(JSON.parse(line))));
const ours = new Agent(cairn, ['mcp'], folder);
const theirs = new Agent(
  process.execPath,
  [
    join(packages, 'node_modules/@playwright/mcp/cli.js'),
    ...['--headless', '--no-sandbox', '--isolated', '--executable-path', browser, '--viewport-size', '1280,720'],
  ],
  folder,
);
try {
  await Promise.all([ours.greet(), theirs.greet()]);
  const mine = await pages(ours, desk);
  const other = await pages(theirs, desk);
  const rows = [...mine].map(([name, count]) => ({ name, count, than: other.get(name) ?? 0 }));
  const sum = (/** @type {'count' | 'than'} */ key) => rows.reduce((all, row) => all + row[key], 0);
  console.log('| page | Cairn | playwright-mcp | share |\n|---|---|---|---|');
  for (const { name, count, than } of [...rows, { name: '**all**', count: sum('count'), than: sum('than') }]) {
    console.log(`| ${name} | ${count} | ${than} | ${Math.round((count / than) * 100)} % |`);
  }
  process.exitCode = sum('count') <= sum('than') * 0.4 ? 0 : 1;
} finally {
  ours.end();
  theirs.end();
  site.kill();
  rmSync(folder, { recursive: true, force: true });
}
