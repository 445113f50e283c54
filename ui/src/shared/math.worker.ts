// Makes MathML of formulas off the main thread: a hostile one can only keep this thread busy.
import { mathMl } from './mathMl';

export type MathQuestion = { text: string; display: boolean };
export type MathAnswer = { mathml: string } | { problem: string };

self.onmessage = ({ data }: MessageEvent<MathQuestion>) => {
  self.postMessage(mathMl(data.text, data.display) satisfies MathAnswer);
};
