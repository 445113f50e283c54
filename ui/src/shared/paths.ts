// Paths as words. Pure; knows both separators.

/** A path inside `folder` without it; any other as it is. */
export function within(path: string, folder: string): string {
  const base = folder.replace(/[\\/]+$/, '');
  if (base === '' || !path.startsWith(base)) return path;
  const rest = path.slice(base.length);
  return /^[\\/]./.test(rest) ? rest.slice(1) : rest === '' || /^[\\/]$/.test(rest) ? '.' : path;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return (
    path
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) || path
  );
}
