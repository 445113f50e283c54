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
