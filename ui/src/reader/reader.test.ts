import axe from 'axe-core';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { stageFor } from '../dev/stages';
import { story, withQuestion } from '../dev/story';
import { apply, emptyView, type SessionView } from '../session/view';
import type { Event } from '../bindings/bindings';
import { opened, until, windowPerTest } from '../app/testing';
import { toolStates } from '../tools/gallery/states';
import { placeOf, readerText, readerTurns } from './document';
import { hearFrom, summarize } from './summary';
import { callLine, callTexts } from './words';

windowPerTest();

function viewOf(events: readonly Event[]): SessionView {
  const view = emptyView();
  for (const event of events) apply(view, event);
  return view;
}

describe('the conversation as a document', () => {
  it('is turns with the words of their prompts as headings', () => {
    const turns = readerTurns(viewOf(story()), '/home/dev/code/ferry');
    expect(turns.length).toBeGreaterThan(0);
    expect(new Set(turns.map((turn) => turn.number)).size).toBe(turns.length);
    for (const turn of turns) expect(turn.heading).toMatch(/^Turn \d+: \S/);
    expect(turns.slice(0, -1).every((turn) => turn.end?.startsWith(`Turn ${turn.number} `))).toBe(true);
  });

  it('holds each row once, whatever page it begins with', () => {
    const view = viewOf(story());
    const keys = (from: number) => readerTurns(view, '/w', from).flatMap((turn) => turn.parts.map((part) => part.key));
    const all = keys(0);
    expect(new Set(all).size).toBe(all.length);
    const from = placeOf(view.rows, 3);
    expect(keys(from)).toEqual(all.slice(-keys(from).length));
    expect(placeOf(view.rows, 99)).toBe(0);
  });

  it('is copied as plain text', () => {
    const text = readerText(readerTurns(viewOf(story()), '/home/dev/code/ferry'));
    expect(text).toContain('Prompt\n');
    expect(text).toMatch(/Turn 1 done/);
    expect(text).not.toMatch(/undefined|\[object|NaN/);
  });
});

describe('a call in words', () => {
  it.each(toolStates.map((one) => [one.id, one] as const))('says its state: %s', (_, { row, state }) => {
    const made = {
      kind: 'tool' as const,
      key: 'k',
      at: '',
      seq: 1,
      until: '',
      children: [],
      dropped: 0,
      call: row.call,
      record: row.record ?? null,
      waiting: row.waiting ?? false,
    };
    const line = callLine(made, '/home/dev/project');
    const word = { running: 'running', waiting: 'waiting for your approval', complete: 'done' }[state as string];
    if (word) expect(line).toContain(word);
    else if (row.call.tool_status === 'error') expect(line).toMatch(/failed|denied|withdrawn/);
    const texts = callTexts(row.call);
    expect([line, ...texts.map((text) => text.text)].join('\n')).not.toMatch(/undefined|\[object|NaN/);
    expect(texts.some((text) => text.text.includes(String.fromCharCode(27)))).toBe(false);
    expect(Math.max(0, ...texts.map((text) => text.text.length))).toBeLessThan(21_000);
  });
});

describe('what is told while a session goes on', () => {
  const events = withQuestion('approval');
  it('sums up, and says a question and the end of a turn once', () => {
    const view = emptyView();
    let heard = hearFrom(view);
    const said: string[] = [];
    for (const event of events) {
      apply(view, event);
      const next = summarize(view, true, heard);
      if (!next) continue;
      heard = next.heard;
      said.push(next.text);
      expect(summarize(view, true, heard)?.text, 'the same is not said again').not.toBe(next.text);
    }
    expect(said.filter((text) => text.startsWith('Turn finished')).length).toBe(view.turns.length);
    const asked = said.filter((text) => text.startsWith('Waiting for your approval: Edit '));
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBe(asked.length);
    expect(said.some((text) => /^Claude is (editing|running|reading|searching)/.test(text))).toBe(true);
    expect(said.every((text) => text.length < 200)).toBe(true);
  });

  it('says nothing of what was there before, and nothing of the text', () => {
    const view = viewOf(story());
    const heard = hearFrom(view);
    expect(summarize(view, false, heard)).toBeNull();
    const last = view.lastSeq;
    for (let i = 1; i <= 50; i++)
      apply(view, {
        seq: last + i,
        at: '2026-03-02T14:10:00.000Z',
        type: 'message_chunk',
        message_id: 'new',
        text: `word ${i} `,
      } as Event);
    const next = summarize(view, true, heard);
    expect(next?.text ?? 'Claude is answering.').not.toContain('word');
  });
});

describe('the reader', () => {
  const act = (name: string) =>
    [...document.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);
  it('takes the place of the timeline and gives it back, and is remembered', async () => {
    const { app } = await opened(stageFor('working', 0));
    expect(document.querySelector('[role=feed]')).not.toBeNull();
    app.readPlainly(true);
    flushSync();
    await until(() => expect(document.querySelector('.reader h3')).not.toBeNull());
    expect(document.querySelector('[role=feed]')).toBeNull();
    expect(document.querySelector('[role=region][aria-label="Conversation as a document"]')).not.toBeNull();
    expect(localStorage.getItem('kandev.reader')).toBe('true');
    document.documentElement.lang = 'en';
    const { violations } = await axe.run(document, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))])).toEqual([]);
    act('Back to the timeline')?.click();
    flushSync();
    expect(document.querySelector('[role=feed]')).not.toBeNull();
    expect(localStorage.getItem('kandev.reader')).toBeNull();
  }, 120_000);

  it('loads what came earlier, and keeps its headings in order', async () => {
    const { app } = await opened(stageFor('working', 3000));
    app.readPlainly(true);
    flushSync();
    await until(() => expect(document.querySelector('.reader h3')).not.toBeNull());
    const headings = () =>
      [...document.querySelectorAll('.reader h3')].map((h) => Number(/Turn (\d+)/.exec(h.textContent ?? '')?.[1]));
    const before = headings();
    const count = () => document.querySelectorAll('.reader h4').length;
    const few = count();
    expect(few).toBeLessThan(400);
    act('Load earlier')?.click();
    await until(() =>
      expect(document.querySelector('.reader [role=status]')?.textContent).toMatch(/earlier entries loaded/),
    );
    expect(headings().at(-1)).toBe(before.at(-1));
    expect(headings()).toEqual([...headings()].sort((a, b) => a - b));
    expect(count()).toBeGreaterThan(few);
  }, 120_000);

  it('there is one live region for what a session does', async () => {
    await opened(stageFor('working', 0));
    expect(document.querySelectorAll('[data-announcer]')).toHaveLength(1);
    const inMain = [...document.querySelectorAll('main [role=status], main [aria-live]')].filter(
      (one) => !one.closest('[data-question]'),
    );
    expect(inMain.map((one) => one.outerHTML.slice(0, 120))).toEqual([]);
  });
});
