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

/** The whole path of one that may be told from `folder` on. */
export function absolute(path: string, folder: string): string {
  if (/^([\\/~]|[A-Za-z]:[\\/])/.test(path) || folder === '') return path;
  const separator = /^[A-Za-z]:\\|^\\\\/.test(folder) ? '\\' : '/';
  return `${folder.replace(/[\\/]+$/, '')}${separator}${path.replace(/^\.[\\/]/, '')}`;
}
