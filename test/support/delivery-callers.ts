/** Those who call the product while it is killed again and again: who makes changes, and who looks after deliveries. */
import { setTimeout as delay } from 'node:timers/promises';

const WRITERS = 4;
const PAUSE_MS = 40;
const RETRY_EACH_MS = 1_000;
/** Waits that a user does not wait for. */
const LONG_MS = 10_000;
/** What the name of everything that is changed begins with. */
export const CHANGE = 'change ';
/** What the keys of the producer may do. */
export const SCOPES = [
  'api_keys:read',
  'api_keys:write',
  'workspaces:read',
  'workspaces:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
];

/** Refusals to be expected: 503 without a database, 409 while an attempt is under way. */
const REFUSED = [503, 409];

export interface Producer {
  /** Marker of each change that was acknowledged → the ID of its event where the answer told it. */
  acknowledged: Map<string, string | null>;
  stop(): Promise<void>;
}

/** Of the answers, what is read here. */
interface Body {
  /** Of a webhook's test. */
  event_id?: string;
  data: { id: string; next_attempt_at: string | null }[];
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: Body } | null>;

/** @returns null where the connection broke: nobody knows whether it was done. */
export const getCaller =
  (base: string, secret: string): Call =>
  (method, path, body) =>
    fetch(`${base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (answer) => ({ status: answer.status, body: (await answer.json()) as Body }),
      () => null,
    );

/** Writers that go on until stopped, over any number of kills. Each change is made once and has a name of its own. */
export function startProducer(
  call: Call,
  about: { workspace: string; keys: string[]; pinged: string },
  strange: string[],
): Producer {
  const acknowledged: Producer['acknowledged'] = new Map();
  let producing = true;
  let count = 0;
  const change = async (): Promise<void> => {
    const n = (count += 1);
    const name = `${CHANGE}${n}`;
    const answer =
      n % 10 === 0
        ? await call('POST', `/webhooks/${about.pinged}/test`)
        : n % 10 === 1
          ? await call('PATCH', `/workspaces/${about.workspace}`, { name })
          : await call('PATCH', `/api-keys/${about.keys[n % about.keys.length]}`, { name });
    if (answer && answer.status >= 200 && answer.status < 300)
      acknowledged.set(name, answer.body.event_id ?? null);
    else if (answer && !REFUSED.includes(answer.status))
      strange.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    await delay(PAUSE_MS);
  };
  const running = Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (producing) await change();
    }),
  );
  return {
    acknowledged,
    async stop() {
      producing = false;
      await running;
    },
  };
}

/** A user who looks once a second, and has sent now what would wait for minutes. */
export function startUser(call: Call, webhooks: string[], told: { retried: number; strange: string[] }) {
  let looking = true;
  const look = async (webhook: string): Promise<void> => {
    const list = await call('GET', `/webhooks/${webhook}/deliveries?status=pending&limit=100`);
    for (const delivery of list?.status === 200 ? list.body.data : []) {
      const wait = Date.parse(delivery.next_attempt_at ?? '') - Date.now();
      if (!(wait > LONG_MS)) continue; // NaN: an earlier one of its object goes first
      const answer = await call('POST', `/deliveries/${delivery.id}/retry`);
      if (answer?.status === 202) told.retried += 1;
      else if (answer && !REFUSED.includes(answer.status))
        told.strange.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
  };
  const running = (async () => {
    while (looking) {
      for (const webhook of webhooks) await look(webhook);
      await delay(RETRY_EACH_MS);
    }
  })();
  return {
    async stop() {
      looking = false;
      await running;
    },
  };
}
