// Answers as Markdown in the real window, under its real policy: formulas, diagrams, colours, hostile texts.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';

const fenced = (lang, text) => `\`\`\`${lang}\n${text}\n\`\`\`\n\n`;

const ANSWER = [
  'A delivery waits $w_n = \\min(b \\cdot 2^n, c)$, which costs $5 and $6:\n\n',
  '$$\n\\sum_{n=1}^{N} w_n = \\frac{b\\,(2^{k+1} - 2)}{1} + (N-k)\\,c\n$$\n\n',
  '\\[ A = \\begin{pmatrix} 1 & 0 \\\\ 0 & \\lambda \\end{pmatrix} \\quad \\color{red}{x} \\]\n\n',
  fenced(
    'mermaid',
    'flowchart LR\n  A[Response] --> B{2xx?}\n  B -- yes --> C[Delivered]\n  B -- no --> D[(Queue)]\n  D -. later .-> A\n  style C fill:#262,color:#fff',
  ),
  fenced(
    'mermaid',
    'sequenceDiagram\n  participant W as Worker\n  participant S as Shop\n  W->>S: POST /hook\n  S-->>W: 503, Retry-After 34\n  Note over W: waits 34 s\n  W->>S: POST /hook\n  S-->>W: 204',
  ),
  fenced('mermaid', 'stateDiagram-v2\n  [*] --> Queued\n  Queued --> Sent\n  Sent --> Queued: retry\n  Sent --> [*]'),
  fenced('mermaid', 'classDiagram\n  class Worker {\n    +deliver(job) Outcome\n  }\n  Worker --> Outcome'),
  fenced('mermaid', 'pie title Outcomes\n  "Delivered" : 92\n  "Retried" : 6\n  "Failed" : 2'),
  'Not drawn, with the reason:\n\n',
  fenced('mermaid', 'flowchart LR\n  A -->\n  --> B ['),
  fenced('mermaid', 'flowchart LR\n  A@{ img: "https://a.example/x.png", label: "x" }'),
  fenced(
    'mermaid',
    '%%{init: {"securityLevel": "loose", "themeCSS": "} body { display: none } x {"}}%%\nflowchart LR\n  A["a long label of words that is wrapped over lines"] --> B["<b>bold</b>"]\n  click A href "javascript:window.hurt=1"',
  ),
  fenced('mermaid', 'flowchart LR\n  A["<img src=x onerror=window.hurt=1>"] --> B'),
  fenced('rust', 'pub fn delay(&self, n: u32) -> Duration {\n    self.base * n // linear\n}'),
  '<script>window.hurt = 1</script> <img src=x onerror="window.hurt = 1"> ![x](https://a.example/x.png)\n\n',
  '[x](javascript:window.hurt=1) $\\href{javascript:window.hurt=1}{x}$\n\n',
  `${'>'.repeat(2000)} deep\n\n${'['.repeat(2000)}\n\n`,
  '| a | b |\n|---|--:|\n| `c` | 1 |\n\nThe end of it.\n',
].join('');

/** A recording whose one answer is this text, in pieces of that many characters. */
function recordingOf(lab, text, size) {
  const lines = lab
    .recording('text_plain.')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines
    .flatMap((entry) => {
      const { line } = entry;
      if (line?.event?.type === 'content_block_delta') {
        if (line.event.delta.text !== 'nge.') return [];
        return (text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []).map((piece, i) => ({
          ...entry,
          line: {
            ...line,
            uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
            event: { ...line.event, delta: { type: 'text_delta', text: piece } },
          },
        }));
      }
      if (line?.type === 'assistant') line.message.content = [{ type: 'text', text }];
      if (line?.type === 'result') line.result = text;
      return [entry];
    })
    .map((entry) => JSON.stringify(entry))
    .join('\n');
}

const PICTURES = process.env.KANDEV_TEST_PICTURES;

