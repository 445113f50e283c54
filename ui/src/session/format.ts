// Money, moments and paths as words. What counts time is in `shared/time.ts`.

export function dollars(n: number): string {
  return n > 0 && n < 0.005 ? 'under $0.01' : `$${n.toFixed(2)}`;
}

/** `14:02`. */
export function timeOfDay(at: string | number): string {
  const d = new Date(at);
  return Number.isNaN(d.getTime())
    ? ''
    : `${String(d.getHours()).padStart(2, '0')}:${String(d.getMinutes()).padStart(2, '0')}`;
}

/** `18:20` today, `Thu` later. */
export function resetsAt(ms: number, now: number): string {
  const sameDay = new Date(ms).toDateString() === new Date(now).toDateString();
  return sameDay || ms - now < 20 * 3_600_000
    ? timeOfDay(ms)
    : new Date(ms).toLocaleDateString('en', { weekday: 'short' });
}

/** The folder's own name and the path of the folder it is in. */
export function folder(path: string): { name: string; parent: string } {
  const parts = path.replace(/[\\/]+$/, '').split(/[\\/]/);
  const name = parts.pop() ?? path;
  return { name: name || path, parent: home(parts.join('/') || '/') };
}

/** A path with the home folder as `~`. */
export function home(path: string): string {
  return path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=$|[\\/])/, '~');
}
