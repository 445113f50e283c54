// Answers the questions of a session as they come.
import { until } from './harness.mjs';

/** Says yes: allows, approves, or picks the first option of each question. Tells which button it was. */
export async function allow(page) {
  if (await page.has('button', 'Answer')) {
    for (const question of await page.browser.$$('[aria-label="Permission request"] fieldset')) {
      await until('an option is chosen', async () => {
        if (await question.$('input').isSelected()) return true;
        await page.press(await question.$('label.option'));
        return false;
      });
    }
    await page.click('button', 'Answer');
    return 'Answer';
  }
  const name = (await page.has('button', 'Approve')) ? 'Approve' : 'Allow';
  await page.click('button', name);
  return name;
}

/** Decides each question until the turn is over; what was done for each. */
export async function decideAll(page, decide, look = () => {}, { within = 60_000 } = {}) {
  const done = [];
  const open = () =>
    page.browser.execute(() => document.querySelector('[data-pending-id]')?.getAttribute('data-pending-id') ?? null);
  await until('the turn has begun', async () => (await page.sessionStates())[0] !== 'idle');
  await until(
    'the turn is over',
    async () => {
      await look();
      const pending = await open();
      if (pending) {
        done.push(await decide(page));
        await until('the question is gone', async () => (await open()) !== pending);
        return false;
      }
      return (await page.sessionStates())[0] === 'idle';
    },
    { within },
  );
  return done;
}
