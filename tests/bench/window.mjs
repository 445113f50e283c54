// The real window against its budgets: how soon it paints, how soon a line of the pipe is on screen, and whether a key waits
// while twenty sessions talk. Prints rows of a table; rates are those of one run, only the ratios mean something elsewhere.
import { execFileSync } from 'node:child_process';
import { Lab, until } from '../window/harness.mjs';
import { Page } from '../window/page.mjs';
import { begin } from '../window/talk.mjs';
import { rate, scrolling, scrollingNothing } from '../window/frames.mjs';

const ROUNDS = 9;
const SESSIONS = 20;
const WORDS = 50;
const KEYS = 120;
const ROWS = 100_000;
/** Milliseconds. */
const TALKING = 6_000;
/** Text has more colours than a ground. */
const COLOURS = 8;
const CORNER = { width: 320, height: 240 };

const sorted = (times) => times.toSorted((one, other) => one - other);
const at = (times, part) => sorted(times)[Math.min(times.length - 1, Math.floor(times.length * part))];
const median = (times) => at(times, 0.5);
const row = (what, figure) => console.log(`| ${what} | ${figure} |`);
const ms = (time) => `${time.toFixed(0)} ms`;

/** Milliseconds from the start of a program until its page has drawn something into its window. */
async function firstPaint(program, args, title) {
  const lab = await Lab.open();
  try {
    const screen = await lab.screen();
    const start = performance.now();
    lab.spawn(program, args(lab));
    await until(
      'the window is painted',
      async () => {
        const window = (await screen.windows()).find((one) => one.title === title && one.seen);
        const picture = window && (await screen.picture(window.id, CORNER).catch(() => null));
        return picture && picture.colours > COLOURS;
      },
      { within: 60_000, every: 4 },
    );
    return performance.now() - start;
  } finally {
    await lab.close();
  }
}

async function start(program) {
  const [ours, empty] = [[], []];
  // The first of each reads the files into memory.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const one = await firstPaint(program('examples/empty_window'), () => [], 'Empty window');
    const other = await firstPaint(program('kandev-desktop'), (lab) => ['--data-dir', lab.data], 'Kandev Desktop');
    if (round === 0) continue;
    empty.push(one);
    ours.push(other);
  }
  const ratio = median(ours) / median(empty);
  row(
    'from the start of the program to its first paint, against an empty Tauri window',
    `${ratio.toFixed(2)} (budget: 1.5); ${ms(median(ours))} against ${ms(median(empty))}`,
  );
}

/** A window in a lab, closed at the end. */
async function inWindow(args, env, work, before = () => {}) {
  const lab = await Lab.open();
  try {
    const prepared = before(lab);
    const page = new Page(await lab.app(args(lab), { KANDEV_REHEARSAL_DIR: lab.workspace, ...env }));
    await page.get('button', 'New session');
    await work(page, lab, prepared);
    await page.app.quit();
  } finally {
    await lab.close();
  }
}

/** Runs in the page: how old each word of the stream is once it is painted; the words are the times of their lines. */
async function watchStream(time) {
  const frame = () => new Promise(requestAnimationFrame);
  const painted = () => new Promise((resolve) => setTimeout(resolve));
  const [ages, gaps] = [[], []];
  let [newest, words] = [0, 0];
  const began = performance.now();
  for (let last = began; last - began < time;) {
    const now = await frame();
    if (now > last) gaps.push(now - last);
    last = Math.max(now, last);
    const said = [...document.querySelectorAll('[role=feed] > article')].slice(-2).map((one) => one.textContent);
    const fresh = (said.join(' ').match(/t\d{16}/g) ?? [])
      .map((word) => Number(word.slice(1)))
      .filter((w) => w > newest);
    if (fresh.length === 0) continue;
    if (newest > 0) words += fresh.length;
    await painted();
    // Of what this frame brings, the line that has waited for longest.
    if (newest > 0) ages.push(performance.timeOrigin + performance.now() - fresh[0] / 1000);
    newest = fresh.at(-1);
  }
  return { ages, gaps, words, seconds: (performance.now() - began) / 1000 };
}

async function pipe(program) {
  const args = (lab) => ['--workspace', lab.workspace, '--cli', program('kandev-stamped')];
  await inWindow(args, { KANDEV_BENCH_COUNT: '60000' }, async (page) => {
    await begin(page, 'Talk');
    await page.shows(/t\d{16}/, { within: 30_000, selector: '[role=feed]' });
    const { ages, gaps, words, seconds } = await page.browser.execute(watchStream, TALKING);
    const frame = median(gaps);
    const inFrames = (age) => `${(age / frame).toFixed(1)} frames (${ms(age)})`;
    row(
      `1,000 lines a second from the pipe to pixels; ${(words / seconds).toFixed(0)} a second were seen, a frame of ${frame.toFixed(1)} ms`,
      `median ${inFrames(median(ages))}, 95 % ${inFrames(at(ages, 0.95))}, most ${inFrames(Math.max(...ages))} (budget: 2 frames)`,
    );
  });
}

