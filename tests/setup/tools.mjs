// The tools that a person brings: Rust and Node. They are checked, never installed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Missing, ROOT } from './steps.mjs';

/** The first `a.b` or `a.b.c` in a text, as numbers. */
export function versionIn(text) {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text ?? '');
  return match && [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

export function atLeast(version, wanted) {
  for (let at = 0; at < 3; at += 1) {
    if (version[at] !== wanted[at]) return version[at] > wanted[at];
  }
  return true;
}

/** What the program says, or undefined when there is none. */
function says(program, args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
  } catch {
    return undefined;
  }
}

/** rustup's own folder may not be on PATH yet in the shell that installed it. */
function knowRustup() {
  const bin = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin');
  const path = process.env.PATH ?? '';
  if (existsSync(bin) && !path.split(delimiter).includes(bin)) process.env.PATH = path + delimiter + bin;
}

/** What is wrong with the tools, in words; empty when all is well. */
export function problems({ node, cargo, components, wantedNode, wantedRust }) {
  const found = [];
  const text = (version) => version.join('.');
  if (!atLeast(node, wantedNode)) {
    found.push(`Node ${text(node)} is too old: ${text(wantedNode)} or later is needed (https://nodejs.org)`);
  }
  if (!cargo) {
    found.push(`Rust is missing: ${text(wantedRust)} or later is needed (https://rustup.rs)`);
  } else if (!atLeast(cargo, wantedRust)) {
    found.push(`Rust ${text(cargo)} is too old: ${text(wantedRust)} or later is needed (\`rustup update stable\`)`);
  } else {
    for (const [component, version] of Object.entries(components)) {
      if (!version) found.push(`${component} is missing (\`rustup component add ${component}\`)`);
    }
  }
  return found;
}

/** Checks Rust and Node against what Cargo.toml and package.json ask for. */
export function checkTools({ forTests }) {
  knowRustup();
  const manifest = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8');
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const components = forTests
    ? { rustfmt: says('cargo', ['fmt', '--version']), clippy: says('cargo', ['clippy', '--version']) }
    : {};
  const found = problems({
    node: versionIn(process.version),
    cargo: versionIn(says('cargo', ['--version'])),
    components,
    wantedNode: versionIn(engines.node),
    wantedRust: versionIn(/^rust-version = "(.*)"$/m.exec(manifest)?.[1]),
  });
  if (found.length > 0) throw new Missing(found.join('\n'));
}
