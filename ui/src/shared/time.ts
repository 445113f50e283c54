// Times and counts in words. Pure: whoever shows a moving one passes `now` in.

/** A running clock: `0:07`, `11:04`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** How long something took, tenths where they tell something: `0.1 s`, `12.4 s`, `1 min 48 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 59_950) return `${(Math.max(0, ms) / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  return waited(ms);
}

/** How long a person waited or was waited for, in whole seconds: `9 s`, `1 min 12 s`, `3 h 48 min`, `2 d`. */
export function waited(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  const m = Math.floor(s / 60);
  if (m < 60) return s % 60 === 0 ? `${m} min` : `${m} min ${s % 60} s`;
  const h = Math.floor(m / 60);
  if (h < 24) return m % 60 === 0 ? `${h} h` : `${h} h ${m % 60} min`;
  return `${Math.floor(h / 24)} d`;
}

/** An age, one unit: `now`, `38 s`, `6 min`, `3 h`, `2 d`. */
export function age(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 1) return 'now';
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h`;
  return `${Math.floor(s / 86_400)} d`;
}

/** How long until something, in minutes and more: `under 1 min`, `12 min`, `3 h 48 min`, `2 d 4 h`. */
export function until(ms: number): string {
  const m = Math.floor(Math.max(0, ms) / 60_000);
  if (m < 1) return 'under 1 min';
  if (m < 60) return `${m} min`;
  const h = Math.floor(m / 60);
  if (h < 24) return m % 60 === 0 ? `${h} h` : `${h} h ${m % 60} min`;
  return h % 24 === 0 ? `${Math.floor(h / 24)} d` : `${Math.floor(h / 24)} d ${h % 24} h`;
}

/** Milliseconds between two RFC 3339 times, or null where one cannot be read. */
export function between(from: string | null | undefined, to: string | number | null | undefined): number | null {
  if (from == null || to == null) return null;
  const start = Date.parse(from);
  const end = typeof to === 'number' ? to : Date.parse(to);
  return Number.isNaN(start) || Number.isNaN(end) ? null : Math.max(0, end - start);
}

/** The exact local time, for hovering. */
export function exact(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `950`, `12.4k`, `200k`, `1.2M`. */
export function count(n: number): string {
  const short = (value: number) => (value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, ''));
  if (n < 1000) return String(Math.round(n));
  return n < 999_500 ? `${short(n / 1000)}k` : `${short(n / 1_000_000)}M`;
}

/** `412 B`, `48 kB`, `1.4 MB`. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 999_500) return `${Math.round(n / 1000)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

/** `1 line`, `2 lines`; thousands apart by a thin space. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** `20 000` (the space is a narrow no-break one). */
export function grouped(n: number): string {
  return n < 10_000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
