// The system's Chromium, and a page in it that tells of everything that goes wrong in it.
import assert from 'node:assert/strict';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { chromium } from 'playwright';
import { Missing, ROOT } from '../setup/steps.mjs';
import { CHROMIUM } from '../setup/system.mjs';
import { site } from './site.mjs';

/** Where the photographs go. */
export const PHOTOS = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'photos');

function executable() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of CHROMIUM) {
      try {
        const path = join(folder, name);
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this one.
      }
    }
  }
  throw new Missing(`Chromium is missing: none of ${CHROMIUM.join(', ')} is on the PATH`);
}

/** Runs in the page before its own scripts. */
function listen() {
  const problems = [];
  Object.defineProperty(window, '__problems', { value: problems });
  document.addEventListener('securitypolicyviolation', (e) =>
    problems.push(`blocked by ${e.violatedDirective}: ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`),
  );
  // For the time at which what was asked for is on screen.
  window.__painted = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
}

/** Chromium on the development pages; closed, and the page held to having had no problem, at the end of the test. */
export async function browsing(t, work, { width = 1440, height = 900, ...more } = {}) {
  const served = await site();
  const browser = await chromium.launch({ executablePath: executable(), args: ['--disable-dev-shm-usage'] });
  try {
    const context = await browser.newContext({ viewport: { width, height }, ...more });
    const page = await context.newPage();
    const problems = [];
    const elsewhere = [];
    page.on('pageerror', (error) => problems.push(`${error.message}\n${error.stack}`));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(served.address) && !/^(data|blob):/.test(request.url()))
        elsewhere.push(request.url());
    });
    await page.addInitScript(listen);
    const bench = {
      page,
      problems,
      /** Opens one of the pages: `dev` or `gallery`, with what stands behind the `#`. */
      open: async (name, hash = {}) => {
        await page.goto('about:blank');
        await page.goto(`${served.address}/${name}.html#${new URLSearchParams(hash)}`);
      },
      photo: async (name, options) => {
        const path = join(PHOTOS, `${name}.png`);
        mkdirSync(dirname(path), { recursive: true });
        await page.screenshot({ path, ...options });
      },
    };
    await work(bench);
    problems.push(...(await page.evaluate(() => window.__problems)));
    assert.deepEqual(problems, [], 'problems in the page');
    assert.deepEqual(elsewhere, [], 'the page asked elsewhere');
  } finally {
    await browser.close();
    await served.close();
  }
}

/** Waits for a condition in the page, which is called with `given`. */
export const until = (page, condition, given) => page.waitForFunction(condition, given, { timeout: 20_000 });
