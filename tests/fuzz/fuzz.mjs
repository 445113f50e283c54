// `npm run fuzz`: writes the seeds and runs the targets, one after the other.
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Missing, ROOT, cargo, main, must, run } from '../setup/steps.mjs';

const FUZZ = join(ROOT, 'tests', 'fuzz');
const TARGETS = readdirSync(join(FUZZ, 'fuzz_targets')).map((name) => name.replace(/\.rs$/, ''));
/** Longer inputs than this find nothing that shorter ones do not, and find it later. */
const LONGEST = 65_536;

await main(async () => {
  const [target, what] = process.argv.slice(2);
  if (target && !TARGETS.includes(target)) throw new Missing(`there is no target ${target}: ${TARGETS.join(', ')}`);
  if ((await run('cargo', ['+nightly', 'fuzz', '--version'], { quiet: true })) !== 0) {
    throw new Missing('fuzzing needs a nightly toolchain and `cargo install cargo-fuzz`');
  }
  await cargo(['run', '--quiet', '-p', 'kandev-conversations', '--example', 'seeds', '--', join(FUZZ, 'corpus')]);
  for (const name of target ? [target] : TARGETS) {
    const again = what && !/^\d+$/.test(what) && statSync(resolve(what)) ? [resolve(what)] : [];
    const limits = again.length ? [] : [`-max_total_time=${what ?? 600}`, `-max_len=${LONGEST}`, '-timeout=20'];
    const args = ['+nightly', 'fuzz', 'run', '--fuzz-dir', FUZZ, name, ...again, '--', ...limits, '-rss_limit_mb=4096'];
    await must('cargo', args);
  }
  return 0;
});
