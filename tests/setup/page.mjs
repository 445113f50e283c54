// The page that is built into the app. Built again only when a source is newer: cargo embeds it, and a page that was
// written again makes the app be compiled again.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, npm } from './steps.mjs';

/** The time of the newest file in a folder, all below included. */
export function newest(folder, leaveOut = []) {
  return readdirSync(folder, { withFileTypes: true }).reduce((time, entry) => {
    const path = join(folder, entry.name);
    if (leaveOut.includes(entry.name)) return time;
    // A folder's own time tells of a file that is gone.
    const own = statSync(path).mtimeMs;
    return Math.max(time, own, entry.isDirectory() ? newest(path, leaveOut) : 0);
  }, 0);
}

export async function buildPage() {
  const built = join(ROOT, 'ui/dist/index.html');
  const sources = Math.max(
    newest(join(ROOT, 'ui'), ['dist', 'node_modules']),
    statSync(join(ROOT, 'package-lock.json')).mtimeMs,
  );
  if (existsSync(built) && statSync(built).mtimeMs > sources) return;
  await npm(['run', '--silent', 'ui:build']);
}
