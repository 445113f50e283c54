// What a web search found, from the answer's lines `- [title](address)`. Pure.

export type WebHit = { title: string; url: string; site: string };
/** What was said, in order: Markdown, and lists of hits. */
export type WebPart = { text: string } | { hits: WebHit[] };

const HIT = /^\s*[-*] \[(.*)\]\((https?:\/\/[^\s)]+)\)\s*$/;

export function readHits(response: string): WebPart[] {
  const parts: WebPart[] = [];
  let text: string[] = [];
  const flush = () => {
    const said = text.join('\n').trim();
    if (said !== '') parts.push({ text: said });
    text = [];
  };
  for (const line of response.split('\n')) {
    const match = HIT.exec(line);
    if (!match) {
      text.push(line);
      continue;
    }
    const hit = {
      title: (match[1] ?? '').replace(/\\([[\]\\])/g, '$1'),
      url: match[2] ?? '',
      site: siteOf(match[2] ?? ''),
    };
    const last = parts.at(-1);
    if (text.every((said) => said.trim() === '') && last && 'hits' in last) last.hits.push(hit);
    else {
      flush();
      parts.push({ hits: [hit] });
    }
    text = [];
  }
  flush();
  return parts;
}

export function hitCount(response: string): number {
  return readHits(response).reduce((n, part) => n + ('hits' in part ? part.hits.length : 0), 0);
}

/** The host, as people say it. */
function siteOf(url: string): string {
  try {
    return new URL(url).host.replace(/^www\./, '');
  } catch {
    return '';
  }
}
