import { describe, expect, it } from 'vitest';
import { ansiLines, plainText } from './ansi';

const E = '\u001b';

describe('output', () => {
  it.each([
    ['carriage return writes over the line', 'progress 10 %\rprogress 100 %\n', 'progress 100 %'],
    ['a shorter overwrite leaves the rest', 'abcdef\rXY\n', 'XYcdef'],
    ['CR LF is a line end', 'a\r\nb\r\n', 'a\nb'],
    ['backspace goes back one', 'abc\b\bX\n', 'aXc'],
    ['erase to the end of the line', `abcdef\r${E}[Kxy\n`, 'xy'],
    ['erase the whole line', `abcdef${E}[2K\rok\n`, 'ok'],
    ['cursor up redraws an earlier line', `one\ntwo\n${E}[2A${E}[2KONE\nTWO\n`, 'ONE\nTWO'],
    ['cursor up further than the start stays at the start', `a\n${E}[99AB\n`, 'B'],
    ['a column is set', `abc${E}[1GX${E}[6Gz`, 'Xbc  z'],
    ['erase below drops what a redraw covers', `a\nb\nc\n${E}[3A${E}[Jd\n`, 'd'],
    ['erase everything does not lose what was printed', `kept\n${E}[2J${E}[Hnew`, 'kept\nnew'],
    ['tabs go to the next stop', 'a\tb', 'a       b'],
    [
      'OSC titles and links are dropped',
      `${E}]0;title\u0007text ${E}]8;;https://a.example${E}\\link${E}]8;;${E}\\`,
      'text link',
    ],
    ['an OSC that never ends swallows nothing that is drawn', `a${E}]0;open`, 'a'],
    ['private modes are dropped', `${E}[?25l${E}[?2004hx${E}[?25h`, 'x'],
    ['charset and other escapes are dropped', `${E}(B${E}=x${E}7y${E}8`, 'xy'],
    ['stray controls are dropped', 'a\u0000\u0007\u007fb', 'ab'],
    ['a lone escape at the end is dropped', `a${E}`, 'a'],
    ['an accent stays with its letter', 'e\u0301x\rE', 'Ex'],
    ['emoji are one cell', '👩‍👩‍👧x\rY', 'Yx'],
  ])('%s', (_, given, shown) => expect(plainText(given)).toBe(shown));

  it('without a line end has its last line', () => expect(ansiLines('a\n\nb')).toHaveLength(3));
});

describe('colours', () => {
  const styles = (text: string) =>
    ansiLines(text)[0]?.map((run) => [run.text, run.style?.fg ?? null, run.style?.bg ?? null]);

  it('are the eight of the terminal, bright ones too', () =>
    expect(styles(`${E}[31mred${E}[0m plain${E}[92mgreen${E}[39mnone`)).toEqual([
      ['red', 'red', null],
      [' plain', null, null],
      ['green', 'green', null],
      ['none', null, null],
    ]));
  it('of 256 and of true colour become the nearest of the eight', () =>
    expect(styles(`${E}[38;5;208ma${E}[38;2;10;200;30mb${E}[38:2::80:80:255mc${E}[48;5;196md`)).toEqual([
      ['a', 'yellow', null],
      ['b', 'green', null],
      ['c', 'blue', null],
      ['d', 'blue', 'red'],
    ]));
  it('reversed stand on their ground', () =>
    expect(styles(`${E}[7;32m ok ${E}[27m x`)).toEqual([
      [' ok ', null, 'green'],
      [' x', 'green', null],
    ]));
  it('go on over line ends', () =>
    expect(ansiLines(`${E}[1;33ma\nb`)[1]?.[0]?.style).toMatchObject({ fg: 'yellow', bold: true }));
  it('stay with what was written in them when a line is redrawn', () =>
    expect(styles(`${E}[31mabc${E}[0m\rX`)).toEqual([
      ['X', null, null],
      ['bc', 'red', null],
    ]));
});

it('reads ten thousand lines of colour quickly enough to draw them', () => {
  const text = `${E}[32mPASS${E}[0m a test with a name ${E}[2m(3 ms)${E}[0m\n`.repeat(10_000);
  expect(ansiLines(text)).toHaveLength(10_000);
});
