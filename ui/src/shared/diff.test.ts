import { describe, expect, it } from 'vitest';
import { allAdded, headWords, parseDiff } from './diff';
import { diffRows, offsets, visible } from './diffRows';
import { randomFrom } from './testing/texts';
import { compare, wordMarks } from './words';

const one = `--- a/src/x.rs
+++ b/src/x.rs
@@ -36,4 +36,4 @@ impl Backoff {
 impl Backoff {
-    fn a(&self, n: u32) -> D {
+    fn a(&self, n: u32, hint: O) -> D {
 }
`;

describe('a unified diff', () => {
  it('has numbers on both sides', () => {
    const hunk = parseDiff(one).files[0]?.hunks[0];
    expect(hunk?.section).toBe('impl Backoff {');
    expect(hunk?.lines.map((l) => [l.kind, l.old, l.new])).toEqual([
      ['context', 36, 36],
      ['removed', 37, null],
      ['added', null, 37],
      ['context', 38, 38],
    ]);
  });

  it('does not take changed lines that look like heads for heads', () => {
    const { files, added, removed } = parseDiff(
      '--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@\n--- old comment\n+++ new text\n @@ -1 +1 @@\n-- x\n+- y\n',
    );
    expect(files).toHaveLength(1);
    expect(files[0]?.hunks).toHaveLength(1);
    expect(files[0]?.hunks[0]?.lines.map((l) => l.text)).toEqual([
      '-- old comment',
      '++ new text',
      '@@ -1 +1 @@',
      '- x',
      '- y',
    ]);
    expect([added, removed]).toEqual([2, 2]);
  });

  it('keeps CR out of the text and says whether line ends differ', () => {
    const all = parseDiff('@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n');
    expect(all.mixedLineEnds).toBe(false);
    expect(all.files[0]?.hunks[0]?.lines.map((l) => [l.text, l.crlf])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ]);
    expect(parseDiff('@@ -1 +1 @@\n-a\r\n+a\n').mixedLineEnds).toBe(true);
  });

  it('notes a file that ends without a line end', () => {
    const lines = parseDiff('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n').files[0]?.hunks[0]?.lines;
    expect(lines?.map((l) => l.noNewline)).toEqual([true, false]);
  });

  it('reads many files, made and removed ones', () => {
    const text =
      '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n--- a/old.txt\t2026\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n';
    expect(parseDiff(text).files.map((f) => [f.oldPath, f.newPath])).toEqual([
      [null, 'new.txt'],
      ['old.txt', null],
    ]);
  });

  it('bears empty context lines without their blank, wrong counts and nonsense', () => {
    expect(parseDiff('@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n').files[0]?.hunks[0]?.lines).toHaveLength(4);
    expect(parseDiff('@@ -1,9 +1,9 @@\n a\n').files[0]?.hunks[0]?.lines).toHaveLength(1);
    expect(parseDiff('not a diff').files).toEqual([]);
    expect(parseDiff('').files).toEqual([]);
  });
});

it('a made file is all added, with or without a last line end', () => {
  expect(parseDiff(allAdded('a\nb\n')).files[0]?.hunks[0]?.lines.map((l) => [l.new, l.text, l.noNewline])).toEqual([
    [1, 'a', false],
    [2, 'b', false],
  ]);
  expect(parseDiff(allAdded('a')).files[0]?.hunks[0]?.lines[0]?.noNewline).toBe(true);
  expect(allAdded('')).toBe('');
});

describe('word marks', () => {
  const marked = (before: string, after: string) => {
    const found = compare(before, after);
    return (
      found && {
        removed: found.removed.map(([a, b]) => before.slice(a, b)),
        added: found.added.map(([a, b]) => after.slice(a, b)),
      }
    );
  };
  it('name what was put in', () =>
    expect(marked('fn a(n: u32) -> D', 'fn a(n: u32, hint: O) -> D')).toEqual({ removed: [], added: [', hint: O'] }));
  it('name what was exchanged', () =>
    expect(marked('MAX: u32 = 1;', 'MAX: u32 = 8;')).toEqual({ removed: ['1'], added: ['8'] }));
  it('are not made on a line that is new as a whole', () => {
    expect(marked('self.base * n', 'let wait = other.cap();')).toBeNull();
    const hunk = parseDiff('@@ -1 +1,2 @@\n-self.base * n\n+let wait = other.cap();\n+done()\n').files[0]?.hunks[0];
    expect(wordMarks(hunk?.lines ?? []).size).toBe(0);
  });
  it('pair lines that moved apart in one run', () => {
    const hunk = parseDiff(
      '@@ -1,2 +1,3 @@\n-let a = one(1);\n-let b = two(2);\n+// new\n+let a = one(3);\n+let b = two(4);\n',
    ).files[0]?.hunks[0];
    expect([...wordMarks(hunk?.lines ?? []).keys()].sort()).toEqual([0, 1, 3, 4]);
  });
  it('cut no character in half', () => {
    const found = compare('x = "👍 a b c"', 'x = "👎 a b c"');
    expect(found?.added).toEqual([[5, 7]]);
  });
});

