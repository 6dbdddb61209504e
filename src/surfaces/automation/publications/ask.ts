/**
 * The job `publications.ask`: calls the model of an endpoint with `ask_model`, then renders the destinations with the
 * answer and hands them to the publisher. Until then the publication waits in the queue without a due time.
 * | A process that dies between the answer and its storage asks again: the model may be paid twice, but nothing is
 * published twice.
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import type { MessagesPort, ModelsPort } from '../ports/ports.ts';
import { getEndpoint, getReceiving, getRevision } from '../publishing-endpoints/endpoint.store.ts';
import { askModel } from '../questions/ask-model.ts';
import { failed } from '../ports/outcome.ts';
import { toRenderingError } from './publication-acceptance.ts';
import { type PublicationRequest, renderPublication, toRequest } from './publication-request.ts';
import { isWaiting } from './records/publication-state.ts';
import * as store from './records/publication.store.ts';
import { storeAnswered } from './waiting.store.ts';

export interface AskDeps {
  units: Units;
  templates: Pick<Templates, 'render'>;
  messages: Pick<MessagesPort, 'refusedUrls'>;
  models: Pick<ModelsPort, 'ask'>;
  /** Called after a commit when the publication may be due; a hint. */
  wake: () => void;
}

type Payload = JobPayloads['publications.ask'];

/** Seconds to wait after each failed attempt. */
const WAITS = [5, 30, 120, 600];

interface Waiting {
  row: store.PublicationRow;
  request: PublicationRequest;
}

/** Reads the data to render the publication again; null if it no longer waits for an answer. */
async function readWaiting({ units }: AskDeps, { workspaceId, id, only }: Payload): Promise<Waiting | null> {
  const { db } = units.read;
  const row = await store.getPublication(db, workspaceId, id);
  const input = row && (await store.getInput(db, workspaceId, id));
  if (!row || !input || input.erased || !isWaiting(row.status)) return null;
  const isAnswered = input.faults !== null || input.messages.some((body) => body !== null);
  if (isAnswered) return null;
  const endpoint = await getEndpoint(db, workspaceId, row.endpoint_id);
  // Of a deleted endpoint, publications.cancel cancels it.
  if (!endpoint) return null;
  const original = await getRevision(db, workspaceId, endpoint.id, row.revision);
  return {
    row,
    // Its filter, schedule and dedupe key were applied on arrival.
    request: toRequest(row, input, {
      endpoint: { ...getReceiving(endpoint), ...(original && { definition: original }) },
      source: row.source,
      actorId: row.created_by,
      only,
    }),
  };
}

type Faults = NonNullable<store.InputRow['faults']>;
type Rendered = Pick<store.InputRow, 'messages' | 'faults'>;

/** Stores the messages to publish, unless the publication was canceled in the meantime. */
async function publish({ units, wake }: AskDeps, row: store.PublicationRow, rendered: Rendered) {
  await units.write(async (unit) => {
    const { workspace_id: workspaceId, id } = row;
    const locked = await store.lockPublication(unit.db, workspaceId, id);
    if (!locked || !isWaiting(locked.status)) return;
    const isFailed = rendered.messages.every((body) => body === null);
    await storeAnswered(unit.db, locked, rendered, isFailed ? null : locked.scheduled_at);
    unit.afterCommit(wake);
  });
}

const chosen = ({ endpoint, replay }: PublicationRequest): number[] =>
  endpoint.definition.destinations.map((_, nth) => nth).filter((nth) => replay!.only?.includes(nth) ?? true);

/** Fails all destinations. */
const failAll = (deps: AskDeps, { row, request }: Waiting, error: { code: string; detail: string }) => {
  const { destinations } = request.endpoint.definition;
  const faults: Faults = Object.fromEntries(
    chosen(request).map((nth) => [nth, toRenderingError(error, destinations[nth]!)]),
  );
  return publish(deps, row, { messages: destinations.map(() => null), faults });
};

const PARTIAL = {
  code: 'other_destination_failed',
  detail: 'Another destination has an error, and `allow_partial` is false.',
};

/** Renders the destinations. Unless `allow_partial` is set, an error of one fails all, as it rejects a request. */
async function publishAnswer(deps: AskDeps, { row, request }: Waiting, answer: string): Promise<void> {
  const publication = { id: row.id, now: row.created_at };
  const rendering = { ...deps, clock: deps.units.read.clock };
  const rendered = await renderPublication(rendering, { ...request, answer }, publication);
  const { destinations, allow_partial: allowsPartial } = request.endpoint.definition;
  const nths = chosen(request);
  const errors = new Map(
    nths.flatMap((nth) => {
      const [first] = rendered.destinationErrors[nth]!;
      return first ? [[nth, first] as const] : [];
    }),
  );
  const isStopped = errors.size > 0 && !allowsPartial;
  if (isStopped) for (const nth of nths) if (!errors.has(nth)) errors.set(nth, { pointer: '', ...PARTIAL });
  const faults: Faults = Object.fromEntries(
    [...errors].map(([nth, error]) => [nth, toRenderingError(error, destinations[nth]!)]),
  );
  await publish(deps, row, {
    messages: rendered.bodies.map((body, nth) => (errors.has(nth) ? null : body)),
    faults: errors.size ? faults : null,
  });
}

/**
 * Performs the job. A failure of the model is no fault of this server: the next attempt is another job.
 * @throws Error for faults of this server, with which the same job is tried again
 */
export async function askForPublication(deps: AskDeps, payload: Payload, stop: AbortSignal): Promise<void> {
  const waiting = await readWaiting(deps, payload);
  if (!waiting) return;
  const { row, request } = waiting;
  const rendering = { ...deps, clock: deps.units.read.clock };
  const publication = { id: row.id, now: row.created_at };
  const { question, fieldErrors } = await renderPublication(rendering, request, publication);
  const [fault] = fieldErrors;
  const endpointId = publicId('publishing_endpoint', row.endpoint_id);
  const outcome = fault
    ? failed(fault, fault.code === 'template_budget')
    : await askModel(deps.models, row.workspace_id, endpointId, question!, stop);
  if (outcome.output) return publishAnswer(deps, waiting, outcome.output['text'] as string);
  const wait = outcome.mayPass ? WAITS[payload.tried] : undefined;
  if (wait === undefined) return failAll(deps, waiting, outcome.failure);
  const next = { ...payload, tried: payload.tried + 1 };
  await deps.units.write((unit) =>
    unit.jobs.enqueue(unit.db, 'publications.ask', next, { afterSeconds: wait }),
  );
}

/** After the last try that a fault of this server broke off. */
export async function giveUpQuestion(deps: AskDeps, payload: Payload): Promise<void> {
  const waiting = await readWaiting(deps, payload);
  const error = {
    code: 'internal_error',
    detail: 'The model could not be asked because of an internal error.',
  };
  if (waiting) await failAll(deps, waiting, error);
}
