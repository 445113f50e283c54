import { describe, expect, it } from 'vitest';
import type { OutputPart } from '../backend/outputs';
import { findIn, isPlain, lineCount, OutputLines, pieces, plainLines, textOfLine, type Ask } from './output';
import { randomFrom } from './testing/texts';

const answered = () => new Promise((resolve) => setTimeout(resolve, 0));

/** A program's output that may grow, and what was asked of it. */
class Program {
  asked: [number, number][] = [];
  open = 0;
  most = 0;
  constructor(
    public total: number,
    private readonly line: (at: number) => string = (at) => `line ${at}`,
    private readonly atMost = 2000,
  ) {}
  readonly ask: Ask = async (from, count) => {
    this.asked.push([from, count]);
    this.open += 1;
    this.most = Math.max(this.most, this.open);
    await Promise.resolve();
    this.open -= 1;
    const start = from < 0 ? Math.max(0, this.total + from) : Math.min(from, this.total);
    const end = Math.min(this.total, start + Math.min(count, this.atMost));
    return {
      from: start,
      lines: Array.from({ length: end - start }, (_, i) => ({ runs: [{ text: this.line(start + i) }] })),
      total: this.total,
      bytes: this.total * 8,
      done: false,
      problem: null,
    } satisfies OutputPart;
  };
}

const shown = (lines: OutputLines, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const line = lines.line(from + i);
    return line ? textOfLine(line) : null;
  });

/** Wants what is in sight until it is all there, as a view does. */
async function see(lines: OutputLines, from: number, to: number): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    lines.want(from, to);
    if (!lines.busy) return;
    await answered();
  }
  throw new Error('it never had enough');
}

describe('lines by ranges', () => {
  it('are asked for once, when they come into sight', async () => {
    const program = new Program(1_000_000);
    const lines = new OutputLines(program.ask, () => undefined);
    await see(lines, 0, 18);
    expect([program.asked, lines.total]).toEqual([[[0, 18]], 1_000_000]);
    await see(lines, 500_000, 500_030);
    await see(lines, 500_010, 500_040);
    expect(program.asked).toHaveLength(2);
    expect(shown(lines, 500_000, 500_002)).toEqual(['line 500000', 'line 500001']);
  });

  it('are counted from the end where the end is shown', async () => {
    const program = new Program(5000);
    const lines = new OutputLines(program.ask, () => undefined);
    await see(lines, -12, 0);
    expect(program.asked).toEqual([[-12, 12]]);
    expect(shown(lines, 4988, 4989)).toEqual(['line 4988']);
    await see(lines, -12, 0);
    expect(program.asked).toHaveLength(1);
  });

  it('are kept within bounds wherever somebody goes, and always right', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = randomFrom(seed);
      const wide = seed % 3 === 0;
      const line = (at: number) => (wide ? `${at} ${'x'.repeat(9000)}` : `line ${at}`);
      const program = new Program(1 + random(200_000), line, seed % 2 === 0 ? 2000 : 1 + random(90));
      const lines = new OutputLines(program.ask, () => undefined);
      for (let move = 0; move < 40; move++) {
        const from = random(program.total);
        const to = Math.min(program.total, from + 1 + random(60));
        await see(lines, from, to);
        expect(shown(lines, from, to)).toEqual(Array.from({ length: to - from }, (_, i) => line(from + i)));
        expect(lines.held.pages).toBeLessThanOrEqual(40);
        expect(lines.held.chars).toBeLessThan(6_000_000);
      }
      expect(program.most).toBe(1);
      expect(program.asked.every(([, count]) => count >= 1 && count <= 2000)).toBe(true);
    }
  });

  it('that may have been rewritten are asked for again, and others are not', async () => {
    let version = 'old';
    const program = new Program(2000, (at) => `${version} ${at}`);
    const lines = new OutputLines(program.ask, () => undefined);
    await see(lines, 0, 20);
    await see(lines, 1900, 1930);
    [version, program.total] = ['new', 2010];
    lines.again(40);
    await answered();
    expect([lines.total, shown(lines, 2009, 2010)]).toEqual([2010, ['new 2009']]);
    await see(lines, 1900, 1930);
    await see(lines, 0, 20);
    expect(shown(lines, 1900, 1901)).toEqual(['new 1900']);
    expect(shown(lines, 0, 1)).toEqual(['old 0']);
  });

  it('that are those of another output are forgotten', async () => {
    const program = new Program(5000);
    const lines = new OutputLines(program.ask, () => undefined);
    await see(lines, 0, 100);
    program.total = 3;
    lines.again(10);
    await answered();
    expect([lines.total, lines.line(50), lines.held.pages]).toEqual([3, undefined, 1]);
  });

  it('that could not be read are asked for again only when somebody says so', async () => {
    let asked = 0;
    const lines = new OutputLines(
      () => {
        asked += 1;
        return asked === 1 ? Promise.reject({ code: 'gone', message: 'the file is gone' }) : new Program(3).ask(0, 3);
      },
      () => lines.want(0, 10),
    );
    lines.want(0, 10);
    await answered();
    expect([asked, lines.problem]).toEqual([1, 'Not read: the file is gone']);
    lines.retry();
    await answered();
    expect([asked, lines.problem, lines.total]).toEqual([2, null, 3]);
  });

  it('of an answer without any are not asked for for ever', async () => {
    let asked = 0;
    const lines = new OutputLines(
      async () => {
        asked += 1;
        return { from: 0, lines: [], total: 9, bytes: 9, done: true, problem: null };
      },
      () => lines.want(0, 9),
    );
    lines.want(0, 9);
    await answered();
    await answered();
    expect([asked, lines.problem !== null]).toEqual([1, true]);
  });

  it('are counted on until all of it was read, and not for ever', async () => {
    let asked = 0;
    const part = (total: number, done: boolean): OutputPart => ({
      from: 0,
      lines: [{ runs: [{ text: 'a' }] }],
      total,
      bytes: 9,
      done,
      problem: null,
    });
    const until = async (ends: number) => {
      asked = 0;
      const lines = new OutputLines(
        async () => part(Math.min(ends, 10 * ++asked), asked * 10 >= ends && ends < 1000),
        () => lines.countOn(),
      );
      lines.want(0, 1);
      for (let turn = 0; turn < 200; turn++) await answered();
      return [lines.total, lines.done, asked];
    };
    expect(await until(100)).toEqual([100, true, 10]);
    expect(await until(1000)).toEqual([1000, false, 120]);
  });

  it('that come when nobody is there any more change nothing', async () => {
    let changes = 0;
    const lines = new OutputLines(new Program(5).ask, () => (changes += 1));
    lines.want(0, 5);
    lines.close();
    await answered();
    expect([changes, lines.total]).toEqual([0, null]);
  });
});