for (const theme of ['dark', 'light']) {
  test(`formulas, diagrams and hostile texts under the window's policy, ${theme}`, async (t) => {
    await inLab(t, async (lab) => {
      writeFileSync(join(lab.data, 'settings.json'), JSON.stringify({ theme }));
      const file = join(lab.root, 'markdown.ndjson');
      writeFileSync(file, recordingOf(lab, ANSWER, 7));
      const page = await lab.page(['--rehearsal', file, '--rehearsal-speed', 'max']);
      await page.prompt('Say hello');
      await page.shows('The end of it.', { within: 60_000 });
      await page.shows('Turn 1 done', { within: 60_000 });

      const seen = new Map();
      const frames = await page.browser.execute(bringUp, -1);
      // A diagram is drawn when it comes near the screen.
      for (let at = 0; at < frames; at++) {
        await until(`diagram ${at} is drawn`, () => page.browser.execute(bringUp, at), { within: 30_000 });
        for (const one of await page.browser.execute(readDiagrams)) seen.set(one.source, one);
        if (PICTURES) {
          mkdirSync(PICTURES, { recursive: true });
          await page.frames(3);
          await page.browser.saveScreenshot(join(PICTURES, `markdown-${theme}-${String(at).padStart(2, '0')}.png`));
        }
      }
      const inOrder = [...seen.keys()].sort((one, other) => ANSWER.indexOf(one) - ANSWER.indexOf(other));
      const kinds = inOrder.map((source) => source.replace(/^%%.*\n/, '').split(/\s/, 1)[0]);
      assert.deepEqual(kinds, ['flowchart', 'sequenceDiagram', 'stateDiagram-v2', 'classDiagram', 'pie', 'flowchart']);
      for (const { source, width, height, colours } of seen.values()) {
        assert.ok(width > 60 && height > 40, `${source} is ${width} by ${height}`);
        assert.ok(colours > 3, `${source} has ${colours} colours`);
      }

      const found = await page.browser.execute(readAnswer);
      assert.deepEqual(found.formulas, ['inline', 'block', 'block']);
      assert.ok(found.shift > 0.1, `an index stands ${found.shift} em below its letter`);
      assert.equal(found.red, true, 'a colour of a formula is there');
      assert.deepEqual(found.reasons, [
        'line 3 cannot be read',
        'images in diagrams are not loaded',
        'HTML in diagrams is not drawn',
      ]);
      assert.equal(found.hurt, false);
      assert.deepEqual(found.foreign, []);
      await until('the code has colours', () =>
        page.browser.execute(() => document.querySelector('[data-kind=answer] pre .keyword')?.textContent === 'pub'),
      );
      assert.ok(found.display, 'the page can be seen');
    });
  });
}

/** Brings a diagram of the answer to the middle; whether it is a picture that has come, or says why it is none. -1: how many. */
function bringUp(at) {
  const all = [...document.querySelectorAll('[data-kind=answer] .diagram, [data-kind=answer] .code')].filter(
    (frame) => frame.querySelector('.label')?.textContent === 'mermaid',
  );
  if (at === -1) return all.length;
  all[at].scrollIntoView({ block: 'center' });
  const img = all[at].querySelector('img');
  return (img?.complete && img.naturalWidth > 0) || all[at].querySelector('.foot') !== null;
}

function readDiagrams() {
  return [...document.querySelectorAll('.diagram img')]
    .filter((img) => img.complete && img.naturalWidth > 0)
    .map((img) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [img.naturalWidth, img.naturalHeight];
      const context = canvas.getContext('2d');
      context.drawImage(img, 0, 0);
      let colours = 99;
      try {
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        const all = new Set();
        for (let i = 0; i < data.length; i += 4) all.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
        colours = all.size;
      } catch {
        // Some engines let nobody read a canvas with such a picture.
      }
      return { source: img.alt, width: img.naturalWidth, height: img.naturalHeight, colours };
    });
}

function readAnswer() {
  const answer = document.querySelector('[data-kind=answer]');
  const index = [...answer.querySelectorAll('msub')][0];
  const [letter, below] = index ? [...index.children].map((e) => e.getBoundingClientRect()) : [];
  return {
    formulas: [...answer.querySelectorAll('math')].map((m) => m.getAttribute('display') ?? 'inline'),
    shift: letter ? (below.bottom - letter.bottom) / parseFloat(getComputedStyle(index).fontSize) : 0,
    red: [...answer.querySelectorAll('math *')].some((e) => getComputedStyle(e).color === 'rgb(255, 0, 0)'),
    reasons: [...answer.querySelectorAll('.foot')].map((f) => f.textContent.replace(/^\s*Not drawn: /, '').trim()),
    hurt: 'hurt' in window,
    foreign: [...answer.querySelectorAll('script, iframe, object, embed, style, img')]
      .filter((e) => !(e.localName === 'img' && e.src.startsWith('blob:')))
      .map((e) => e.outerHTML.slice(0, 100)),
    display: getComputedStyle(document.body).display !== 'none',
  };
}
