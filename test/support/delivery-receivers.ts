/** Receivers of deliveries that fail now and then, and sometimes never answer; and what they heard, by event. */
import { startReceiver } from './webhooks.ts';

export interface HeardRequest {
  /** performance.now() of its arrival. */
  at: number;
  /** What it was answered; null for never. */
  status: number | null;
}

export interface HeardEvent {
  sequence: number;
  /** ID of the object that it is about; null where it has none. */
  resource: string | null;
  requests: HeardRequest[];
}

/** By `webhook-id`, in the order of the first requests. */
export type Heard = Map<string, HeardEvent>;

export interface Listening {
  url: string;
  heard: Heard;
  /** When the first request after `at` came; infinity where none did. */
  nextAfter(at: number): number;
  /** From now on everything is answered with 200. */
  calm(): void;
  /** Answers what hangs with 200, whoever still hears it. */
  answerAll(): void;
  close(): Promise<void>;
}

export interface Moods {
  /** Shares of requests that are answered with 500, and not at all. */
  fails: number;
  hangs: number;
  random: () => number;
}

export async function startListening({ fails, hangs, random }: Moods): Promise<Listening> {
  const heard: Heard = new Map();
  let isCalm = false;
  const hanging: (() => void)[] = [];
  const mood = (): number | null => {
    if (isCalm) return 200;
    const drawn = random();
    return drawn < hangs ? null : drawn < hangs + fails ? 500 : 200;
  };
  const receiver = await startReceiver(({ headers, body, at }) => {
    const { id, sequence, data } = JSON.parse(body);
    if (headers['webhook-id'] !== id) throw new Error(`${id} came under another webhook-id`);
    const status = mood();
    const event: HeardEvent = heard.get(id) ?? { sequence, resource: data.object.id ?? null, requests: [] };
    event.requests.push({ at, status });
    heard.set(id, event);
    return status ?? new Promise<number>((resolve) => hanging.push(() => resolve(200)));
  });
  return {
    url: receiver.url,
    heard,
    nextAfter: (at) => receiver.received.find((one) => one.at > at)?.at ?? Number.POSITIVE_INFINITY,
    calm() {
      isCalm = true;
    },
    answerAll() {
      for (const answer of hanging.splice(0)) answer();
    },
    close: () => receiver.close(),
  };
}

/** Requests for events that had been answered with 2xx already. */
export const doublesIn = ({ requests }: HeardEvent): number => {
  const first = requests.findIndex(({ status }) => status === 200);
  return first < 0 ? 0 : requests.length - first - 1;
};

/** Events that came before an earlier one of their object had been answered with 2xx. */
export function misorderedIn(heard: Heard): number {
  const byResource = Map.groupBy(heard.values(), ({ resource }) => resource);
  byResource.delete(null);
  let misordered = 0;
  for (const events of byResource.values()) {
    events.sort((a, b) => a.sequence - b.sequence);
    let doneAt = Number.NEGATIVE_INFINITY;
    for (const { requests } of events) {
      if (requests[0]!.at < doneAt) misordered += 1;
      const success = requests.find(({ status }) => status === 200);
      doneAt = Math.max(doneAt, success?.at ?? Number.POSITIVE_INFINITY);
    }
  }
  return misordered;
}