/** Runs in the page: notes of each key how long it waited to be heard, and to be on screen. */
function listenForKeys() {
  window.__keys = [];
  addEventListener(
    'keydown',
    (event) => {
      const heard = performance.now();
      requestAnimationFrame(() =>
        setTimeout(() =>
          window.__keys.push({ heard: heard - event.timeStamp, painted: performance.now() - event.timeStamp }),
        ),
      );
    },
    true,
  );
}

async function keys(page, count) {
  await page.browser.execute(() => (window.__keys.length = 0));
  for (let pressed = 0; pressed < count; pressed += 1) await page.browser.keys('x');
  return until('the keys are painted', async () => {
    const noted = await page.browser.execute(() => window.__keys);
    return noted.length >= count && noted;
  });
}

async function input(program) {
  const env = { KANDEV_REHEARSAL_WORDS: `1000000,${WORDS}` };
  const args = () => ['--cli', program('kandev-rehearsal')];
  await inWindow(args, env, async (page, lab) => {
    await page.browser.execute(listenForKeys);
    const request = {
      workspace: lab.workspace,
      policy: 'supervised',
      permission_mode: null,
      model: null,
      effort: null,
      env: [],
      cli_path: null,
      resume: null,
      resume_at: null,
      stop_check: 'tell',
      permission_timeout_s: null,
    };
    const figures = async (session) => {
      await page.press(await page.browser.$(`nav [data-session-id="${session}"]`));
      await page.shows(/w\d+ /, { within: 60_000, selector: '[role=feed]' });
      await page.click('textbox', 'Prompt');
      await keys(page, 5);
      return keys(page, KEYS);
    };
    const begun = [];
    const more = async (count) => {
      while (begun.length < count) {
        const { value, refused } = await page.app.invoke('start_session', {
          request,
          first: { text: 'Talk', images: [] },
        });
        if (!value) throw new Error(`no session: ${refused}`);
        begun.push(value.id);
      }
      await until(
        `${count} sessions talk`,
        async () => (await page.sessionStates()).filter((state) => state === 'running').length === count,
        { within: 120_000 },
      );
    };
    await more(1);
    const alone = await figures(begun[0]);
    await more(SESSIONS);
    const all = await figures(begun.at(-1));
    const of = (noted, what) => noted.map((one) => one[what]);
    const tell = (noted, what) => `median ${ms(median(of(noted, what)))}, most ${ms(Math.max(...of(noted, what)))}`;
    row(
      `a key while ${SESSIONS} sessions stream ${WORDS} words a second each, until the page hears it (budget: 50 ms)`,
      `${tell(all, 'heard')}; with one session ${tell(alone, 'heard')}`,
    );
    row('the same, until it is painted', `${tell(all, 'painted')}; with one session ${tell(alone, 'painted')}`);
  });
}

async function long(program) {
  const make = (lab) =>
    execFileSync(program('kandev-long-session'), [lab.data, lab.workspace, `${ROWS}`], { encoding: 'utf8' }).trim();
  const args = () => ['--cli', program('kandev-rehearsal')];
  await inWindow(
    args,
    {},
    async (page, lab, id) => {
      const opened = [];
      for (let round = 0; round < 5; round += 1) {
        await page.click('button', 'New session');
        const time = await page.browser.execute(
          async (session, words) => {
            const began = performance.now();
            document.querySelector(`nav [data-session-id="${session}"]`).click();
            while (!document.querySelector('[role=feed]')?.textContent.includes(words))
              await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            return performance.now() - began;
          },
          id,
          `Part ${ROWS - 2} is`,
        );
        opened.push(time);
      }
      row(
        `a session of ${ROWS.toLocaleString('en')} rows, from the click to its last rows painted`,
        `${ms(opened[0])} the first time, ${ms(median(opened))} the median (budget: 200 ms)`,
      );
      const nothing = await scrollingNothing(page, '[role=feed]', 4_000);
      const frames = await scrolling(page, '[role=feed]', 4_000);
      row(
        'scrolling through it, against an empty page of the same size',
        `${(frames.frames / nothing.frames).toFixed(2)}; ${rate(frames)}, at most ${frames.nodes} nodes (budget: 50 frames/s, 3,000 nodes)`,
      );
    },
    make,
  );
}

/** `program` says where a built program is. */
export async function measure(program) {
  console.log('| what | figure |\n| --- | --- |');
  await start(program);
  await long(program);
  await pipe(program);
  await input(program);
}
