// The questions of AskUserQuestion, from the shape the tool was given them in (PROTOCOL 5.2). Pure: fields that are missing
// or odd make a plainer question, never an error.
import { isRecord } from './detail';

export type Option = { label: string; description: string | null; preview: string | null };
export type Question = { text: string; header: string | null; multiple: boolean; options: Option[] };

export function readQuestions(raw: unknown[]): Question[] {
  return raw.filter(isRecord).map((q) => ({
    text: textOf(q.question) ?? textOf(q.header) ?? '',
    header: textOf(q.header),
    multiple: q.multiSelect === true,
    options: Array.isArray(q.options) ? q.options.map(readOption).filter((o) => o !== null) : [],
  }));
}

function readOption(raw: unknown): Option | null {
  if (typeof raw === 'string') return { label: raw, description: null, preview: null };
  if (!isRecord(raw)) return null;
  const label = textOf(raw.label);
  return label === null ? null : { label, description: textOf(raw.description), preview: textOf(raw.preview) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Which options an answer names, and what it says besides (PROTOCOL 6.3: several labels are joined by `, `). */
export function takenOf(question: Question, answer: string | null): { labels: string[]; other: string | null } {
  if (answer === null || answer.trim() === '') return { labels: [], other: null };
  const labels = question.options.map((option) => option.label);
  if (labels.includes(answer)) return { labels: [answer], other: null };
  if (!question.multiple) return { labels: [], other: answer };
  // Labels may hold commas themselves: the longest that fits is taken from the front, as long as one does.
  const taken: string[] = [];
  let rest = answer;
  for (;;) {
    const fits = (label: string) => rest === label || rest.startsWith(`${label}, `);
    const next = labels.filter((label) => !taken.includes(label) && fits(label)).sort((a, b) => b.length - a.length)[0];
    if (next === undefined) break;
    taken.push(next);
    rest = rest.slice(next.length).replace(/^, /, '');
    if (rest === '') break;
  }
  return { labels: taken, other: rest === '' ? null : rest };
}
