// A plan in passages that can be commented on, and the comments as the message that sends it back. Pure.

/** `at`: where it begins in the plan, its identity. `text`: its Markdown. `item`: it is an entry of a list. */
export type Passage = { at: number; text: string; item: boolean };
export type PlanComment = { at: number; quote: string; text: string };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^ ?(?:[-*+]|\d{1,9}[.)])\s/;
const HEADING = /^ {0,3}#{1,6}\s/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s+\S/;

/** Headings, paragraphs, tables, code blocks, and each entry of a list by itself. */
export function passagesOf(plan: string): Passage[] {
  const text = plan.replace(/\r\n?/g, '\n');
  const found: { at: number; lines: string[]; item: boolean; over: boolean }[] = [];
  const definitions: string[] = [];
  let fence: string | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const last = found.at(-1);
    const mark = FENCE.exec(line)?.[1] ?? null;
    const inside = fence !== null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null && mark !== null && mark.startsWith(fence) && line.trim() === mark) fence = null;
    if (inside && last) {
      last.lines.push(line);
      if (fence === null) last.over = true;
    } else if (line.trim() === '') {
      if (last) last.over = true;
    } else if (DEFINITION.test(line)) definitions.push(line);
    else {
      const item = ITEM.test(line);
      // What is indented behind an entry belongs to it, also after an empty line.
      const goesOn =
        last !== undefined && !item && !HEADING.test(line) && (!last.over || (last.item && /^ {2,}|^\t/.test(line)));
      if (goesOn && !HEADING.test(last.lines[0] ?? '')) {
        if (last.over) last.lines.push('');
        last.lines.push(line);
        last.over = false;
      } else found.push({ at, lines: [line], item, over: false });
    }
    at += line.length + 1;
  }
  const shared = definitions.length > 0 ? `\n\n${definitions.join('\n')}` : '';
  return found.map((one) => ({ at: one.at, text: one.lines.join('\n') + shared, item: one.item }));
}

/** A quotation is cut to this many UTF-16 units: it names a place. */
const QUOTE = 300;

/** What the denial tells the model: each comment under the passage that it is about, then what was said of the whole. */
export function feedback(comments: PlanComment[], message: string): string {
  const said = message.trim();
  const parts = comments.filter((one) => one.text.trim() !== '').sort((a, b) => a.at - b.at);
  if (parts.length === 0) return said;
  const quoted = (text: string) =>
    (text.length > QUOTE ? `${text.slice(0, QUOTE).trimEnd()} …` : text)
      .trim()
      .split('\n')
      .map((line) => `> ${line}`.trimEnd())
      .join('\n');
  const listed = parts.map((one) => `${quoted(one.quote)}\n\n${one.text.trim()}`);
  return ['Comments on the plan:', ...listed, ...(said === '' ? [] : [`On the whole: ${said}`])].join('\n\n');
}
