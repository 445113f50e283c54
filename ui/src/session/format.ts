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

/** `14:02` today, `3 Nov 14:02` on another day, `3 Nov 2025, 14:02` in another year: a history goes far back. */
export function momentOf(at: string | number, now = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)];
  const time = timeOfDay(at);
  if (time === '' || then.toDateString() === today.toDateString()) return time;
  const day = `${then.getDate()} ${then.toLocaleDateString('en', { month: 'short' })}`;
  return then.getFullYear() === today.getFullYear() ? `${day} ${time}` : `${day} ${then.getFullYear()}, ${time}`;
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
