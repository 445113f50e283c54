// node_modules as the lock file has it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, npm } from './steps.mjs';

/**
 * Whether what is installed is what the lock file names. Both are lock files: npm keeps one of its own among the
 * modules. Optional packages may be left out (they are for other platforms), but never differ.
 */
export function matches(lock, installed) {
  const same = (path, entry) => {
    const there = installed.packages?.[path];
    if (!there) return Boolean(entry.optional || entry.devOptional || entry.peer);
    return there.version === entry.version && there.integrity === entry.integrity;
  };
  const wanted = Object.entries(lock.packages ?? {}).filter(([path]) => path !== '');
  const known = new Set(wanted.map(([path]) => path));
  return (
    wanted.every(([path, entry]) => same(path, entry)) &&
    Object.keys(installed.packages ?? {}).every((path) => known.has(path))
  );
}

/**
 * Runs `npm ci` in a folder of the checkout if it is needed. No package needs its install script, and some would fetch
 * programs from elsewhere: browsers and their drivers.
 */
export async function prepareModules(folder = '', ...flags) {
  const read = (path) => JSON.parse(readFileSync(join(ROOT, folder, path), 'utf8'));
  const own = 'node_modules/.package-lock.json';
  if (existsSync(join(ROOT, folder, own)) && matches(read('package-lock.json'), read(own))) return;
  await npm(['ci', '--ignore-scripts', ...flags], { cwd: join(ROOT, folder) });
}

/** Older versions of the CLI: half a gigabyte, for the tests alone. */
export const prepareOlderVersions = () => prepareModules('tests/real-cli/versions');

/** The official SDK's type files, without the programs and libraries that it would bring along. */
export const prepareDeclarations = () => prepareModules('tests/protocol', '--omit=optional', '--omit=peer');
