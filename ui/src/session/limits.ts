// The usage limits that a `rate_limit` event tells of (PROTOCOL 4.5). Only `status` is always there.

export type Limit = {
  /** The wire's name of the window: `five_hour`, `seven_day`, ... */
  key: string;
  /** `allowed`, `allowed_warning` or `rejected`. */
  status: string;
  /** 0 to 1; null when it was not said. */
  utilization: number | null;
  /** Milliseconds since the epoch. */
  resetsAt: number | null;
  at: string;
  message: string;
};

export function readLimits(data: unknown, at: string, message: string): Limit[] {
  const info = field(data, 'rate_limit_info') ?? data;
  const windows = field(info, 'unifiedWindows');
  const limits: Limit[] = [];
  if (windows && typeof windows === 'object') {
    for (const [key, value] of Object.entries(windows)) limits.push(readOne(key, value, at, message));
  }
  const type = field(info, 'rateLimitType');
  if (typeof type === 'string' && !limits.some((limit) => limit.key === type))
    limits.push(readOne(type, info, at, message));
  return limits;
}

/** The newest word on each window, the shortest window first. */
export function mergeLimits(known: readonly Limit[], news: Iterable<Limit>): Limit[] {
  const all = new Map(known.map((limit) => [limit.key, limit]));
  for (const limit of news) {
    const before = all.get(limit.key);
    if (!before || before.at <= limit.at) all.set(limit.key, limit);
  }
  const order = ['five_hour', 'seven_day'];
  const place = (limit: Limit) => (order.indexOf(limit.key) + order.length + 1) % (order.length + 1);
  return [...all.values()].sort((a, b) => place(a) - place(b) || a.key.localeCompare(b.key));
}

/** The window has begun anew since; what was said of it holds no more. */
export function isReset(limit: Limit, now: number): boolean {
  return limit.resetsAt !== null && limit.resetsAt <= now;
}

/** How much of it is used, or what is said in place of a figure. */
export function limitValue(limit: Limit, now: number): string {
  if (isReset(limit, now)) return 'reset';
  if (limit.utilization !== null) return `${Math.round(limit.utilization * 100)} %`;
  return { allowed: 'open', allowed_warning: 'nearly used', rejected: 'used up' }[limit.status] ?? limit.status;
}

/** `five_hour` as a person says it: `5 h`. */
export function limitName(key: string): string {
  const names: Record<string, string> = {
    five_hour: '5 h',
    seven_day: '7 d',
    seven_day_opus: '7 d, Opus',
    seven_day_sonnet: '7 d, Sonnet',
  };
  return names[key] ?? key.replaceAll('_', ' ');
}

function readOne(key: string, value: unknown, at: string, message: string): Limit {
  const utilization = field(value, 'utilization');
  const resets = field(value, 'resetsAt');
  const status = field(value, 'status');
  return {
    key,
    status: typeof status === 'string' ? status : 'allowed',
    utilization: typeof utilization === 'number' ? utilization : null,
    resetsAt: typeof resets === 'number' ? resets * 1000 : null,
    at,
    message,
  };
}

function field(value: unknown, name: string): unknown {
  return value && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}
