/**
 * Renders a request into a publication: all templates of the endpoint in one call, plus the lookup of file URLs.
 * Nothing is written, and no transaction is open.
 */
import { currentTraceparent } from '../../../platform/tracing/tracing.ts';
import { createHash } from 'node:crypto';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { FieldError, Problem } from '../../../platform/http/problem.ts';
import type { Question } from '../questions/ask-model.ts';
import { empty, toFieldErrors } from '../destinations/destination-body.ts';
import { planDestinations } from '../destinations/render.ts';
import type { MessageBody, MessagesPort } from '../ports/ports.ts';
import type { ReceivingEndpoint } from '../publishing-endpoints/endpoint.store.ts';
import { dueAt, isScheduleError } from '../publishing-endpoints/schedule.ts';
import type { Rendered, Template, Templates } from '../../../platform/templates/templates.ts';
import type { InputRow, PublicationRow, Source } from './records/publication.store.ts';

export interface PublicationRequest {
  endpoint: ReceivingEndpoint;
  source: Source;
  /** Any JSON value. */
  payload: unknown;
  /** Number of characters in it that were replaced by U+FFFD. */
  replaced: number;
  /** Without credentials. */
  headers: Record<string, string>;
  query: Record<string, string>;
  contentType: string | null;
  /** Bytes of the body. */
  size: number;
  /** Delivery ID of the signature scheme; used for deduplication if the endpoint has no `dedupe_key`. */
  deliveryId: string | null;
  /** Public ID of the API key or user; of the endpoint if the sender is anonymous. */
  actorId: string;
  /** Text of the model's response, once it is known; with `ask_model`, destinations are rendered only then. */
  answer?: string;
  /** The replayed publication: ignores the filter, the schedule and dedupe keys. */
  replay?: { of: string; /** Indexes of destinations; null for all. */ only: readonly number[] | null };
}

/**
 * Builds the request of a stored publication, to render it again without the filter, the schedule and the dedupe key.
 * @param only indexes of destinations; null for all
 */
export const toRequest = (
  row: Pick<PublicationRow, 'id' | 'replaced_characters' | 'content_type' | 'size'>,
  { payload, headers, query }: Pick<InputRow, 'payload' | 'headers' | 'query'>,
  {
    only,
    ...given
  }: Pick<PublicationRequest, 'endpoint' | 'source' | 'actorId'> & { only: readonly number[] | null },
): PublicationRequest => ({
  ...given,
  payload,
  replaced: row.replaced_characters,
  headers,
  query,
  contentType: row.content_type,
  size: row.size,
  deliveryId: null,
  replay: { of: row.id, only },
});

export interface RenderedPublication {
  request: PublicationRequest;
  /** UUID of the publication. */
  id: string;
  now: Date;
  /** Whether the filter did not match. */
  isFiltered: boolean;
  /** Errors of the whole publication; pointers are relative to the endpoint. */
  fieldErrors: FieldError[];
  /** The question for the model, if the endpoint asks one; null for a filtered publication. */
  question: Question | null;
  /** By destination; null if no message was rendered. */
  bodies: (MessageBody | null)[];
  /** By destination, with pointers into the endpoint; empty for a skipped destination. */
  destinationErrors: FieldError[][];
  /** SHA-256 of the dedupe key; null without one. */
  keyHash: Buffer | null;
  /** null for immediately. */
  scheduledAt: Date | null;
  /** W3C traceparent of the request, if it is sampled. */
  traceparent: string | null;
}

export interface PublicationRequestDeps {
  templates: Pick<Templates, 'render'>;
  messages: Pick<MessagesPort, 'refusedUrls'>;
  clock: () => Date;
}

const hashKey = (kind: 'key' | 'id', key: string): Buffer =>
  createHash('sha256').update(`${kind}:${key}`).digest();

/** Converts pointers to be relative to the endpoint. */
const within = (destination: number, fieldErrors: readonly FieldError[]): FieldError[] =>
  fieldErrors.map((fieldError) => ({
    ...fieldError,
    pointer: `/destinations/${destination}${fieldError.pointer}`,
  }));

/**
 * Converts rejections to field errors.
 * @param rejected by destination
 */
export const toFieldErrorLists = (rejected: readonly (Problem | null)[]): FieldError[][] =>
  rejected.map((problem, nth) => (problem ? within(nth, toFieldErrors(problem)) : []));

