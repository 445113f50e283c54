// What programs print, however much it is: shown as a terminal would, read by ranges, found in, followed and stopped.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { text, tool } from './claude.mjs';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { conversation, FEED, idle, panel, SIDE } from './talk.mjs';

const LINES = 100_000;
const NODES = 3_000;
/** A hundred characters each, so that all of them are ten megabytes. */
const line = (at) => `line ${String(at).padStart(9, '0')} ${'of what a program prints '.repeat(4)}`.slice(0, 99);

/** A recording whose one command has printed that. */
function recordingOf(lab, stdout) {
  return lab
    .recording('bash_ok.')
    .trim()
    .split('\n')
    .map((entry) => {
      const said = JSON.parse(entry);
      const message = said.line;
      if (said.dir !== 'out' || message?.tool_use_result === undefined) return entry;
      message.tool_use_result.stdout = stdout;
      message.message.content[0].content = stdout.slice(0, 20_000);
      return JSON.stringify(said);
    })
    .join('\n');
}

/** A window that plays it to its end. */
async function played(lab, stdout) {
  const file = join(lab.root, 'output.ndjson');
  writeFileSync(file, recordingOf(lab, stdout));
  const page = await lab.page(['--rehearsal', file, '--rehearsal-speed', 'max']);
  await page.prompt('List the sources');
  await until('the question or the end comes', async () => {
    if (await page.has('button', 'Allow')) await page.click('button', 'Allow');
    return /Turn 1 done/.test(await page.text(FEED));
  });
  return page;
}

/** Opens the row of the only command. */
async function unfold(page) {
  const closed = `${FEED} [data-kind=shell_exec] .sum[aria-expanded=false]`;
  await until('the row is open', async () => {
    const head = await page.browser.$(closed);
    if (!(await head.isExisting())) return true;
    await page.press(head);
    return false;
  });
}

/** Opens the output of the only command, goes to its end and back to its beginning, and finds a line in the middle. */
async function readAll(page, t, what) {
  await unfold(page);
  await page.click('button', 'Show all');
  const scroll = (part) =>
    page.browser.execute((share) => {
      const box = [...document.querySelectorAll('[role=feed] .box')].at(-1);
      box.scrollTop = box.scrollHeight * share;
    }, part);
  const nodes = () => page.browser.execute(() => document.querySelectorAll('*').length);
  await page.shows(line(1).slice(0, 14), { selector: FEED });
  let most = await nodes();
  const start = performance.now();
  await scroll(1);
  await page.shows(line(LINES).slice(0, 14), { selector: FEED });
  const end = performance.now() - start;
  for (const part of [0.25, 0.5, 0.75, 0]) {
    await scroll(part);
    await page.frames(4);
    most = Math.max(most, await nodes());
  }
  await page.shows(line(1).slice(0, 14), { selector: FEED });
  await page.click('button', 'Find in the output');
  const middle = LINES / 2;
  await page.type('Find in the output', `LINE ${String(middle).padStart(9, '0')}`);
  await page.browser.keys('Enter');
  await page.shows(line(middle).slice(0, 14), { selector: FEED });
  t.diagnostic(`${what}: its end is shown ${end.toFixed(0)} ms after it is asked for, at most ${most} nodes`);
  assert.ok(most < NODES, `${most} nodes`);
}

test('ten megabytes in one result are read by ranges, from the journal', async (t) => {
  await inLab(t, async (lab) => {
    const stdout = Array.from({ length: LINES }, (_, at) => line(at + 1)).join('\n');
    const page = await played(lab, stdout);
    await readAll(page, t, '10 MB in a result');
    const held = await page.browser.execute(() => document.documentElement.textContent.length);
    assert.ok(held < 1 << 20, `${held} characters are in the page`);
  });
});

test('progress bars and colours come out as a terminal shows them, and no escape is left', async (t) => {
  await inLab(t, async (lab) => {
    const bar = Array.from({ length: 50 }, (_, at) => `\rfetching ${2 * at}%`).join('');
    const stdout = [
      `${bar}\rfetched 100%`,
      '\u001b[1;32mgreen words\u001b[0m plain',
      'two lines\nthat are\u001b[1A\rone again',
      'wrong\u001b[2K\rright',
      '\u001b]0;a title\u0007\u001b]8;;https://example.invalid\u0007a link\u001b]8;;\u0007',
      'back\b\b\b\bover',
    ].join('\n');
    const page = await played(lab, stdout);
    await unfold(page);
    await page.shows('fetched 100%', { selector: FEED });
    await page.shows('right', { selector: FEED });
    const shown = await page.text(FEED);
    for (const gone of ['fetching', 'wrong', '[2K', 'a title', '\u001b', 'two lines', 'back'])
      assert.ok(!shown.includes(gone), `it shows ${JSON.stringify(gone)}`);
    for (const there of ['green words', 'one again', 'a link', 'over']) assert.ok(shown.includes(there), there);
    const green = await page.browser.execute(() => {
      const of = (words) =>
        [...document.querySelectorAll('[role=feed] span')].find(
          (one) => one.textContent === words && !one.children.length,
        );
      const style = getComputedStyle(of('green words'));
      return {
        colour: style.color,
        around: getComputedStyle(of('green words').parentElement).color,
        weight: style.fontWeight,
      };
    });
    assert.notEqual(green.colour, green.around, 'it has a colour of its own');
    assert.ok(Number(green.weight) >= 600, `it is bold: ${green.weight}`);
  });
});

test('of an output that Claude Code has kept in a file, all is read from that file', async (t) => {
  await inLab(t, async (lab) => {
    const print = join(lab.workspace, 'print.mjs');
    const program = `const of = ${line}; for (let at = 1; at <= ${LINES}; at += 1) console.log(of(at));`;
    writeFileSync(print, program);
    const script = {
      turns: [
        {
          replies: [
            tool('Bash', { command: `${process.execPath} print.mjs`, description: 'Print much' }),
            text('Done.'),
          ],
        },
      ],
    };
    const page = await conversation(lab, script, 'Print much');
    await page.click('button', 'Allow', { within: 30_000 });
    await page.shows('Done.', { within: 60_000, selector: FEED });
    await idle(page);
    await readAll(page, t, '10 MB in a file');
  });
});

test('a command in the background is followed while it runs, and stopped', async (t) => {
  await inLab(t, async (lab) => {
    const file = join(lab.root, 'alive');
    const command = `i=0; while true; do i=$((i+1)); echo tick $i; echo $i > '${file}'; sleep 0.1; done`;
    const input = { command, description: 'Tick for ever', run_in_background: true };
    const script = { turns: [{ replies: [tool('Bash', input), text('It ticks.')] }] };
    const page = await conversation(lab, script, 'Tick');
    await page.click('button', 'Allow', { within: 30_000 });
    await page.shows('It ticks.', { within: 30_000, selector: FEED });
    await panel(page, 'Tasks');
    const last = async () =>
      Math.max(0, ...((await page.text(SIDE)).match(/tick (\d+)/g) ?? []).map((w) => +w.slice(5)));
    const first = await until('it is shown', last);
    await until('it goes on', async () => (await last()) > first + 10);
    await page.click('button', 'Stop');
    await page.shows(/stopped, \d/, { selector: SIDE, within: 30_000 });
    const now = () => readFileSync(file, 'utf8');
    await until('it has stopped', async () => {
      const before = now();
      await page.frames(30);
      return now() === before;
    });
  });
});
