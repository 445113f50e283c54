// Steps that are named, timed and stop at the first failure. Knows nothing of what they do.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Something a person has to do; its message says what. */
export class Missing extends Error {}

/** A program that was run and did not succeed. */
export class Failed extends Error {}

/** Runs a program to its end with our own terminal; its exit code, 128 + n for a signal. */
export function run(program, args, { cwd = ROOT, env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'ignore', 'ignore'] : 'inherit';
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio, windowsHide: true });
    // The terminal sends Ctrl+C to the child as well; its end is ours.
    const wait = () => {};
    process.on('SIGINT', wait);
    child.once('error', (error) => {
      process.off('SIGINT', wait);
      reject(error.code === 'ENOENT' ? new Missing(`the program ${program} is missing`) : error);
    });
    child.once('close', (code, signal) => {
      process.off('SIGINT', wait);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Like `run`, and fails when the program does. */
export async function must(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) throw new Failed(`${[program, ...args].join(' ')} ended with ${code}`);
}

/** npm itself, which is no program of its own on Windows. */
export function npm(args, options) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? must(process.execPath, [script, ...args], options) : must('npm', args, options);
}

export function cargo(args, options) {
  return must('cargo', args, options);
}

/** Runs steps, each `[name, action]`, in order. Prints a heading and the time of each, and the sum at the end. */
export async function inOrder(steps, { say = console.log, now = Date.now } = {}) {
  let passed = 0;
  for (const [name, action] of steps) {
    const start = now();
    const seconds = () => `${((now() - start) / 1000).toFixed(1)} s`;
    say(`\n=== ${passed + 1}/${steps.length} ${name}`);
    try {
      await action();
    } catch (error) {
      say(`\n=== FAILED: ${name} (${seconds()}): ${error.message}`);
      say(`${passed} passed, 1 failed, ${steps.length - passed - 1} not reached`);
      return false;
    }
    passed += 1;
    say(`=== ok: ${name} (${seconds()})`);
  }
  say(`\n${passed} passed, 0 failed`);
  return true;
}

/** Runs a script's main part: what is missing or failed is told in its own words, without a stack. */
export async function main(action) {
  try {
    process.exitCode = await action();
  } catch (error) {
    console.error(error instanceof Missing || error instanceof Failed ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
