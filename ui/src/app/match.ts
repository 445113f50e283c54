// Finding by words: every word has to be somewhere, in any order.

export function matches(text: string, words: string): boolean {
  const low = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

/** Lower comes first: the words as they stand at the start of the text, anywhere in it, or scattered. */
export function rank(text: string, words: string): number {
  const at = text.toLowerCase().indexOf(words.trim().toLowerCase());
  return at === 0 ? 0 : at > 0 ? 1 : 2;
}

/** The text in pieces, those that were looked for marked. */
export function marks(text: string, words: string): { text: string; hit: boolean }[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const low = text.toLowerCase();
  const pieces: { text: string; hit: boolean }[] = [];
  let from = 0;
  while (from < text.length) {
    let next = text.length;
    let length = 0;
    for (const word of wanted) {
      const at = low.indexOf(word, from);
      if (at >= 0 && at < next) {
        next = at;
        length = word.length;
      }
    }
    if (next > from) pieces.push({ text: text.slice(from, next), hit: false });
    if (length === 0) break;
    pieces.push({ text: text.slice(next, next + length), hit: true });
    from = next + length;
  }
  return pieces;
}
