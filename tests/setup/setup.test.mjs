// The deciding parts of the set-up, without a machine under them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { matches } from './modules.mjs';
import { newest } from './page.mjs';
import { ROOT, inOrder } from './steps.mjs';
import { isDebian, needs, unmet } from './system.mjs';
import { atLeast, problems, versionIn } from './tools.mjs';

test('versions are read and compared as numbers', () => {
  assert.deepEqual(versionIn('cargo 1.95.0 (f2d3ce0bd 2026-03-21)'), [1, 95, 0]);
  assert.deepEqual(versionIn('>=20.19'), [20, 19, 0]);
  assert.equal(versionIn(undefined), null);
  assert.ok(atLeast([20, 19, 0], [20, 19, 0]) && atLeast([21, 0, 0], [20, 19, 0]) && atLeast([1, 100, 0], [1, 90, 5]));
  assert.ok(!atLeast([20, 9, 0], [20, 19, 0]) && !atLeast([19, 99, 0], [20, 19, 0]));
});

test('tools that are old or missing are named with what to do', () => {
  const good = {
    node: [22, 1, 0],
    cargo: [1, 95, 0],
    components: { rustfmt: 'rustfmt 1.8' },
    wantedNode: [20, 19, 0],
    wantedRust: [1, 90, 0],
  };
  assert.deepEqual(problems(good), []);
  assert.match(problems({ ...good, node: [18, 0, 0] }).join(), /Node 18\.0\.0 is too old: 20\.19\.0/);
  assert.match(problems({ ...good, cargo: null }).join(), /Rust is missing.*rustup\.rs/);
  assert.match(problems({ ...good, cargo: [1, 63, 0] }).join(), /Rust 1\.63\.0 is too old.*rustup update/);
  assert.match(problems({ ...good, components: { clippy: undefined } }).join(), /rustup component add clippy/);
});

test('what is missing is found by kind, and nothing that is there is asked for', () => {
  const all = needs({ window: true, tests: true });
  const there = { hasCommand: () => true, hasModule: () => true, hasFiles: () => true };
  assert.deepEqual(unmet(all, there), []);
  const packages = (has) => unmet(all, { ...there, ...has }).map(([, , name]) => name);
  assert.deepEqual(packages({ hasModule: (name) => name !== 'webkit2gtk-4.1' }), ['libwebkit2gtk-4.1-dev']);
  assert.deepEqual(packages({ hasCommand: (name) => name !== 'Xvfb' }), ['xvfb']);
  assert.deepEqual(packages({ hasCommand: (name) => !/^(chromium|google-chrome)/.test(name) }), ['chromium']);
  assert.deepEqual(packages({ hasCommand: (name) => name !== 'chromium' }), [], 'it has another name there');
  assert.deepEqual(packages({ hasFiles: () => false }), ['fonts-dejavu-core']);
  const none = { hasCommand: () => false, hasModule: () => false, hasFiles: () => false };
  assert.deepEqual(unmet(all, none), all);
});

test('a start without a display needs nothing of the window', () => {
  const packages = needs({ window: false, tests: false }).map(([, , name]) => name);
  assert.deepEqual(packages, ['build-essential']);
});

test('Debian and its kin are known by os-release', () => {
  assert.ok(isDebian('PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n'));
  assert.ok(isDebian('ID=ubuntu\nID_LIKE=debian\n'));
  assert.ok(isDebian('ID=linuxmint\nID_LIKE="ubuntu debian"\n'));
  assert.ok(!isDebian('ID=fedora\n') && !isDebian('ID=arch\nNAME="not debian"\n') && !isDebian(''));
});

test('modules match their lock file, or are installed again', () => {
  const lock = {
    packages: {
      '': { name: 'x' },
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
    },
  };
  const a = lock.packages['node_modules/a'];
  const installed = (packages) => ({ packages });
  assert.ok(matches(lock, installed({ 'node_modules/a': a })));
  assert.ok(!matches(lock, installed({})), 'one is missing');
  assert.ok(!matches(lock, installed({ 'node_modules/a': { ...a, version: '2.0.0' } })), 'another version');
  assert.ok(!matches(lock, installed({ 'node_modules/a': { ...a, integrity: 'sha512-b' } })), 'another content');
  assert.ok(!matches(lock, installed({ 'node_modules/a': a, 'node_modules/b': a })), 'one too many');
  const odd = { version: '3.0.0', integrity: 'sha512-o' };
  assert.ok(!matches(lock, installed({ 'node_modules/a': a, 'node_modules/other-platform': odd })));
});

test('the newest source counts, wherever it lies, and what was built does not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const put = (place, seconds) => {
    mkdirSync(join(folder, place, '..'), { recursive: true });
    writeFileSync(join(folder, place), '');
    utimesSync(join(folder, place), seconds, seconds);
  };
  put('a/b/deep.ts', 2_000_000_000);
  put('top.ts', 1_000_000_000);
  put('dist/index.html', 2_100_000_000);
  assert.equal(newest(folder, ['dist']), 2_000_000_000_000);
});

test('steps stop at the first failure, by its name', async () => {
  const said = [];
  const ran = [];
  const step = (name, fails) => [
    name,
    async () => {
      ran.push(name);
      if (fails) throw new Error('it broke');
    },
  ];
  const say = (line) => said.push(line);
  assert.equal(await inOrder([step('one'), step('two', true), step('three')], { say }), false);
  assert.deepEqual(ran, ['one', 'two']);
  assert.match(said.join('\n'), /FAILED: two \(.*\): it broke\n1 passed, 1 failed, 1 not reached$/);

  said.length = 0;
  assert.equal(await inOrder([step('one'), step('two')], { say }), true);
  assert.equal(said.at(-1), '\n2 passed, 0 failed');
});

test('no lock file names a host', () => {
  for (const folder of ['', 'tests/real-cli/versions', 'tests/protocol']) {
    const { packages } = JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8'));
    const named = Object.entries(packages).filter(([, entry]) => entry.resolved);
    assert.deepEqual(named, [], folder);
  }
});