describe('rows of a diff', () => {
  const long = `@@ -1,40 +1,41 @@\n${' same\n'.repeat(20)}+new\n${' same\n'.repeat(20)}`;
  it('fold long runs of unchanged lines and open them one by one', () => {
    const parsed = parseDiff(long);
    const folded = diffRows(parsed, new Set(), 'none');
    const folds = folded.filter((r) => r.kind === 'fold');
    expect(folds.map((f) => f.count)).toEqual([17, 17]);
    expect(folded).toHaveLength(2 + 3 + 1 + 3);
    expect(diffRows(parsed, new Set([folds[0]?.key ?? '']), 'none')).toHaveLength(1 + 20 + 1 + 3);
  });
  it('have unique keys', () => {
    const rows = diffRows(parseDiff(one + long), new Set(), 'words');
    expect(new Set(rows.map((r) => r.key)).size).toBe(rows.length);
  });
  it('that are on screen are found among twenty thousand', () => {
    const text = `@@ -0,0 +1,20000 @@\n${'+x\n'.repeat(20_000)}`;
    const tops = offsets(diffRows(parseDiff(text), new Set(), 'none'));
    expect(visible(tops, 100_000, 100_600)).toEqual({ from: 4980, to: 5051 });
    expect(visible(tops, 0, 600).from).toBe(0);
    expect(visible(tops, 399_900, 400_500).to).toBe(20_000);
  });
});

describe("git's head lines", () => {
  const words = (diff: string) => parseDiff(diff).files.map((file) => [file.oldPath, file.newPath, ...headWords(file)]);

  it('tell of files that are made, removed, renamed, binary, or of another mode', () => {
    const diff = [
      'diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x',
      'diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x',
      'diff --git a/a.rs b/b.rs\nsimilarity index 100%\nrename from a.rs\nrename to b.rs',
      'diff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ',
      'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755',
      'diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29',
    ].join('\n');
    expect(words(diff)).toEqual([
      [null, 'new.txt', 'New file'],
      ['gone', null, 'Deleted file'],
      ['a.rs', 'b.rs', 'Renamed from a.rs, its text is the same'],
      ['logo.png', 'logo.png', 'Binary: what changed cannot be shown as lines'],
      ['run.sh', 'run.sh', 'Made executable'],
      [null, 'empty', 'New empty file'],
    ]);
  });

  it('name files with blanks and odd letters', () => {
    const diff =
      'diff --git "a/t\\303\\244g.txt" "b/t\\303\\244g.txt"\n--- "a/t\\303\\244g.txt"\n+++ "b/t\\303\\244g.txt"\n@@ -1 +1 @@\n-a\n+b\n' +
      'diff --git a/two words.txt b/two words.txt\nold mode 100644\nnew mode 100755\n';
    expect(words(diff)).toEqual([
      ['täg.txt', 'täg.txt'],
      ['two words.txt', 'two words.txt', 'Made executable'],
    ]);
  });

  it('do not swallow a file that follows without one', () => {
    const diff = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-c\n+d\n';
    expect(words(diff)).toEqual([
      ['a', 'a'],
      ['c', 'c'],
    ]);
  });
});

it('any text is read without harm', () => {
  const lines = [
    '@@ -1,2 +1,2 @@',
    '@@ -0,0 +1 @@',
    '--- a/x',
    '+++ b/x',
    '-a',
    '+b',
    ' c',
    '',
    '\\ No newline',
    'diff --git a/x b/x',
    'rename from y',
    '@@',
  ];
  const random = randomFrom(7);
  for (let n = 0; n < 500; n++) {
    const text = Array.from({ length: random(14) }, () => lines[random(lines.length)]).join(
      random(5) === 0 ? '\r\n' : '\n',
    );
    const parsed = parseDiff(text);
    const all = parsed.files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines));
    expect(all.length, text).toBe(parsed.lineCount);
    expect(all.filter((line) => line.kind === 'added').length, text).toBe(parsed.added);
  }
});
