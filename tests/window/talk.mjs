// A window with a session of the real CLI in it, and what tests wait for there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claude, scripted } from './claude.mjs';
import { until } from './harness.mjs';

/** Settings that the app finds when it starts. */
export function settle(lab, settings) {
  writeFileSync(join(lab.data, 'settings.json'), JSON.stringify(settings));
}

/** A window with a session in the lab's workspace, its first prompt sent. */
export async function conversation(lab, script, prompt, { policy = 'supervised' } = {}) {
  const page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], await scripted(lab, script));
  await begin(page, prompt, { policy });
  return page;
}

/** Starts a session from the page for a new one. */
export async function begin(page, prompt, { policy = 'supervised' } = {}) {
  await page.click('radio', new RegExp(`^${policy}`));
  await page.type('Prompt', prompt);
  await page.click('button', 'Start');
  await page.get('feed', 'Timeline', { within: 30_000 });
}

export const idle = (page) =>
  until('the turn is over', async () => ['idle', 'ended'].includes((await page.sessionStates())[0]), {
    within: 30_000,
  });

/** Shows a panel of the right side. */
export async function panel(page, name) {
  await page.click('tab', new RegExp(`^${name}`));
  await until(`the panel ${name} is shown`, async () =>
    (await page.text('[role=tab][aria-selected=true].tab')).startsWith(name),
  );
}

/** Runs an act of the command palette. */
export async function act(page, title) {
  await page.click('button', 'Command palette');
  await page.write(title);
  await page.click('option', new RegExp(`^${title}`));
}

/** The value of a field. */
export const valueOf = (page, name) => page.get('textbox', name).then((field) => field.getValue());

export const SIDE = 'aside[aria-label="Session details"]';
export const FEED = '[role=feed]';
export const CARD = '[aria-label="Permission request"]';
