// The beginning of a long text, found without cutting the whole into lines. Pure.

export type Beginning = {
  text: string;
  /** Lines of the whole. */
  total: number;
  /** Characters were left out besides whole lines, or lines were. */
  cut: boolean;
};

/** At most `lines` lines and `chars` UTF-16 units of `text`. */
export function beginning(text: string, lines: number, chars: number): Beginning {
  let total = 0;
  let end = text.length;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    total++;
    if (total === lines) end = at;
  }
  if (text !== '' && !text.endsWith('\n')) total++;
  if (end > chars) {
    end = chars;
    // Not through the middle of a surrogate pair.
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff) end--;
  }
  const rest = text.length - end;
  return { text: rest === 0 ? text : text.slice(0, end), total, cut: rest > 1 || (rest === 1 && text[end] !== '\n') };
}
