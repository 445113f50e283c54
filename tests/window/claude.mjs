// The real CLI against a scripted Messages API on the loopback: what a test's app needs to use them.
import { accessSync, constants, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { built, firstLine } from './harness.mjs';

/** The pinned CLI of this checkout. */
export function claude() {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`@anthropic-ai/claude-code-${process.platform}-${process.arch}/package.json`);
  const path = join(dirname(manifest), 'claude');
  accessSync(path, constants.X_OK);
  return path;
}

/** Starts the scripted API in the lab; the environment that points a CLI at it. */
export async function scripted(lab, script) {
  const file = join(lab.root, 'script.json');
  writeFileSync(file, JSON.stringify(script));
  const api = lab.spawn(built('kandev-messages-api'), [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await firstLine('kandev-messages-api', api, api.stdout);
  return {
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_API_KEY: 'dummy-key-for-tests',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}

export const text = (words) => ({ steps: [{ text: words }] });
export const tool = (name, input, before) => ({
  steps: [...(before ? [{ text: before }] : []), { tool_use: { name, input } }],
});
