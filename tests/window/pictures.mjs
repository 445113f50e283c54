// Takes the README's pictures: the real window while it plays the rehearsal tour, in both themes and three widths.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built, Lab, until } from './harness.mjs';
import { Page } from './page.mjs';
import { allow, decideAll } from './tour.mjs';

const FOLDER = fileURLToPath(new URL('../../ui/pictures', import.meta.url));
const THEMES = ['dark', 'light'];
const WIDTHS = [1440, 1024, 720];
const HEIGHT = 900;

/** The edit whose card is shown: by then the timeline above it has something to show. */
const ASKED = 'src/format.ts';

async function pictures(theme, width) {
  const lab = await Lab.open({ width, height: HEIGHT });
  try {
    writeFileSync(join(lab.data, 'settings.json'), JSON.stringify({ theme }));
    lab.remember(width, HEIGHT);
    // Found where an installer would have put it, so that no picture shows the folder of this checkout.
    copyFileSync(built('kandev-rehearsal'), join(lab.folder('home/.local/bin'), 'claude'));
    const app = await lab.app(['--rehearsal-speed', 'max']);
    const page = new Page(app);
    const take = async (name) => {
      await page.frames(30);
      await page.browser.saveScreenshot(join(FOLDER, `${name}-${width}.png`));
    };
    await until(`the page is ${width} wide`, () => page.browser.execute((wanted) => innerWidth === wanted, width));
    await page.get('button', 'Try a rehearsal session');
    await take(`empty-${theme}`);
    await page.click('button', 'Try a rehearsal session');
    await page.prompt('The evening shows no tides. Find out why, and fix it.');
    let asked = false;
    await decideAll(page, async () => {
      if (!asked && (await page.text('[aria-label="Permission request"]')).includes(ASKED)) {
        asked = true;
        await take(`approval-${theme}`);
      }
      return allow(page);
    });
    if (!asked) throw new Error(`the tour did not ask about ${ASKED}`);
    await page.bringUp((row) => row.kind === 'modify_file' && row.status === 'complete');
    // A task in the background has begun a turn of its own; the changes are the session's.
    if (await page.has('button', 'Session')) await page.click('button', 'Session');
    await take(theme);
    const problems = await app.problems();
    if (problems.length > 0) throw new Error(`problems in the page: ${problems.join('\n')}`);
    await app.quit();
  } finally {
    await lab.close();
  }
}

mkdirSync(FOLDER, { recursive: true });
for (const theme of THEMES) {
  for (const width of WIDTHS) await pictures(theme, width);
}
