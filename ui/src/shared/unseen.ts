// Characters that hide or reorder what is shown: control characters, zero-width ones, and the marks that turn the writing
// direction. In code and in anything a person is asked to allow they are drawn by name, so that what is shown is what is there.

// Tab, line feed and carriage return are laid out by others; the joiners inside emoji and Indic words stay as they are.
const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}-\u{e007f}]/gu;

const NAMES: Record<number, string> = {
  0x00: 'NUL',
  0x07: 'BEL',
  0x08: 'BS',
  0x0d: 'CR',
  0x1b: 'ESC',
  0x7f: 'DEL',
};

export type Piece = { from: number; to: number; name: string };

/** Where a text has such characters, and what to show for them. */
export function unseen(text: string): Piece[] {
  const found: Piece[] = [];
  for (const match of text.matchAll(UNSEEN)) {
    const code = match[0].codePointAt(0) ?? 0;
    const name = NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    found.push({ from: match.index, to: match.index + match[0].length, name });
  }
  return found;
}
