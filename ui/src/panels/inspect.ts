// An event in a line, and as text.
import type { Event } from '../bindings/bindings';

export function asText(event: Event): string {
  return JSON.stringify(event, null, 2);
}

/** The events that have a word in them; each is read once, however often the log is looked at. */
export class Found {
  events: Event[] = [];
  private readonly words: string;
  private read = 0;

  constructor(words: string) {
    this.words = words.trim().toLowerCase();
  }

  sift(log: readonly Event[]): Event[] {
    const first = log[0]?.seq ?? 0;
    const kept = this.events.filter((event) => event.seq >= first);
    for (const event of log.slice(Math.max(0, this.read + 1 - first))) {
      this.read = event.seq;
      if (event.type.includes(this.words) || JSON.stringify(event).toLowerCase().includes(this.words)) kept.push(event);
    }
    return (this.events = kept);
  }
}

/** What the event is about, in a word or two. */
export function gist(event: Event): string {
  switch (event.type) {
    case 'tool_call':
    case 'tool_update':
      return `${event.tool_name} ${event.tool_status}`;
    case 'permission_request':
      return `${event.tool_name} ${event.tool_title}`;
    case 'permission_resolved':
      return `${event.behavior} by ${event.by}`;
    case 'message_chunk':
    case 'user_message':
      return event.text.slice(0, 60);
    case 'reasoning':
      return event.reasoning_text.slice(0, 60);
    case 'notice':
      return event.kind;
    case 'error':
      return event.data.code;
    case 'session_state':
      return event.state;
    case 'mode_changed':
      return event.mode;
    case 'model_changed':
      return event.model;
    default:
      return '';
  }
}

/** `14:06.380`: minutes and milliseconds, in local time. */
export function timeOf(at: string): string {
  const d = new Date(at);
  if (Number.isNaN(d.getTime())) return '';
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${String(d.getMilliseconds()).padStart(3, '0')}`;
}
