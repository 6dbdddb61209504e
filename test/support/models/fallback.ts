/**
 * How a model provider can fail, and what its callers get and pay: observed through Fairlead, as a table for docs/models.md.
 */
import { freePort } from '../free-port.ts';
import type { ModelWorld } from './model-world.ts';
import type { ScriptedUpstream } from './scripted-upstream.ts';

/** Seconds, of the provider that fails. */
const TIMEOUT = 1;
/** USD per million tokens, so that the table can show what a call costs. */
const PRICE = { input: 1000, output: 1000 };
const BILLION = 1_000_000_000;

/** Model of the scripted upstream → how the table names what it does. */
export const FAILURES = {
  refuses: 'refuses the connection',
  resets: 'closes the connection without a response',
  hangs: 'does not respond in time',
  busy: '429 with `Retry-After: 7`',
  broken: '500',
  page: '502 with an HTML page',
  unauthorized: '401',
  empty: 'stream without a byte',
  'only-done': 'stream with only `[DONE]`',
  'error-first': 'stream that begins with an error',
  'error-later': 'error in the stream after the first text',
  cut: 'stream that breaks off after the first text',
  stalls: 'stream that stops after the first text',
} as const;
export type FailureName = keyof typeof FAILURES;
const FAILURE_NAMES = Object.keys(FAILURES) as FailureName[];
const ONLY_STREAMED: FailureName[] = ['empty', 'only-done', 'error-first', 'error-later', 'cut', 'stalls'];

export interface Observed {
  failure: FailureName;
  stream: boolean;
  route: boolean;
  status: number;
  /** `Retry-After` of the response. */
  retryAfter: string | null;
  /** Code of the error that the caller gets, in the response or in its stream; null for none. */
  code: string | null;
  /** What the model said. */
  text: string;
  /** Whether the response ended as HTTP wants it. */
  isComplete: boolean;
  /** Calls that the failing and the second model received. */
  received: [number, number];
  /** The row of usage. */
  recorded: {
    outcome: string;
    attempts: string[] | null;
    model: string;
    input_tokens: number;
    output_tokens: number;
    is_estimated: boolean;
    cost: number | null;
  };
}

/** Creates providers and routes for each failure. `good/well` is the second attempt of each route. */
export async function prepareFailures(world: ModelWorld, upstream: ScriptedUpstream): Promise<void> {
  const models = FAILURE_NAMES.filter((name) => name !== 'refuses');
  const prices = Object.fromEntries([...models, 'refuses', 'well'].map((name) => [name, PRICE]));
  const settings = { timeout_seconds: TIMEOUT, prices };
  await world.createProvider({ slug: 'bad', base_url: upstream.url, models, ...settings });
  const closed = `http://127.0.0.1:${await freePort()}/v1`;
  await world.createProvider({ slug: 'closed', base_url: closed, models: ['refuses'], ...settings });
  await world.createProvider({ slug: 'good', base_url: upstream.url, models: ['well'], prices });
  for (const name of FAILURE_NAMES)
    await world.call('/model-routes', {
      name,
      attempts: [{ model: getModel(name) }, { model: 'good/well' }],
    });
}

const getModel = (name: FailureName): string => `${name === 'refuses' ? 'closed' : 'bad'}/${name}`;

interface Frame {
  choices?: { delta?: { content?: string }; message?: { content?: string } }[];
  error?: { code: string | null; type: string };
}

/** Reads a response to its end, or until it breaks off. */
async function readResponse(response: Response): Promise<{ body: string; isComplete: boolean }> {
  let body = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) body += decoder.decode(chunk, { stream: true });
    return { body, isComplete: true };
  } catch {
    return { body, isComplete: false };
  }
}

function parseFrames(body: string): Frame[] {
  if (!body.startsWith('data:') && !body.startsWith('event:')) return body ? [JSON.parse(body) as Frame] : [];
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Frame);
}

async function observe(
  world: ModelWorld,
  upstream: ScriptedUpstream,
  { failure, stream, route }: Pick<Observed, 'failure' | 'stream' | 'route'>,
): Promise<Observed> {
  const before = upstream.calls.length;
  const response = await fetch(`${world.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.home.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: route ? `route/${failure}` : getModel(failure),
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 100,
      stream,
    }),
  });
  const { body, isComplete } = await readResponse(response);
  const frames = parseFrames(body);
  const error = frames.find((frame) => frame.error)?.error;
  const text = frames
    .map(({ choices }) => choices?.[0]?.delta?.content ?? choices?.[0]?.message?.content ?? '')
    .join('');
  const received = upstream.calls.slice(before);
  const second = received.filter((call) => call.body.model === 'well').length;
  return {
    failure,
    stream,
    route,
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    code: error ? (error.code ?? error.type) : null,
    text,
    isComplete,
    received: [received.length - second, second],
    recorded: await lastRecord(world),
  };
}

type RecordedRow = Omit<Observed['recorded'], 'attempts' | 'cost'> & {
  attempts: string | null;
  cost: string | null;
};

/** Rows that were seen, so that each call's own row is waited for. */
let seen = 0;

async function lastRecord({ app }: ModelWorld): Promise<Observed['recorded']> {
  for (;;) {
    const { rows } = await app.database.pool.query<RecordedRow>(
      'select outcome, attempts, model, input_tokens, output_tokens, is_estimated, cost from model_calls order by id',
    );
    if (rows.length > seen) {
      seen = rows.length;
      const row = rows.at(-1)!;
      return {
        ...row,
        attempts: row.attempts?.split('\n') ?? null,
        cost: row.cost === null ? null : Number(row.cost),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Makes each failure happen, alone and as the first attempt of a route, streamed and not. */
export async function observeFailures(world: ModelWorld, upstream: ScriptedUpstream): Promise<Observed[]> {
  seen = 0;
  const observed: Observed[] = [];
  for (const failure of FAILURE_NAMES)
    for (const stream of ONLY_STREAMED.includes(failure) ? [true] : [true, false])
      for (const route of [false, true])
        observed.push(await observe(world, upstream, { failure, stream, route }));
  return observed;
}

function got({ status, retryAfter, code, text, isComplete }: Observed): string {
  const parts = [
    `${status}${code === null ? '' : ` \`${code}\``}`,
    ...(text ? [`“${text}”`] : []),
    ...(retryAfter === null ? [] : [`\`Retry-After: ${retryAfter}\``]),
    ...(isComplete ? [] : ['the connection is closed']),
  ];
  return parts.join(', ');
}

function counted({ recorded }: Observed): string {
  const { outcome, input_tokens: input, output_tokens: output, is_estimated: isEstimated, cost } = recorded;
  const tokens =
    input + output === 0
      ? 'no tokens'
      : `${input} + ${output} tokens${isEstimated ? ' (estimated)' : ''}, $${((cost ?? 0) / BILLION).toFixed(3)}`;
  return `${outcome}, ${tokens}`;
}

/** A table of what was observed for streamed calls; calls that are not streamed differ in nothing that it shows. */
export function failureTable(observed: readonly Observed[]): string {
  const rows = FAILURE_NAMES.map((failure) => {
    const [alone, routed] = [false, true].map((route) =>
      observed.find((one) => one.failure === failure && one.stream && one.route === route)!,
    );
    const cells = [FAILURES[failure], got(alone!), counted(alone!), got(routed!), counted(routed!)];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| The provider | Its caller gets | Counted | The caller of a route gets | Counted |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
