// `npm run bench [MIB]`: builds what is measured, installs the official SDKs into the build folder, prints the figures.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { arch, cpus, platform, release } from 'node:os';
import { join } from 'node:path';
import { ROOT, cargo, main, must, npm } from '../setup/steps.mjs';

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

await main(async () => {
  const size = process.argv[2] ?? '64';
  await installSdks();
  await cargo(['build', '--release', '-p', 'kandev-headless', '-p', 'kandev-bench', '--bins']);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  console.log(`\n${cpus().length} x ${model}, ${platform()} ${release()} ${arch()}, node ${process.versions.node}\n`);
  await cargo(['run', '--release', '--quiet', '-p', 'kandev-headless', '--example', 'normalize_rate', '--', size]);
  await must(program('kandev-bench'), [program('kandev'), program('kandev-flat-out'), SDKS, size]);
  return 0;
});
