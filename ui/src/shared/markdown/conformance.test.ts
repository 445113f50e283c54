import { describe, expect, it } from 'vitest';
import { tests } from 'commonmark-spec';
import { documentOf } from './document';
import { entries } from './tree';
import { githubTexts } from './testing/githubTexts';
import { ours, theirs } from './testing/structure';

const examples = tests.map(({ number, markdown, html }) => ({
  number,
  markdown: markdown.replaceAll('→', '\t'),
  html: html.replaceAll('→', '\t'),
}));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** The examples of the CommonMark specification that are read otherwise, by the reason. All others are read as it says. */
const different: Record<string, number[]> = {
  'raw HTML is shown as it is written, and ends at a blank line': [
    ...[21, 31, ...range(148, 167), ...range(169, 191), 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536],
    ...[613, 614, 615, 616, 617, 619, ...range(622, 632), 642, 643],
  ],
  'a definition stands on one line, so that what was read is not read again': [193, 195, 196, 198, 208, 217, 541],
  'a definition leaves nothing behind that could make a list loose': [317],
  'an address in running text is a link, as on GitHub': [602, 606, 608, 611, 612],
  'brackets behind backslashes hold a formula': [12],
  'of the named characters those are known that people write': [25],
};

describe('the examples of CommonMark', () => {
  it('have the structure that the specification gives, but for those that are listed with a reason', () => {
    const found = examples.filter(({ markdown, html }) => ours(markdown) !== theirs(html)).map(({ number }) => number);
    const listed = Object.values(different).flat();
    const says = (number: number) => {
      const { markdown = '', html = '' } = examples.find((one) => one.number === number) ?? {};
      return `#${number} ${JSON.stringify(markdown)}\n  ${ours(markdown)}\n  ${theirs(html)}`;
    };
    expect(found.filter((number) => !listed.includes(number)).map(says)).toEqual([]);
    // One that is read as specified is no difference any more.
    expect(listed.filter((number) => !found.includes(number))).toEqual([]);
    expect(1 - found.length / examples.length).toBeGreaterThan(0.85);
  });

  it('lose no word where raw HTML is shown as it is written', () => {
    const words = (text: string): string[] => text.replaceAll('\\n', ' ').match(/[A-Za-z]{3,}/g) ?? [];
    for (const number of different['raw HTML is shown as it is written, and ends at a blank line'] ?? []) {
      const { markdown = '' } = examples.find((one) => one.number === number) ?? {};
      const shown = words(ours(markdown));
      const missing = words(markdown.replaceAll(/&\w+;|^\[.*\]: .*/gm, '')).filter((word) => !shown.includes(word));
      expect(missing, JSON.stringify(markdown)).toEqual([]);
    }
  });
});

describe('what GitHub adds', () => {
  for (const [name, [text, html]] of Object.entries(githubTexts))
    it(name, () => {
      expect(ours(text)).toBe(theirs(html));
    });
});

describe('code by indentation', () => {
  it('takes as long for many blank lines as for many others', () => {
    const text = `    a\n${'\n'.repeat(200_000)}    b\n`;
    const [block] = entries(documentOf(text).view(false));
    expect(block?.type === 'code' && block.lines.size).toBe(200_002);
  });
});
