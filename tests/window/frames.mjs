// What is measured in a page: how it scrolls against an empty page of the same size, and whether what one reads keeps still.

/** Scrolls an element to and fro for that many milliseconds, a step each frame; what the frames were like. */
export const scrolling = (page, selector, ms = 2_000) => page.browser.execute(scrollInPage, selector, ms);

/** The same with a box of the same size and place that holds nothing but its height. */
export async function scrollingNothing(page, selector, ms = 2_000) {
  await page.browser.execute((like) => {
    const { x, y, width, height } = document.querySelector(like).getBoundingClientRect();
    const box = document.createElement('div');
    box.id = 'nothing';
    const place = { position: 'fixed', left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
    Object.assign(box.style, { ...place, overflow: 'auto', zIndex: 9999, background: 'Canvas' });
    const inside = document.createElement('div');
    inside.style.height = '1000000px';
    box.append(inside);
    document.body.append(box);
  }, selector);
  try {
    return await scrolling(page, '#nothing', ms);
  } finally {
    await page.browser.execute(() => document.querySelector('#nothing').remove());
  }
}

/** Runs in the page. */
async function scrollInPage(selector, ms) {
  const box = document.querySelector(selector);
  const times = [];
  let nodes = 0;
  let step = -120;
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const start = performance.now();
  for (let last = start; last - start < ms;) {
    box.scrollTop += step;
    if (box.scrollTop <= 0) step = 120;
    else if (box.scrollTop + box.clientHeight >= box.scrollHeight) step = -120;
    const now = await new Promise((resolve) => requestAnimationFrame(resolve));
    if (now > last) times.push(now - last);
    last = Math.max(last, now);
    nodes = Math.max(nodes, document.querySelectorAll('*').length);
  }
  times.sort((one, other) => one - other);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  return {
    frames: (times.length * 1000) / times.reduce((sum, time) => sum + time, 0),
    median: at(0.5),
    p95: at(0.95),
    nodes,
  };
}

/** Says of a row at each frame where it stands, until it is told to stop. */
export const holdStill = (page) =>
  page.browser.execute(() => {
    const feed = document.querySelector('[role=feed]');
    const top = feed.getBoundingClientRect().top;
    const row = [...feed.querySelectorAll(':scope > article')].find(
      (one) => one.getBoundingClientRect().top >= top + 4,
    );
    const first = row.getBoundingClientRect().top;
    const watch = { moved: 0, frames: 0, text: row.textContent, going: true };
    window.__still = watch;
    const look = () => {
      if (!watch.going) return;
      watch.frames += 1;
      watch.moved = row.isConnected
        ? Math.max(watch.moved, Math.abs(row.getBoundingClientRect().top - first))
        : Infinity;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return watch.text;
  });

/** How far that row has moved at most, in pixels, and how often was looked. */
export const heldStill = (page) =>
  page.browser.execute(() => {
    window.__still.going = false;
    const { moved, frames } = window.__still;
    return { moved: Number.isFinite(moved) ? moved : 1e9, frames };
  });

/** For a line of a report. */
export const rate = ({ frames, median, p95 }) =>
  `${frames.toFixed(1)} frames/s (median ${median.toFixed(1)} ms, 95 % ${p95.toFixed(1)} ms)`;
