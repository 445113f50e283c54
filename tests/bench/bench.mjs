// `npm run bench [-- speaking|lasting|window] [MIB]`: builds what is measured and prints the figures. `speaking` is what
// comes over a CLI's pipe, against the official SDKs, which are installed into the build folder; `lasting` is what is kept,
// listed and found; `window` is the real window under a display of its own, on Linux. Without a word it is all of it.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { buildPage } from '../setup/page.mjs';
import { ROOT, cargo, main, must, npm } from '../setup/steps.mjs';
import { prepareSystem } from '../setup/system.mjs';

const BENCH = join(ROOT, 'tests', 'bench', 'sdk');
const BUILT = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const SDKS = join(BUILT, 'bench');
const WINDOWS = process.platform === 'win32';
const program = (name) => join(BUILT, 'release', WINDOWS ? `${name}.exe` : name);

/** The SDKs with their locks, without the CLIs that come with them. */
async function installSdks() {
  mkdirSync(SDKS, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', 'read.mjs', 'read.py']) {
    copyFileSync(join(BENCH, file), join(SDKS, file));
  }
  await npm(['ci', '--omit=optional', '--ignore-scripts', '--silent'], { cwd: SDKS });
  const python = join(SDKS, 'python');
  const inside = join(python, WINDOWS ? 'Scripts/python.exe' : 'bin/python');
  if (!existsSync(inside)) await must(WINDOWS ? 'python' : 'python3', ['-m', 'venv', python]);
  // The wheels of this SDK carry a whole CLI; its source does not.
  const args = ['--quiet', '--disable-pip-version-check', '--no-binary', 'claude-agent-sdk'];
  await must(inside, ['-m', 'pip', 'install', ...args, '-r', join(BENCH, 'requirements.txt')]);
}

function title(words) {
  console.log(`\n${words}\n`);
}

async function speaking(size) {
  await installSdks();
  await cargo(['build', '--release', '-p', 'kandev-headless', '-p', 'kandev-bench', '--bins']);
  title('What comes over a pipe');
  await cargo(['run', '--release', '--quiet', '-p', 'kandev-headless', '--example', 'normalize_rate', '--', size]);
  await must(program('kandev-bench'), [program('kandev'), program('kandev-flat-out'), SDKS, size]);
}

async function lasting() {
  const examples = ['opening', 'ingest', 'make_projects', 'list_rate', 'search_rate'];
  await cargo(['build', '--release', '-p', 'kandev-store', ...examples.flatMap((name) => ['--example', name])]);
  const measure = (name, ...args) => must(program(join('examples', name)), args);
  title('Opening sessions of 10, 10,000 and 1,000,000 events, in the store');
  await measure('opening');
  title('What programs print, as lines; 1 GiB of it in a file');
  const screens = ['run', '--release', '--quiet', '-p', 'kandev-transcript', '--example', 'screen_rate', '--', '1024'];
  await cargo(screens);
  title('Views made of what was opened, in the page');
  await npm(['run', '--silent', 'ui:bench']);
  title("The journal's share of ingest");
  await measure('ingest');
  title('The list of 2,000 sessions of terminals, 500 MB');
  const folder = mkdtempSync(join(tmpdir(), 'kandev-bench-'));
  try {
    await measure('make_projects', folder);
    await measure('list_rate', folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  title('Search over 2,000 sessions');
  await measure('search_rate');
}

async function inWindow(debug) {
  const app = ['-p', 'kandev-desktop', '--features', 'custom-protocol'];
  const profile = debug ? [] : ['--release'];
  await prepareSystem({ window: true, tests: true });
  await buildPage();
  await cargo(['build', ...profile, ...app, '--bin', 'kandev-desktop', '--example', 'empty_window']);
  await cargo(['build', ...profile, '-p', 'kandev-rehearsal', '-p', 'kandev-bench', '--bins']);
  title(`The window (${debug ? 'debug' : 'release'} build)`);
  const built = (name) => join(BUILT, debug ? 'debug' : 'release', name);
  // Read by what drives the window, when it is loaded.
  process.env.KANDEV_DESKTOP ??= built('kandev-desktop');
  const { measure } = await import('./window.mjs');
  await measure(built);
}

await main(async () => {
  const args = process.argv.slice(2);
  const only = args.find((arg) => ['speaking', 'lasting', 'window'].includes(arg));
  const asked = (part) => only === undefined || only === part;
  const size = args.find((arg) => /^\d+$/.test(arg)) ?? '64';
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  title(`${cpus().length} x ${model}, ${memory}, ${platform()} ${release()} ${arch()}, node ${process.versions.node}`);
  if (asked('speaking')) await speaking(size);
  if (asked('lasting')) await lasting();
  if (asked('window') && platform() === 'linux') await inWindow(args.includes('debug'));
  return 0;
});
