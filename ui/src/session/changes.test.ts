import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../bindings/bindings';
import { sessionChanges, splitDiff, turnChanges } from './changes';
import { emptyView } from './view';

const one = '--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-old\n+new\n';
const made = '--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+x\n';
const gone = '--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';

describe('a diff of several files', () => {
  it('is taken apart by file, with and without git heads', () => {
    expect([...splitDiff(one + made + gone).keys()]).toEqual(['src/a.rs', 'new.rs', 'gone.rs']);
    expect([
      ...splitDiff(
        `diff --git a/src/a.rs b/src/a.rs\n${one}diff --git a/new.rs b/new.rs\nnew file mode 100644\n${made}`,
      ).keys(),
    ]).toEqual(['src/a.rs', 'new.rs']);
  });

  it('keeps every edit of a file that was edited several times', () => {
    const parts = splitDiff(one + made + one.replace('@@ -1 +1 @@', '@@ -9 +9 @@'));
    expect([...parts.keys()]).toEqual(['src/a.rs', 'new.rs']);
    expect(parts.get('src/a.rs')).toEqual([one, one.replace('@@ -1 +1 @@', '@@ -9 +9 @@')]);
  });

  it('keeps lines that look like heads inside a hunk with their file', () => {
    const odd = '--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+-- another\n';
    expect([...splitDiff(odd).keys()]).toEqual(['q.sql']);
  });
});

describe('the files', () => {
  it('of the turn are those of the one that runs, or of the last one', () => {
    const view = emptyView();
    view.turns.push({
      number: 1,
      at: '',
      data: {} as never,
      files: [{ path: 'src/a.rs', added: 1, removed: 1 }],
      diff: one,
    });
    expect(turnChanges(view).map((f) => f.path)).toEqual(['src/a.rs']);
    view.turn = { ...view.turn, startedAt: 'now' };
    expect(turnChanges(view)).toEqual([]);
  });

  const session = (...turns: { files: ChangedFile[]; diff: string }[]) => {
    const view = emptyView();
    for (const [i, part] of turns.entries()) view.turns.push({ number: i + 1, at: '', data: {} as never, ...part });
    return view;
  };
  const file = (path: string, added: number, removed: number): ChangedFile => ({ path, added, removed });

  it('of the session are what its turns come to, absolute paths too', () => {
    const next = '--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1,2 @@\n-new\n+newer\n+more\n';
    const view = session(
      { files: [file('/w/src/a.rs', 1, 1), file('/w/new.rs', 1, 0)], diff: one + made },
      { files: [file('/w/src/a.rs', 2, 1)], diff: next },
    );
    expect(sessionChanges(view).map((f) => [f.path, f.added, f.removed, f.status])).toEqual([
      ['/w/src/a.rs', 2, 1, 'M'],
      ['/w/new.rs', 1, 0, 'A'],
    ]);
    expect(sessionChanges(view)[0]?.diff).toBe(
      '--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,1 +1,2 @@\n-old\n+newer\n+more\n',
    );
  });

  it('edited by somebody else in between have their edits one by one', () => {
    const [change] = sessionChanges(
      session({ files: [file('src/a.rs', 1, 1)], diff: one }, { files: [file('src/a.rs', 1, 1)], diff: one }),
    );
    expect(change?.edits).toEqual([one, one]);
    expect([change?.diff, change?.added, change?.removed]).toEqual(['', 2, 2]);
  });

  it('that are as they were say so by an empty change', () => {
    const back = '--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-new\n+old\n';
    const [change] = sessionChanges(session({ files: [file('src/a.rs', 2, 2)], diff: one + back }));
    expect([change?.diff, change?.edits, change?.added]).toEqual(['', [], 0]);
  });
});
