// An app in which nobody looks at changes starts no git, whatever happens in the folder and in the session.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { claude, scripted, text } from './claude.mjs';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { begin, idle, panel, settle } from './talk.mjs';

test('an app that nobody looks at changes with starts no git', async (t) => {
  await inLab(t, async (lab) => {
    execFileSync('git', ['init', '--initial-branch=main'], { cwd: lab.workspace });
    // It asks git once, when a turn ends.
    settle(lab, { stop_check: 'off' });
    // The CLI asks git on its own account, so it is noted who does.
    const bin = lab.folder('bin');
    const log = join(lab.root, 'log');
    const script = `#!/bin/sh\nread parent < /proc/$PPID/comm\necho "$parent: $*" >> '${log}'\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`;
    writeFileSync(join(bin, 'git'), script);
    chmodSync(join(bin, 'git'), 0o755);
    // Its version is asked for once, to say what there is on this machine.
    const ours = /^kandev-desktop: (?!--version$)/;
    const asked = () => (lab.file('log') ?? '').split('\n').filter((line) => ours.test(line));
    const put = (name) => writeFileSync(join(lab.workspace, name), `${name}\n`);

    const words = ['Ready.', 'Still ready.', 'Ready again.'];
    const turns = words.map((word) => ({ replies: [text(word)] }));
    const env = await scripted(lab, { turns });
    const path = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
    const page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], { ...env, ...path });
    const turn = async (prompt, answer) => {
      await page.prompt(prompt);
      await page.shows(answer, { within: 30_000 });
      await idle(page);
    };
    await begin(page, 'Hello');
    await page.shows(words[0], { within: 30_000 });
    await idle(page);
    put('one.txt');
    await turn('On', words[1]);
    assert.deepEqual(asked(), [], 'nobody looks');

    await panel(page, 'Changes');
    await page.click('button', 'Uncommitted');
    await page.get('option', /^one\.txt, untracked/);
    const looked = asked().length;
    assert.ok(looked > 0, 'who looks sees what git says');
    put('two.txt');
    await page.get('option', /^two\.txt, untracked/);
    await until('git is not asked any more', async () => {
      const before = asked().length;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return asked().length === before;
    });

    await panel(page, 'Todos');
    const before = asked();
    put('three.txt');
    await turn('Once more', words[2]);
    assert.deepEqual(asked(), before, 'nobody looks any more');
  });
});
