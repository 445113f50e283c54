// A long session: work and memory of the page follow what is on screen.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';

const ROWS = 3000;

/** A recording whose one turn has so many answers. */
function longRecording(lab) {
  const lines = lab
    .recording('text_plain.')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  const said = (entry) => (typeof entry.line === 'string' ? parsed(entry.line) : entry.line);
  const at = lines.findIndex((entry) => entry.dir === 'out' && said(entry)?.type === 'result');
  const model = lines.find((entry) => entry.dir === 'out' && said(entry)?.type === 'assistant');
  const more = Array.from({ length: ROWS }, (_, i) => {
    const message = structuredClone(said(model));
    message.uuid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    message.message.id = `msg_long${String(i).padStart(6, '0')}`;
    message.message.content = [{ type: 'text', text: `Paragraph ${i} of a long story.` }];
    return { ...model, line: typeof model.line === 'string' ? JSON.stringify(message) : message };
  });
  return [...lines.slice(0, at), ...more, ...lines.slice(at)].map((entry) => JSON.stringify(entry)).join('\n');
}

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

test('of thousands of rows only those on screen are in the page, wherever one looks', async (t) => {
  await inLab(t, async (lab) => {
    const file = join(lab.root, 'long.ndjson');
    writeFileSync(file, longRecording(lab));
    const page = await lab.page(['--rehearsal', file, '--rehearsal-speed', 'max']);
    await page.prompt('Say hello');
    await page.shows('Turn 1 done', { within: 60_000 });
    await page.shows(`Paragraph ${ROWS - 1} of`);
    const rows = async () => (await page.all('article')).length;
    assert.ok((await rows()) < 200, `${await rows()} rows at the end`);

    const scroll = (share) =>
      page.browser.execute((part) => {
        const feed = document.querySelector('[role=feed]');
        feed.scrollTop = feed.scrollHeight * part;
      }, share);
    await scroll(0);
    await page.shows('Paragraph 0 of');
    assert.ok((await rows()) < 200, `${await rows()} rows at the start`);
    await scroll(0.5);
    await until('the middle is shown', async () => /Paragraph 1[0-9]{3} of/.test(await page.text('[role=feed]')));
    assert.ok((await rows()) < 200, `${await rows()} rows in the middle`);

    await page.reload();
    await page.shows(`Paragraph ${ROWS - 1} of`, { within: 30_000 });
    assert.ok((await rows()) < 200, `${await rows()} rows after a reload`);
  });
});
