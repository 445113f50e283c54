// `npm test`: sets up what is missing and runs everything, the cheap first. Nothing is left out silently.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepareDeclarations, prepareModules, prepareOlderVersions } from './modules.mjs';
import { buildPage } from './page.mjs';
import { Missing, ROOT, cargo, inOrder, main, must, npm } from './steps.mjs';
import { prepareSystem } from './system.mjs';
import { checkTools } from './tools.mjs';

const APP = ['-p', 'kandev-desktop', '--features', 'custom-protocol'];
// The workspace's default members are these without the real CLI's tests.
const CORE = ['--workspace', '--exclude', 'kandev-desktop'];
const DENY_WARNINGS = ['--', '-D', 'warnings'];
// Each of these tests waits for a process most of the time.
const WAITING = ['--', '--test-threads=4'];

/** The real CLI, which npm fetched for this platform. */
function realCli() {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  try {
    const path = join(createRequire(import.meta.url).resolve(`${name}/package.json`), '..', 'claude');
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Missing(`the package ${name} is missing: was \`npm ci\` run without optional packages?`);
  }
}

/** The test files of a folder; none is an error. */
function testsIn(folder) {
  const path = join(ROOT, folder);
  const files = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.test.mjs')) : [];
  if (files.length === 0) throw new Missing(`there are no tests in ${folder}`);
  return files.sort().map((name) => join(folder, name));
}

const node = (folder, ...flags) => must(process.execPath, ['--test', ...flags, ...testsIn(folder)]);

await main(async () => {
  if (process.platform !== 'linux') {
    throw new Missing(
      '`npm test` drives the window with WebKitWebDriver, which is for Linux; elsewhere run `cargo test`',
    );
  }
  const passed = await inOrder([
    [
      'set-up',
      async () => {
        checkTools({ forTests: true });
        await prepareSystem({ window: true, tests: true });
        await prepareModules();
        await prepareOlderVersions();
        await prepareDeclarations();
        realCli();
      },
    ],
    ['Rust: format', () => cargo(['fmt', '--all', '--check'])],
    ['front end: lint and format', () => npm(['run', '--silent', 'ui:lint'])],
    ['test scripts: lint and format', () => npm(['run', '--silent', 'tests:lint'])],
    ['front end: types', () => npm(['run', '--silent', 'ui:check'])],
    ['set-up: tests', () => node('tests/setup')],
    ['protocol: drift', () => node('tests/protocol')],
    ['front end: tests', () => npm(['run', '--silent', 'ui:test'])],
    [
      'page: tests',
      async () => {
        // Not before what is installed is known to be what they need.
        await (await import('../page/site.mjs')).buildPages();
        await node('tests/page', '--test-concurrency=2');
      },
    ],
    ['core: lint', () => cargo(['clippy', ...CORE, '--all-targets', ...DENY_WARNINGS])],
    ['core: tests', () => cargo(['test'])],
    ['real CLI: tests', () => cargo(['test', '-p', 'kandev-real-cli', ...WAITING])],
    ['core: programs', () => cargo(['build', '--bins'])],
    ['front end: build', buildPage],
    ['app: build', () => cargo(['build', ...APP])],
    ['app: lint', () => cargo(['clippy', ...APP, '--all-targets', ...DENY_WARNINGS])],
    ['app: tests and bindings', () => cargo(['test', ...APP])],
    ['window: tests', () => node('tests/window', '--test-concurrency=1')],
  ]);
  return passed ? 0 : 1;
});
