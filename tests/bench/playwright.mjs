// The rival's half of the benchmark: a Playwright user's way to do the same on the same page. Reads one JSON line a
// request on stdin (`{"do":"form","url"}`, `{"do":"flow","url"}` or `{"do":"list","url"}`) and answers with one line: the milliseconds.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'));
const SCRIPTS = { form: read('form'), flow: read('flow') };
const executablePath = process.env.CAIRN_BROWSER ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });

/** @type {Record<string, (locator: import('playwright-core').Locator, value: string) => Promise<unknown>>} */
const ACTS = {
  fill: (locator, value) => locator.fill(value),
  select: (locator, value) => locator.selectOption({ label: value }),
  check: (locator) => locator.check(),
  click: (locator) => locator.click(),
  see: (locator) => locator.waitFor(),
};

/** @param {string} url @param {'form' | 'flow'} name */
async function form(url, name) {
  const script = SCRIPTS[name];
  await page.goto(url);
  const began = performance.now();
  for (const step of script.steps) {
    await ACTS[step.do](page.getByRole(step.role, { name: step.name, exact: true }), step.value);
  }
  await page.getByRole(script.end.role, { name: script.end.name }).waitFor();
  return performance.now() - began;
}

/** @param {string} url */
async function list(url) {
  if (page.url() !== url) await page.goto(url);
  const began = performance.now();
  await page.locator('body').ariaSnapshot();
  return performance.now() - began;
}

/** The floor: a plain loop that reads the box and three computed styles of every element. */
async function floor() {
  return await page.evaluate(() => {
    const began = performance.now();
    let sum = 0;
    for (const element of document.querySelectorAll('*')) {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      sum += box.width + style.cursor.length + style.display.length + style.visibility.length;
    }
    return Number.isNaN(sum) ? 0 : performance.now() - began;
  });
}

/** A plain loop of checkVisibility over every element. */
async function checks() {
  return await page.evaluate(() => {
    const began = performance.now();
    let seen = 0;
    for (const element of document.querySelectorAll('*')) if (element.checkVisibility()) seen++;
    return seen < 0 ? 0 : performance.now() - began;
  });
}

/** Bytes of the snapshot that agents get. */
async function bytes() {
  const snapshot = await page.locator('body').ariaSnapshot({ mode: 'ai' });
  return Buffer.byteLength(snapshot);
}

/** How many elements the page has, and how many of them can be used. */
async function count() {
  return await page.evaluate(() => [
    document.querySelectorAll('*').length,
    document.querySelectorAll('a[href], button, input').length,
  ]);
}

console.log(JSON.stringify({ ready: true, browser: browser.version() }));
for await (const line of createInterface({ input: process.stdin })) {
  const { do: what, url } = JSON.parse(line);
  const answer =
    what === 'form' || what === 'flow'
      ? { ms: await form(url, what) }
      : what === 'list'
        ? {
            ms: await list(url),
            floor: await floor(),
            checks: await checks(),
            bytes: await bytes(),
            count: await count(),
          }
        : {};
  console.log(JSON.stringify(answer));
}
await browser.close();
