import { describe, expect, it } from 'vitest';
import { parseDiff } from './diff';
import { diffText } from './diffText';
import { joinDiffs } from './joinDiffs';
import { lineDiff } from './lineDiff';
import { applied, changed, randomFrom, someText } from './testing/texts';

const named = (path: string, diff: string) => (diff === '' ? '' : `--- a/${path}\n+++ b/${path}\n${diff}`);

describe('a diff between two texts', () => {
  it('makes the one into the other, whatever they hold', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomFrom(seed);
      const before = someText(random);
      const after = changed(before, random);
      const diff = lineDiff(before, after, 1, random(4));
      expect(applied(before, diff), `seed ${seed}`).toBe(after);
    }
  });

  it('is read as it is written', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomFrom(seed);
      const before = someText(random);
      const text = named('a b.txt', lineDiff(before, changed(before, random)));
      const [file] = parseDiff(text).files;
      expect(file ? diffText(file) : '', `seed ${seed}`).toBe(text);
    }
  });
});

describe('changes on top of one another', () => {
  it('come to the change from the first text to the last', () => {
    for (let seed = 1; seed <= 600; seed++) {
      const random = randomFrom(seed);
      const texts = [someText(random)];
      const diffs: string[] = [];
      for (let n = 2 + random(3); n > 0; n--) {
        const before = texts.at(-1) ?? '';
        const after = changed(before, random);
        diffs.push(named('x', lineDiff(before, after, 1, random(4))));
        texts.push(after);
      }
      const all = joinDiffs(diffs);
      expect(all, `seed ${seed}`).not.toBeNull();
      expect(applied(texts[0] ?? '', all ?? ''), `seed ${seed}`).toBe(texts.at(-1));
    }
  });

  it('that do not follow on one another are not joined', () => {
    const one = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n';
    const other = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-z\n+y\n c\n';
    expect(joinDiffs([one, other])).toBeNull();
  });

  it('leave nothing where the last takes the first back', () => {
    const there = '--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\n';
    const back = '--- a/x\n+++ b/x\n@@ -3 +3 @@\n-b\n+a\n';
    expect(joinDiffs([there, back])).toBe('');
  });

  it('keep a whole path as it is', () => {
    const edit = (from: string, to: string) => `--- /w/x\n+++ /w/x\n@@ -1,1 +1,1 @@\n-${from}\n+${to}\n`;
    expect(joinDiffs([edit('a', 'b'), edit('b', 'c')])).toBe(edit('a', 'c'));
  });

  it('of a new file are all of the new file', () => {
    const made = '--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n';
    const more = '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n+and\n b\n';
    expect(joinDiffs([made, more])).toBe('--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+a\n+and\n+b\n');
  });

  it('leave nothing of a file that came and went', () => {
    const made = '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n';
    const gone = '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n';
    expect(joinDiffs([made, gone])).toBe('');
  });

  it('keep the numbers of the first text and of the last', () => {
    const early = '--- a/x\n+++ b/x\n@@ -10,2 +10,3 @@\n a\n+new\n b\n';
    const late = '--- a/x\n+++ b/x\n@@ -40,2 +40,2 @@\n c\n-d\n+D\n';
    expect(joinDiffs([early, late])).toBe(
      '--- a/x\n+++ b/x\n@@ -10,2 +10,3 @@\n a\n+new\n b\n@@ -39,2 +40,2 @@\n c\n-d\n+D\n',
    );
  });
});