describe('text as it stands', () => {
  it('is plain where nothing is for a terminal', () => {
    expect(['a\tb\nc', 'a\r\nb', 'é 中 👩‍👩‍👧'].map(isPlain)).toEqual([true, true, true]);
    expect(['\u001b[1m', 'a\rb', 'a\bb', '\u009b1m', '\u0007'].map(isPlain)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
  it('has its lines, and says what is left out of a huge one', () => {
    expect(plainLines('a\r\n\nb\n').map(textOfLine)).toEqual(['a', '', 'b']);
    expect(plainLines('')).toEqual([]);
    const huge = plainLines(`${'x'.repeat(9999)}👩${'y'.repeat(50)}`)[0];
    expect([textOfLine(huge ?? { runs: [] }).length, huge?.cut]).toEqual([9999, 52]);
  });
  it('loses only what is for a terminal', () =>
    expect(plainLines('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\n').map(textOfLine)).toEqual(['red x']));
  it('tells the room it takes without being cut up', () =>
    expect([lineCount('', 9), lineCount('a', 9), lineCount('a\nb\n', 9), lineCount('\n'.repeat(99), 9)]).toEqual([
      0, 1, 2, 9,
    ]));
});

describe('words in it', () => {
  it('are found literally and whatever their case', () => {
    const lines = OutputLines.of('Error [1]\nno\nan ERROR [1]\nerror 1\n');
    expect(findIn(lines, 'error [1]', 9)).toEqual({ lines: [0, 2], total: 2, more: false });
    expect(findIn(lines, 'o', 2)).toEqual({ lines: [0, 1], total: 4, more: true });
    expect(findIn(lines, '', 9).total).toBe(0);
  });
  it('are marked across looks, and nothing of the line is lost', () => {
    const line = { runs: [{ text: 'abc', bold: true }, { text: 'DEF' }, { text: 'abcdef' }] };
    expect(pieces(line, 'cd').map((piece) => [piece.text, piece.hit])).toEqual([
      ['ab', false],
      ['c', true],
      ['D', true],
      ['EF', false],
      ['ab', false],
      ['cd', true],
      ['ef', false],
    ]);
    const random = randomFrom(3);
    for (let n = 0; n < 300; n++) {
      const runs = Array.from({ length: random(5) }, () => ({ text: 'abAB.*İ'.slice(random(7), random(8)) }));
      const words = ['a', 'ab', '.*', 'ba', 'İ'][random(5)] ?? '';
      const made = pieces({ runs }, words);
      expect(made.map((piece) => piece.text).join('')).toBe(runs.map((run) => run.text).join(''));
      expect(made.every((piece) => piece.text !== '' || runs.length > 0)).toBe(true);
    }
  });
});