/** Lists the endpoint-level and destination templates with accessors for their results. */
function planTemplates({ endpoint: { definition }, replay, answer }: PublicationRequest) {
  const first: Template[] = [];
  const add = (
    kind: Template['kind'],
    source: string | null | undefined,
  ): ((rendered: readonly Rendered[]) => Rendered | null) => {
    if (typeof source !== 'string') return () => null;
    const nth = first.push({ kind, source }) - 1;
    return (rendered) => rendered[nth]!;
  };
  const onArrival = <T>(source: T): T | null => (replay ? null : source);
  const { ask_model: asked } = definition;
  const filter = add('condition', onArrival(definition.filter));
  const dedupeKey = add('text', onArrival(definition.dedupe_key));
  const at = add('text', onArrival(definition.schedule?.at));
  const system = add('text', asked?.system);
  const prompt = add('text', asked?.prompt);
  const chosen =
    asked && answer === undefined
      ? []
      : definition.destinations.map((_, nth) => nth).filter((nth) => replay?.only?.includes(nth) ?? true);
  const plan = planDestinations(
    chosen.map((nth) => definition.destinations[nth]!),
    definition.shorten_links,
  );
  const read = (rendered: readonly Rendered[]) => plan.read(rendered.slice(first.length));
  return { templates: [...first, ...plan.templates], filter, dedupeKey, at, system, prompt, chosen, read };
}

/** Returns the variables of templates. */
export const getVariables = (
  { endpoint, payload, headers, query, answer }: PublicationRequest,
  { id, now }: Pick<RenderedPublication, 'id' | 'now'>,
): object => ({
  payload,
  headers,
  query,
  endpoint: { id: publicId('publishing_endpoint', endpoint.id), name: endpoint.name },
  publication: { id: publicId('publication', id) },
  received_at: now.toISOString(),
  ...(answer === undefined ? {} : { answer }),
});

/** The identity of a publication that is received now. */
function newPublication(clock: () => Date): Pick<RenderedPublication, 'id' | 'now'> {
  const id = newUuid();
  // Lists filter times by ID, so the time of the ID is used. If the clock was set back, the earlier time applies: IDs
  // ascend regardless.
  return { id, now: new Date(Math.min(timeOfUuid(id).getTime(), clock().getTime())) };
}

/** @param publication the one that was received before */
export async function renderPublication(
  { templates, messages, clock }: PublicationRequestDeps,
  request: PublicationRequest,
  publication = newPublication(clock),
): Promise<RenderedPublication> {
  const { endpoint, deliveryId, replay } = request;
  const { definition } = endpoint;
  const { id, now } = publication;
  const plans = planTemplates(request);
  const variables = getVariables(request, publication);
  const rendered = await templates.render(endpoint.workspaceId, variables, plans.templates);
  const fieldErrors: FieldError[] = [];
  const toText = (pointer: string, one: Rendered | null): string => {
    if (one?.fault) fieldErrors.push({ pointer, ...one.fault });
    return one?.text?.trim() ?? '';
  };
  const isFiltered = toText('/filter', plans.filter(rendered)) === 'false';
  const key = toText('/dedupe_key', plans.dedupeKey(rendered));
  const at = toText('/schedule/at', plans.at(rendered));
  const due = replay ? null : dueAt(definition.schedule, at, now);
  if (isScheduleError(due)) fieldErrors.push({ pointer: '/schedule/at', ...due });
  const system = toText('/ask_model/system', plans.system(rendered));
  const prompt = plans.prompt(rendered);
  const question = definition.ask_model && {
    model: definition.ask_model.model,
    max_tokens: definition.ask_model.max_tokens,
    system: system === '' ? null : system,
    prompt: toText('/ask_model/prompt', prompt),
  };
  if (question?.prompt === '' && !prompt?.fault) fieldErrors.push(empty('/ask_model/prompt'));

  const bodies: (MessageBody | null)[] = definition.destinations.map(() => null);
  const destinationErrors: FieldError[][] = definition.destinations.map(() => []);
  for (const [nth, outcome] of plans.read(rendered).entries()) {
    const destination = plans.chosen[nth]!;
    bodies[destination] = outcome.body;
    if (outcome.fieldErrors) destinationErrors[destination] = within(destination, outcome.fieldErrors);
  }
  if (!isFiltered) await refuseUrls(messages, bodies, destinationErrors);
  return {
    request,
    id,
    now,
    isFiltered,
    question: isFiltered ? null : question,
    fieldErrors: isFiltered ? [] : fieldErrors,
    bodies,
    destinationErrors,
    keyHash: replay
      ? null
      : key !== ''
        ? hashKey('key', key)
        : definition.dedupe_key === null && deliveryId !== null
          ? hashKey('id', deliveryId)
          : null,
    scheduledAt: isScheduleError(due) ? null : due,
    traceparent: currentTraceparent(),
  };
}

/** Whether the message refers to a file URL. */
const hasUrl = (body: MessageBody | null): boolean =>
  body !== null && (body[body['type'] as string] as { url?: unknown } | null)?.url !== undefined;

async function refuseUrls(
  messages: PublicationRequestDeps['messages'],
  bodies: readonly (MessageBody | null)[],
  destinationErrors: FieldError[][],
): Promise<void> {
  const checked = bodies.flatMap((body, nth) => (hasUrl(body) ? [{ body: body!, nth }] : []));
  if (!checked.length) return;
  const rejected = await messages.refusedUrls(checked.map(({ body }) => body));
  for (const [index, problem] of rejected.entries())
    if (problem)
      destinationErrors[checked[index]!.nth]!.push(...within(checked[index]!.nth, toFieldErrors(problem)));
}
