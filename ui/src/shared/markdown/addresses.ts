// Which addresses of a text may be acted on, and how. Pure.

/** A web or mail address as it may be opened, or null: no script, no file, no relative path. */
export function safeUrl(href: string): string | null {
  try {
    const url = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** An image that is in the text itself, in a format that cannot carry script. */
export function safeImage(href: string): string | null {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/.test(href) ? href : null;
}

/** A place in a file, as an editor opens it; line and column from 1. */
export type FilePlace = { path: string; line: number | null; column: number | null };

const LONGEST = 300;
const DRIVE = /^[A-Za-z]:[\\/]/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const PLACE = /^(.+?)(?::(\d{1,7})(?::(\d{1,5}))?|#L(\d{1,7})(?:-L?\d{1,7})?|\((\d{1,7})(?:,(\d{1,5}))?\))?$/;
/** The last part of a path: a name with an ending, or a known name without one. */
const FILE = /^(?:[^\s/\\:*?"<>|]*\.[A-Za-z][A-Za-z0-9_-]{0,11}|Makefile|Dockerfile|LICENSE|README|Justfile|Gemfile)$/;
const HOST = /^(?:www\.|[\w-]+\.(?:com|org|net|io|dev|app|ai|example)$)/i;

/** The file that a piece of inline code names, or null: `src/a.rs`, `a.rs:12`, `C:\x\a.rs:3:4`, but no `a.b` and no `and/or`. */
export function fileNamed(text: string): FilePlace | null {
  if (text.length > LONGEST || /[\s`'"<>|*?{}$=]/.test(text)) return null;
  const place = placeOf(text);
  if (!place || (SCHEME.test(place.path) && !DRIVE.test(place.path))) return null;
  const parts = place.path.split(/[\\/]/);
  if (parts.length === 1 && place.line === null) return null;
  if (!FILE.test(parts.at(-1) ?? '') || HOST.test(parts[0] ?? '')) return null;
  return place;
}

/** The file that a link leads to, or null: what is no address with a scheme and no place in the page. */
export function fileLinked(href: string): FilePlace | null {
  let path = href;
  if (/^file:\/\/\//i.test(path)) path = path.slice(/^file:\/\/\/[A-Za-z]:/i.test(path) ? 8 : 7);
  if (path === '' || path.length > LONGEST * 4 || path.startsWith('#') || path.startsWith('//')) return null;
  if (SCHEME.test(path) && !DRIVE.test(path) && !/^[^/\\:]+\.\w+:\d/.test(path)) return null;
  try {
    path = decodeURIComponent(path);
  } catch {
    // A percent sign that belongs to the name.
  }
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u001f]/.test(path) ? null : placeOf(path);
}

function placeOf(text: string): FilePlace | null {
  const match = PLACE.exec(text);
  if (!match?.[1]) return null;
  const number = (digits: string | undefined) => (digits ? Number(digits) : null);
  return {
    path: match[1],
    line: number(match[2] ?? match[4] ?? match[5]),
    column: number(match[3] ?? match[6]),
  };
}

/** The host that a link really leads to, where its words look like another address; else null. */
export function disguised(words: string, url: string): string | null {
  const shown = /^\s*(?:https?:\/\/)?((?:[\w-]+\.)+[A-Za-z]{2,})(?:[/?#:]|\s*$)/i.exec(words)?.[1]?.toLowerCase();
  if (!shown) return null;
  const host = new URL(url).hostname.toLowerCase();
  const bare = (name: string) => name.replace(/^www\./, '');
  return host !== '' && bare(host) !== bare(shown) ? host : null;
}
