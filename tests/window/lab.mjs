// One test in one lab: opened, used, closed, and held to what every test must hold.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Lab, RECORDINGS, until } from './harness.mjs';
import { Page } from './page.mjs';

/** A lab whose apps are pages. */
class Bench {
  pages = [];

  constructor(lab) {
    this.lab = lab;
    this.root = lab.root;
    this.home = lab.home;
    this.data = lab.data;
    this.workspace = lab.workspace;
  }

  folder(name) {
    return this.lab.folder(name);
  }

  spawn(program, args, options) {
    return this.lab.spawn(program, args, options);
  }

  run(args, env) {
    return this.lab.run(args, env);
  }

  processes() {
    return this.lab.processes();
  }

  async page(args, env) {
    const page = new Page(await this.lab.app(args, env));
    this.pages.push(page);
    return page;
  }

  /** The text of a recorded conversation whose name begins so. */
  recording(name) {
    const file = readdirSync(RECORDINGS).find((entry) => entry.startsWith(name));
    assert.ok(file, `there is no recording ${name}`);
    return readFileSync(join(RECORDINGS, file), 'utf8');
  }

  file(path) {
    const full = join(this.root, path);
    return existsSync(full) ? readFileSync(full, 'utf8') : null;
  }

  /** The names in a folder. */
  list(path) {
    return readdirSync(join(this.root, path));
  }

  /** Waits for a file's content. */
  async has(path, text) {
    await until(`${path} holds ${JSON.stringify(text)}`, () => this.file(path)?.includes(text));
  }
}

/** Opens a lab for a test and closes it. At the end no page may have a problem, and no process may be left. */
export async function inLab(t, options, work) {
  if (typeof options === 'function') [options, work] = [{}, options];
  const lab = await Lab.open(options);
  const bench = new Bench(lab);
  try {
    await work(bench);
    for (const page of bench.pages.filter((one) => !one.app.ended)) {
      assert.deepEqual(await page.app.problems(), [], 'problems in the page');
      await page.app.quit();
    }
    await until('nothing is left running', () => lab.processes().length === 0, { within: 5_000 }).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(lab.processes(), null, 1)}`);
    });
  } catch (error) {
    for (const page of bench.pages.filter((one) => !one.app.ended)) {
      const shown = await page.text().catch(() => 'nothing');
      const problems = await page.app.problems().catch(() => []);
      t.diagnostic(`the page showed:\n${shown}\nproblems: ${JSON.stringify(problems)}`);
      if (process.env.KANDEV_TEST_SHOTS) {
        const file = join(process.env.KANDEV_TEST_SHOTS, `${t.name.replaceAll(/\W+/g, '-')}.png`);
        await page.browser.saveScreenshot(file).catch(() => {});
      }
    }
    throw error;
  } finally {
    await lab.close();
  }
}
