// Journals for tests of the timeline's engine, made by chance from a seed, so that a failure can be seen again.
import type { Event, EventBody, NormalizedPayload } from '../bindings/bindings';

export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

export const reads = (path: string): NormalizedPayload => ({
  kind: 'read_file',
  read_file: { file_path: path, offset: null, limit: null, output: null },
});
export const searches = (pattern: string): NormalizedPayload => ({
  kind: 'code_search',
  code_search: { query: null, pattern, path: null, glob: null, output: null },
});
export const runs = (command: string): NormalizedPayload => ({
  kind: 'shell_exec',
  shell_exec: {
    command,
    work_dir: null,
    description: null,
    timeout: null,
    background: false,
    output: null,
  },
});
export const asks = (what: string): NormalizedPayload => ({
  kind: 'subagent_task',
  subagent_task: {
    description: what,
    prompt: what,
    subagent_type: null,
    status: null,
    agent_id: null,
    duration_ms: null,
    total_tokens: null,
    tool_use_count: null,
    output: null,
  },
});

export type Status = 'running' | 'complete' | 'error';

/** A journal that is written as it is read. */
export class Journal {
  readonly events: Event[] = [];
  private readonly calls = new Set<string>();

  say(body: EventBody, parent: string | null = null): Event {
    const event = {
      seq: this.events.length + 1,
      at: '2026-01-01T00:00:00.000Z',
      ...body,
      ...(parent === null ? {} : { parent_tool_call_id: parent }),
    } as Event;
    this.events.push(event);
    return event;
  }

  prompt(text: string): Event {
    return this.say({ type: 'user_message', text, uuid: null, attachments: [], synthetic: false });
  }

  text(id: string, text: string, parent: string | null = null): Event {
    return this.say({ type: 'message_chunk', message_id: id, text }, parent);
  }

  /** A call as it begins, or as it goes on. */
  call(id: string, normalized: NormalizedPayload, status: Status, parent: string | null = null): Event {
    const known = this.calls.has(id);
    this.calls.add(id);
    return this.say(
      {
        type: known ? 'tool_update' : 'tool_call',
        tool_call_id: id,
        tool_name: normalized.kind,
        tool_title: id,
        tool_status: status,
        normalized,
      },
      parent,
    );
  }
}

/** Adds something that may come next: prompts, texts, calls that run and end, subagents in subagents, questions. */
export class Chance {
  readonly journal = new Journal();
  private readonly open: { id: string; payload: NormalizedPayload; parent: string | null }[] = [];
  private readonly agents: string[] = [];
  private calls = 0;
  private texts = 0;

  constructor(readonly next: () => number) {}

  step(): Event {
    const { journal, next } = this;
    const parent = this.agents.length > 0 && next() < 0.4 ? this.one(this.agents) : null;
    const dice = next();
    if (dice < 0.05) return journal.prompt(`Prompt ${journal.events.length}`);
    if (dice < 0.15) {
      if (next() < 0.5) this.texts += 1;
      return journal.text(
        `m${this.texts}${parent ?? ''}`,
        'It keeps its promise. '.repeat(1 + Math.floor(next() * 9)),
        parent,
      );
    }
    if (dice < 0.17) return journal.say({ type: 'message_discarded', message_id: `m${this.texts}` });
    if (dice < 0.22) {
      const id = `agent${this.agents.length}`;
      this.agents.push(id);
      return journal.call(id, asks(id), 'running', parent);
    }
    if (dice < 0.6 || this.open.length === 0) {
      const id = `c${this.calls++}`;
      const kind = next();
      const payload = kind < 0.5 ? reads(`/w/${id}.rs`) : kind < 0.8 ? searches(id) : runs(id);
      const status = next() < 0.5 ? 'running' : 'complete';
      if (status === 'running') this.open.push({ id, payload, parent });
      return journal.call(id, payload, status, parent);
    }
    const [ends] = this.open.splice(Math.floor(next() * this.open.length), 1);
    return journal.call(
      ends?.id ?? '',
      ends?.payload ?? runs(''),
      next() < 0.2 ? 'error' : 'complete',
      ends?.parent ?? null,
    );
  }

  one<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }
}
