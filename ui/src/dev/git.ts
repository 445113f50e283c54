// A working copy for the pictures: every kind of change that git tells of, one of them in conflict, and one hook that refuses.
import type { GitFile, PlayedGit } from '../backend/changes';
import { backoffHunks } from './story';

const file = (path: string, change: Partial<GitFile>): GitFile => ({
  path,
  old_path: null,
  status: 'modified',
  staged: false,
  unstaged: true,
  added: 0,
  removed: 0,
  binary: false,
  ...change,
});

const retry = `diff --git a/src/delivery/retry.rs b/src/delivery/retry.rs
--- a/src/delivery/retry.rs
+++ b/src/delivery/retry.rs
${backoffHunks}@@ -171,6 +179,8 @@ mod tests
 #[test]
 fn doubles_until_cap() {
     let b = Backoff::default();
-    assert_eq!(b.delay(3), secs(6));
+    assert_eq!(b.delay(3, None), secs(8));
+    assert_eq!(b.delay(9, None), b.cap);
 }
 
`;

const notes = `--- a/docs/retries.md
+++ b/docs/retries.md
@@ -1,5 +1,5 @@\r
 # Retries\r
 \r
-A delivery is tried again after a second.\r
+A delivery is tried again, first after a second, then after twice the time.\r
 \r
 See the runbook.
\\ No newline at end of file
`;

const moved = `diff --git a/src/delivery/queue.rs b/src/delivery/backlog.rs
similarity index 100%
rename from src/delivery/queue.rs
rename to src/delivery/backlog.rs
`;

const fresh = `--- /dev/null
+++ b/migrations/0014_attempts.sql
@@ -0,0 +1,5 @@
+create table attempts (
+  id bigint primary key,
+  delivery bigint not null references deliveries,
+  at timestamptz not null
+);
`;

const gone = `--- a/src/delivery/drop.rs
+++ /dev/null
@@ -1,3 +0,0 @@
-pub fn drop_job(job: Job) {
-    tracing::warn!(id = job.id, "dropped");
-}
`;

export const workingCopy: PlayedGit = {
  changes: {
    root: '/home/dev/code/ferry',
    branch: 'webhook-retry',
    head: '2b41c09d7a64f3',
    files: [
      file('src/delivery/retry.rs', { staged: true, added: 12, removed: 4 }),
      file('docs/retries.md', { added: 1, removed: 1 }),
      file('src/delivery/backlog.rs', {
        status: 'renamed',
        old_path: 'src/delivery/queue.rs',
        staged: true,
        unstaged: false,
      }),
      file('migrations/0014_attempts.sql', { status: 'untracked', added: 5, removed: 0 }),
      file('src/delivery/drop.rs', { status: 'deleted', staged: true, unstaged: false, added: 0, removed: 3 }),
      file('assets/architecture.png', { binary: true, added: null, removed: null }),
    ],
    more: 0,
    problem: null,
  },
  diffs: {
    'src/delivery/retry.rs': retry,
    'docs/retries.md': notes,
    'src/delivery/backlog.rs': moved,
    'migrations/0014_attempts.sql': fresh,
    'src/delivery/drop.rs': gone,
  },
  stuck: {
    'docs/retries.md':
      'Line 3 is not what the change made of it: somebody changed it since. Nothing fits there any more.',
  },
  draft:
    'Retry failed webhook deliveries\n\nChanges src/delivery/retry.rs, src/delivery/backlog.rs and src/delivery/drop.rs.',
};

export const refusingCopy: PlayedGit = {
  ...workingCopy,
  hook: 'pre-commit: cargo fmt --check\nDiff in src/delivery/retry.rs at line 44:\n-            + self.jitter(wait / 4)\n+        + self.jitter(wait / 4)\nThe commit was stopped by the pre-commit hook.',
};

export const conflictedCopy: PlayedGit = {
  ...workingCopy,
  changes: {
    ...workingCopy.changes,
    files: [file('src/delivery/worker.rs', { status: 'conflict' }), ...workingCopy.changes.files],
  },
};

/** As many files as git's list may have. */
export function manyFiles(count: number): PlayedGit {
  const files = Array.from({ length: count }, (_, i) =>
    file(`src/generated/part_${Math.floor(i / 50)}/file_${i}.rs`, { added: (i * 7) % 90, removed: (i * 3) % 40 }),
  );
  const diffs = { [files[0]?.path ?? '']: retry };
  return { changes: { ...workingCopy.changes, files, more: 312 }, diffs };
}
