// Texts of the gallery: invented diffs, outputs, a plan, an answer.

export const retryDiff = `--- a/src/delivery/retry.rs
+++ b/src/delivery/retry.rs
@@ -36,6 +36,7 @@
 impl Backoff {
     /// Delay before attempt \`n\`, counted from 1.
-    pub fn delay(&self, n: u32) -> Duration {
-        self.base * n
+    pub fn delay(&self, n: u32, hint: Option<Duration>) -> Duration {
+        let wait = self.base.saturating_mul(1 << n.min(6)).min(self.cap);
+        hint.unwrap_or(wait).max(wait) + self.jitter(wait / 4)
     }
 }
`;

export const workerDiff = `--- a/src/delivery/worker.rs
+++ b/src/delivery/worker.rs
@@ -4,2 +4,2 @@
-use crate::delivery::retry::Backoff;
+use crate::delivery::retry::{Backoff, Outcome};
 use crate::store::Job;
@@ -84,5 +84,7 @@ Worker::deliver_once
     let response = self.client.post(&job.url).send().await;
-    if !response.is_success() {
-        return self.drop(job, "non-2xx").await;
-    }
+    match Outcome::of(&response) {
+        Outcome::Delivered => self.mark_delivered(&job).await?,
+        Outcome::Retry { after } => self.requeue(job, after).await?,
+        Outcome::Failed(code) => self.mark_failed(&job, code).await?,
+    }
     Ok(())
@@ -130,2 +132,2 @@
 /// Attempts before a delivery is given up.
-const MAX_ATTEMPTS: u32 = 1;
+const MAX_ATTEMPTS: u32 = 8;
`;

/** The file that `workerDiff` leads to; what the diff does not show is blank. */
export const workerAfter = (() => {
  const lines: string[] = Array.from({ length: 140 }, () => '');
  let at = 0;
  for (const line of workerDiff.split('\n')) {
    const head = /^@@ .* \+(\d+)/.exec(line);
    if (head) at = Number(head[1]) - 1;
    else if (at > 0 && /^[ +]/.test(line)) lines[at++] = line.slice(1);
  }
  return `${lines.join('\n')}\n`;
})();

export const E = '\u001b';
export const testRun = [
  `${E}[1;32m    Starting${E}[0m 9 tests across 2 binaries`,
  `${E}[1;32m        PASS${E}[0m [   0.004s] ${E}[35mferry${E}[0m ${E}[36mdelivery::retry::${E}[0m${E}[34mcaps_at_eight${E}[0m`,
  `${E}[1;32m        PASS${E}[0m [   0.006s] ${E}[35mferry${E}[0m ${E}[36mdelivery::retry::${E}[0m${E}[34mdoubles_until_cap${E}[0m`,
  `${E}[1;31m        FAIL${E}[0m [   0.012s] ${E}[35mferry${E}[0m ${E}[36mdelivery::retry::${E}[0m${E}[34mretry_after_wins${E}[0m`,
  '             assertion `left == right` failed: Retry-After must not be shortened',
  `               left: ${E}[31m30.4s${E}[0m`,
  `              right: ${E}[32m34s${E}[0m`,
  `${E}[1;31m     Summary${E}[0m [   0.241s] 9 tests run: ${E}[1m8${E}[0m ${E}[1;32mpassed${E}[0m, ${E}[1m1${E}[0m ${E}[1;31mfailed${E}[0m`,
].join('\n');

export const sql =
  'create table attempts (\n  delivery_id bigint not null references deliveries,\n  next_due_at timestamptz\n);\n';
export const source = `use std::time::Duration;

/// How long to wait between attempts.
pub struct Backoff {
    pub base: Duration,
    pub cap: Duration,
}

impl Backoff {
    pub fn delay(&self, n: u32) -> Duration {
        self.base * n // linear
    }
}
`;
export const grep =
  'src/delivery/retry.rs:38:    pub fn delay(&self, n: u32)\nsrc/delivery/worker.rs:91:    let wait = backoff.delay(attempt);\ntests/delivery.rs:14:    let b = Backoff::default();\n';

export const plan = `**Retry deliveries in three steps**

1. Give the worker an \`Outcome\`, with \`Retry-After\` parsed once at the edge.
2. Store attempts and \`next_due_at\`; the worker polls by it, so a restart loses nothing.
3. Show attempts in the dashboard. The stuck column goes away.

Out of scope: per-customer budgets.
`;

export const dot =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAJElEQVR4nGNgYPj/nyTMQJpqEMJqx6iGUQ2jGkY1jGoY1QAEAK7+AgEx3d7qAAAAAElFTkSuQmCC';

export const answer = `The drop is in \`Worker::deliver_once\`: every response outside 2xx goes to \`drop()\`, so a 503 and a 404 end the same way. I will give the worker an **outcome** to act on instead of a boolean:

\`\`\`rust
pub enum Outcome {
    Delivered,
    /// Worth another attempt; \`after\` is what Retry-After asked for.
    Retry { after: Option<Duration> },
    Failed(StatusCode),
}
\`\`\`

Which response leads where:

| Response | Today | With this change |
| --- | --- | --- |
| 2xx | delivered | delivered |
| 408, 429, 5xx, timeout | dropped | retried, at most 8 attempts |
| any with \`Retry-After\` | dropped | retried, not before the time given |
| other 4xx | dropped | failed, kept for replay |
`;

export const rest = `## A heading

Text with *emphasis*, ~~struck~~, [a link](https://httpwg.org/), [no link](javascript:alert(1)), <b>raw</b> and ![a chart](https://a.example/x.png).

- [x] classified
- [ ] wired
  - nested, with \`code\`

> Quoted, over
> two lines.

3. third
4. fourth

---

<script>alert(1)</script>

Streaming **now and th`;
