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

const formulas = `Inline $e^{i\\pi} + 1 = 0$ and \\(a_n \\le b_n\\), but $5 and $6 stay money. The sum of all delays is

$$
\\sum_{n=1}^{N} \\min(b \\cdot 2^n,\\; c) = \\frac{b\\,(2^{k+1} - 2)}{1} + (N-k)\\,c
$$

\\[
A = \\begin{pmatrix} 1 & 0 \\\\ 0 & \\lambda \\end{pmatrix}, \\qquad
f(x) = \\begin{cases} x^2 & x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}
\\]

What cannot be read shows its source: $\\frac{1$ and $\\unknown{x}$.
`;

const fenced = (lang: string, text: string) => `\`\`\`${lang}\n${text}\n\`\`\`\n`;

const diagrams = [
  'How a delivery goes:\n',
  fenced(
    'mermaid',
    `flowchart LR
  A[Response] --> B{2xx?}
  B -- yes --> C[Delivered]
  B -- no --> D{Worth another attempt?}
  D -- "408, 429, 5xx" --> E[(Queue)]
  D -- other --> F[Failed]
  E -. after the delay .-> A
  subgraph store
    E
  end`,
  ),
  fenced(
    'mermaid',
    `sequenceDiagram
  participant W as Worker
  participant S as Shop
  W->>S: POST /hook
  S-->>W: 503, Retry-After 34
  Note over W: waits 34 s
  W->>S: POST /hook
  S-->>W: 204`,
  ),
  fenced('mermaid', 'stateDiagram-v2\n  [*] --> Queued\n  Queued --> Sent\n  Sent --> Queued: retry\n  Sent --> [*]'),
  fenced('mermaid', 'pie title Outcomes\n  "Delivered" : 82\n  "Retried" : 14\n  "Failed" : 4'),
  'One with a mistake, and two that are refused:\n',
  fenced('mermaid', 'flowchart LR\n  A --> \n  --> B ['),
  fenced('mermaid', 'flowchart LR\n  A@{ img: "https://a.example/x.png", label: "x" }'),
  fenced('mermaid', 'flowchart LR\n  A["<img src=x onerror=window.hurt=1>"] --> B'),
].join('\n');

const scripts = `أعد المحاولة بعد **دقيقتين** ثم افتح \`src/delivery/retry.rs:38\` من جديد.

- البند الأول
- البند الثاني
  - داخلي

> اقتباس قصير.

日本語の文章は**「強調」**を含み、禁則処理に従って折り返されます。長い行でも、句読点は行頭に来ません。中文段落也会在
任意两个汉字之间换行，而不需要空格。한국어 문장은 띄어쓰기에서 줄이 바뀝니다.

Emoji 👩‍👩‍👧‍👦 🇪🇺 👍🏽, combining e\u0301 n\u0303 Z\u0351\u036b\u0343, and a turned \u202etxet\u202c.
`;

const places = `See \`src/delivery/retry.rs:38\`, [the worker](src/delivery/worker.rs#L84), https://httpwg.org/specs/rfc9110.html#field.retry-after, [https://httpwg.org](https://a.example/elsewhere) and me@a.example. A footnote[^1] and

Term
: what it stands for

stay as they are written. ![A chart of the workspace](docs/chart.png)

[^1]: The note.

1. First

   with a second paragraph

   \`\`\`sh
   cargo test -p ferry delivery::retry::retry_after_wins -- --nocapture --test-threads 1 --exact --ignored
   \`\`\`
2. Second
   1. nested
      - [x] deeper
      - [ ] still

| Left | Centre | Right | A column with much to say that makes the table wider than the page is, so that it scrolls on its own |
| :-- | :-: | --: | --- |
| a | b | 1 | \`Worker::deliver_once\` decides, \`Backoff::delay\` says when, and nothing is dropped any more but what nobody could deliver |
| c | d | 1,024 | $x^2$ and **bold** |
`;

const hostile = [
  '<script>window.hurt = 1</script> <img src=x onerror="window.hurt = 1"> <b onclick="hurt()">bold</b>',
  '[x](javascript:window.hurt=1) [y](data:text/html,<script>1</script>) ![z](data:image/svg+xml;base64,AAAA)',
  `${'> '.repeat(400)}deep`,
  `${'- '.repeat(401)}x`,
  `${'*'.repeat(300)}x${'*'.repeat(300)} ${'['.repeat(300)}y${']'.repeat(300)}`,
].join('\n\n');

/** What Markdown can be, besides the answer above. */
export const markdowns: { id: string; title: string; text: string }[] = [
  { id: 'answer-places', title: 'Answer: places, lists and tables', text: places },
  { id: 'answer-formulas', title: 'Answer: formulas', text: formulas },
  { id: 'answer-diagrams', title: 'Answer: diagrams', text: diagrams },
  { id: 'answer-scripts', title: 'Answer: scripts of the world', text: scripts },
  { id: 'answer-hostile', title: 'Answer: hostile', text: hostile },
];
