// Texts for tests of diffs: made by chance, the same each time, with what real files hold: both line ends, a last line
// without one, the same line again and again.
import { parseDiff } from '../diff';

export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 3_266_489_917);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  };
}

const WORDS = ['', 'a', 'b', '}', '-- x', '++ y', '@@ -1 +1 @@', '\\ No', 'let x = 1;', ' deep', 'diff --git a/x b/x'];

function line(random: Random): string {
  return `${WORDS[random(WORDS.length)] ?? ''}${random(3) === 0 ? String(random(50)) : ''}${random(6) === 0 ? '\r' : ''}\n`;
}

export function someText(random: Random): string {
  const text = Array.from({ length: random(30) }, () => line(random)).join('');
  return random(4) === 0 ? text.replace(/\r?\n$/, '') : text;
}

export function changed(text: string, random: Random): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (let n = 1 + random(4); n > 0; n--) {
    const at = random(lines.length + 1);
    lines.splice(at, random(3), ...Array.from({ length: random(3) }, () => line(random)));
  }
  // Only the last line can be without an end.
  const whole = lines.map((one, i) => (i < lines.length - 1 && !one.endsWith('\n') ? `${one}\n` : one)).join('');
  return random(6) === 0 ? whole.replace(/\r?\n$/, '') : whole;
}

/** What a diff of one file makes of a text; throws where it does not fit. */
export function applied(text: string, diff: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const hunk of parseDiff(diff).files[0]?.hunks ?? []) {
    const old = hunk.lines.filter((l) => l.old !== null).length;
    const from = old === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (from < at) throw new Error(`the hunk at ${hunk.oldStart} comes after line ${at}`);
    out.push(...lines.slice(at, from));
    at = from;
    if ((hunk.newStart || 1) !== out.length + 1 && hunk.lines.some((l) => l.new !== null))
      throw new Error(`the hunk at ${hunk.newStart} stands at ${out.length + 1}`);
    for (const one of hunk.lines) {
      const whole = `${one.text}${one.crlf ? '\r' : ''}${one.noNewline ? '' : '\n'}`;
      if (one.old !== null && lines[at++] !== whole) throw new Error(`line ${at} is not ${JSON.stringify(whole)}`);
      if (one.new !== null) out.push(whole);
    }
  }
  return [...out, ...lines.slice(at)].join('');
}
