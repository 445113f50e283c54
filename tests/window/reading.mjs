// What a page shows of a conversation, as data that can be compared: after a restart, in another window, in a file.
import { until } from './harness.mjs';

/** The prompts and answers that are in the DOM, in their order. */
export const said = (page) => page.browser.execute(readSaid);

function readSaid() {
  const words = (element) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  return [...document.querySelectorAll('[role=feed] > article')].flatMap((row) => {
    const answer = row.querySelector(':scope > [data-kind=answer]');
    const prompt = row.querySelector(':scope > .prompt[data-kind=prompt] .say');
    if (answer) return [{ kind: 'answer', text: words(answer) }];
    return prompt ? [{ kind: 'prompt', text: words(prompt) }] : [];
  });
}

/** All prompts and answers of a timeline, from its first row on. It stands at its end before and after. */
export async function shownIn(page) {
  await page.get('feed', 'Timeline');
  const all = new Map();
  await page.scrollThrough(async () => {
    const rows = await page.browser.execute(() => {
      const words = (element) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
      return [...document.querySelectorAll('[role=feed] > article')].map((row) => {
        const answer = row.querySelector(':scope > [data-kind=answer]');
        const prompt = row.querySelector(':scope > .prompt[data-kind=prompt] .say');
        const text = words(answer ?? prompt);
        return [Number(row.getAttribute('aria-posinset')), answer ? 'answer' : prompt ? 'prompt' : null, text];
      });
    });
    for (const [at, kind, text] of rows) if (kind !== null) all.set(at, { kind, text });
    return false;
  });
  await page.frames(2);
  return [...all].sort(([one], [other]) => one - other).map(([, row]) => row);
}

/** The last few of them. */
export const end = async (page) => (await said(page)).slice(-3);

/** Opens a session of the list. */
export async function row(page, id) {
  const selector = `nav [data-session-id="${id}"]`;
  await until(`the session ${id} is listed`, () => page.browser.execute((s) => !!document.querySelector(s), selector), {
    within: 20_000,
  });
  await page.press(await page.browser.$(selector));
  await page.get('feed', 'Timeline');
}

/** The session that is open. */
export const sessionOf = (page) =>
  page.browser.execute(() => document.querySelector('nav [data-session-id][aria-current=true]').dataset.sessionId);

/** Opens a further window on the session that is shown, and goes there. */
export async function another(page) {
  const known = await page.browser.getWindowHandles();
  await page.app.invoke('open_window', { session: await sessionOf(page) });
  const fresh = await until('a further page is there', async () =>
    (await page.browser.getWindowHandles()).find((handle) => !known.includes(handle)),
  );
  await page.browser.switchToWindow(fresh);
}

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
