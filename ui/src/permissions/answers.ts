// A person's answers to the questions of AskUserQuestion, and the input that carries them back (PROTOCOL 6.3). Pure.
import { isRecord } from '../tools/detail';
import type { Question } from '../tools/questions';

/** What is chosen for one question. */
export type Choice = { labels: string[]; other: string; useOther: boolean };

export const noChoice = (): Choice => ({ labels: [], other: '', useOther: false });

/** Takes or leaves an option: several where the question allows it, else this one alone. */
export function choose(question: Question, choice: Choice, label: string): Choice {
  if (!question.multiple) return { ...choice, labels: [label], useOther: false };
  const labels = choice.labels.includes(label) ? choice.labels.filter((l) => l !== label) : [...choice.labels, label];
  return { ...choice, labels };
}

export function chooseOther(question: Question, choice: Choice, on: boolean): Choice {
  return { ...choice, labels: question.multiple ? choice.labels : [], useOther: on };
}

/** The answer as the CLI takes it, or null while there is none. Labels stand in the order they were offered in. */
export function answerOf(question: Question, choice: Choice): string | null {
  const labels = question.options.map((o) => o.label).filter((label) => choice.labels.includes(label));
  const other = choice.useOther ? choice.other.trim() : '';
  if (choice.useOther && other === '') return null;
  const parts = other === '' ? labels : [...labels, other];
  return parts.length === 0 ? null : parts.join(', ');
}

/** All answers by the text of their question, or null while one is missing. */
export function answersOf(questions: Question[], choices: Choice[]): Record<string, string> | null {
  const answers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [i, question] of questions.entries()) {
    const answer = answerOf(question, choices[i] ?? noChoice());
    if (answer === null) return null;
    answers[question.text] = answer;
  }
  return { ...answers };
}

/** How many are answered. */
export function answered(questions: Question[], choices: Choice[]): number {
  return questions.filter((q, i) => answerOf(q, choices[i] ?? noChoice()) !== null).length;
}

export function answeredInput(input: unknown, answers: Record<string, string>): unknown {
  return { ...(isRecord(input) ? input : {}), answers };
}
