// The development pages, built as the app's page is and served on the loopback under the app's own content security policy.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { build } from 'vite';
import { newest } from '../setup/page.mjs';
import { ROOT } from '../setup/steps.mjs';

const UI = process.env.KANDEV_PAGE_UI ?? join(ROOT, 'ui');
const OUT = process.env.KANDEV_PAGE_OUT ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'page');
const PAGES = ['dev', 'gallery'];

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

/** Builds them again when a source is newer. */
async function built() {
  const index = join(OUT, `${PAGES[0]}.html`);
  const sources = Math.max(newest(UI, ['dist', 'node_modules']), statSync(join(ROOT, 'package-lock.json')).mtimeMs);
  if (existsSync(index) && statSync(index).mtimeMs > sources) return;
  const input = Object.fromEntries(PAGES.map((name) => [name, join(UI, `${name}.html`)]));
  await build({
    configFile: join(UI, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: OUT, emptyOutDir: true, rolldownOptions: { input } },
  });
}

/** As Tauri sends it, for a page whose scripts are all files. */
export function policy() {
  const { csp } = JSON.parse(readFileSync(join(ROOT, 'src-tauri/tauri.conf.json'), 'utf8')).app.security;
  return Object.entries(csp)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

let building = null;

/** Builds the pages, if that is not done yet. Tests that run side by side find them built. */
export const buildPages = () => (building ??= built());

/** Serves the pages until it is closed. */
export async function site() {
  await buildPages();
  const headers = { 'content-security-policy': policy(), 'x-content-type-options': 'nosniff' };
  const server = createServer((request, response) => {
    const path = normalize(join(OUT, decodeURIComponent(new URL(request.url, 'http://localhost').pathname)));
    const there = path.startsWith(OUT) && existsSync(path) && statSync(path).isFile();
    response.writeHead(there ? 200 : 404, { ...headers, 'content-type': TYPES[extname(path)] ?? 'text/plain' });
    response.end(there ? readFileSync(path) : 'not there');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
