import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import Diff from './Diff.svelte';

let shown: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (shown) void unmount(shown);
  shown = null;
  document.body.replaceChildren();
});

function show(diff: string, more: Record<string, unknown> = {}): HTMLElement {
  shown = mount(Diff, { target: document.body, props: { diff, ...more } });
  flushSync();
  return document.body;
}
const text = () => document.body.textContent?.replace(/\s+/g, ' ').trim() ?? '';

describe('a diff is never a blank', () => {
  it('of a file with CR LF, edited over several lines, shows its lines and says what they end in', () => {
    show('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n-three\r\n+2\r\n+3\r\n');
    expect(document.querySelectorAll('.dl')).toHaveLength(5);
    expect(text()).toContain('CR LF line ends');
    expect(text()).not.toContain('CRU');
  });

  it('marks the lines where only line ends differ', () => {
    show('@@ -1 +1 @@\n-one\r\n+one\n');
    expect(document.querySelectorAll('.dl')).toHaveLength(2);
    expect(document.querySelectorAll('.tag')).toHaveLength(1);
  });

  it('says that a last line has no end', () => {
    show('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n');
    expect(text()).toContain('no line end');
  });

  it.each([
    ['diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n', 'Renamed from a, its text is the same'],
    ['diff --git a/a b/a\nBinary files a/a and b/a differ\n', 'Binary'],
    ['diff --git a/a b/a\nold mode 100644\nnew mode 100755\n', 'Made executable'],
    ['diff --git a/a b/a\ndeleted file mode 100644\nindex e69de29..0000000\n', 'Deleted empty file'],
    ['', 'No lines change.'],
    ['what is this', 'could not be read as lines'],
  ])('says why it has no lines: %j', (diff, words) => {
    show(diff);
    expect(text()).toContain(words);
  });
});

describe('a large diff', () => {
  const many = (count: number) =>
    `@@ -0,0 +1,${count} @@\n${Array.from({ length: count }, (_, i) => `+line ${i}`).join('\n')}\n`;

  it('of 20,000 lines begins small and is windowed when it is opened', () => {
    show(many(20_000), { path: 'x.rs' });
    expect(document.querySelectorAll('.dl')).toHaveLength(300);
    [...document.querySelectorAll('button')].find((b) => b.textContent?.includes('Show all'))?.click();
    flushSync();
    const lines = document.querySelectorAll('.dl').length;
    expect(lines).toBeGreaterThan(10);
    expect(lines).toBeLessThan(200);
  });

  it('of one line of a megabyte is cut where it is read, with what is left out', () => {
    const long = 'x'.repeat(1_000_000);
    const began = performance.now();
    show(`@@ -1 +1 @@\n-${long}\n+${long}y\n`);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(text().length).toBeLessThan(10_000);
    expect(/996\D?000 more characters/.test(text())).toBe(true);
  });
});
