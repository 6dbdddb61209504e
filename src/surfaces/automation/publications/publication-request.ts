/**
 * Something that came in, made ready to be received: all templates of the endpoint's definition are rendered by one call,
 * and addresses of files are looked up. Nothing is written here, and no transaction is open.
 */
import { createHash } from 'node:crypto';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { newUuid, publicId } from '../../../platform/http/ids.ts';
import type { FieldError, Problem } from '../../../platform/http/problem.ts';
import { toFieldErrors } from '../destinations/destination-body.ts';
import { planDestinations } from '../destinations/render.ts';
import type { MessageBody, MessagesPort } from '../ports.ts';
import type { ReceivingEndpoint } from '../publishing-endpoints/endpoint.store.ts';
import { dueAt, isScheduleError } from '../publishing-endpoints/schedule.ts';
import type { Rendered, Template, Templates } from '../../../platform/templates/templates.ts';

import type { Source } from './publication.store.ts';

export interface PublicationRequest {
  endpoint: ReceivingEndpoint;
  source: Source;
  /** What JSON can hold. */
  payload: unknown;
  /** Without those that prove who sent it. */
  headers: Record<string, string>;
  query: Record<string, string>;
  contentType: string | null;
  /** Bytes of the body. */
  size: number;
  /** By which the signing scheme tells deliveries apart; it counts where the endpoint has no `dedupe_key`. */
  deliveryId: string | null;
  /** Public id of the key or person; of the endpoint where nobody is known. */
  actorId: string;
  /** What it repeats: published at once, whatever the filter says, and however often it came. */
  replay?: { of: string; /** Positions of destinations; null for all. */ only: readonly number[] | null };
}

export interface RenderedPublication {
  arrival: PublicationRequest;
  /** Of the publication: uuid. */
  id: string;
  now: Date;
  /** The filter holds it back. */
  isFiltered: boolean;
  /** What is wrong with all of it; pointers are into the endpoint. */
  faults: FieldError[];
  /** By destination; null for one that nothing is made for. */
  bodies: (MessageBody | null)[];
  /** By destination, with pointers into the endpoint; none for one that was left out. */
  faultsOf: FieldError[][];
  /** SHA-256; null where nothing tells repetitions apart. */
  keyHash: Buffer | null;
  /** null for at once. */
  scheduledAt: Date | null;
}

export interface PublicationRequestDeps {
  templates: Pick<Templates, 'render'>;
  messages: Pick<MessagesPort, 'refusedUrls'>;
  clock: () => Date;
}

const hashOf = (kind: 'key' | 'id', key: string): Buffer =>
  createHash('sha256').update(`${kind}:${key}`).digest();

/** With pointers into the endpoint. */
const within = (destination: number, faults: readonly FieldError[]): FieldError[] =>
  faults.map((fault) => ({ ...fault, pointer: `/destinations/${destination}${fault.pointer}` }));

/** @param refused by destination */
export const toFieldErrorLists = (refused: readonly (Problem | null)[]): FieldError[][] =>
  refused.map((problem, nth) => (problem ? within(nth, toFieldErrors(problem)) : []));

/** Templates that stand once in a definition, each with what it made. */
function plansOf({ endpoint: { definition }, replay }: PublicationRequest) {
  const first: Template[] = [];
  const add = (
    kind: Template['kind'],
    source: string | null,
  ): ((rendered: readonly Rendered[]) => Rendered | null) => {
    if (source === null || replay) return () => null;
    const nth = first.push({ kind, source }) - 1;
    return (rendered) => rendered[nth]!;
  };
  const filter = add('condition', definition.filter);
  const dedupeKey = add('text', definition.dedupe_key);
  const at = add('text', definition.schedule?.at ?? null);
  const chosen = definition.destinations
    .map((_, nth) => nth)
    .filter((nth) => replay?.only?.includes(nth) ?? true);
  const plan = planDestinations(
    chosen.map((nth) => definition.destinations[nth]!),
    definition.shorten_links,
  );
  const read = (rendered: readonly Rendered[]) => plan.read(rendered.slice(first.length));
  return { templates: [...first, ...plan.templates], filter, dedupeKey, at, chosen, read };
}

export async function renderPublication(
  { templates, messages, clock }: PublicationRequestDeps,
  arrival: PublicationRequest,
): Promise<RenderedPublication> {
  const { endpoint, payload, headers, query, deliveryId, replay } = arrival;
  const { definition } = endpoint;
  const id = newUuid();
  // Lists bound times by ids, so it is the id's, unless the clock was set back: ids ascend all the same.
  const now = new Date(Math.min(timeOfUuid(id).getTime(), clock().getTime()));
  const variables = {
    payload,
    headers,
    query,
    endpoint: { id: publicId('publishing_endpoint', endpoint.id), name: endpoint.name },
    publication: { id: publicId('publication', id) },
    received_at: now.toISOString(),
  };
  const plans = plansOf(arrival);
  const rendered = await templates.render(endpoint.workspaceId, variables, plans.templates);
  const faults: FieldError[] = [];
  const textOf = (pointer: string, one: Rendered | null): string => {
    if (one?.fault) faults.push({ pointer, ...one.fault });
    return one?.text?.trim() ?? '';
  };
  const isFiltered = textOf('/filter', plans.filter(rendered)) === 'false';
  const key = textOf('/dedupe_key', plans.dedupeKey(rendered));
  const at = textOf('/schedule/at', plans.at(rendered));
  const due = replay ? null : dueAt(definition.schedule, at, now);
  if (isScheduleError(due)) faults.push({ pointer: '/schedule/at', ...due });

  const bodies: (MessageBody | null)[] = definition.destinations.map(() => null);
  const faultsOf: FieldError[][] = definition.destinations.map(() => []);
  for (const [nth, outcome] of plans.read(rendered).entries()) {
    const destination = plans.chosen[nth]!;
    bodies[destination] = outcome.body;
    if (outcome.faults) faultsOf[destination] = within(destination, outcome.faults);
  }
  if (!isFiltered) await refuseUrls(messages, bodies, faultsOf);
  return {
    arrival,
    id,
    now,
    isFiltered,
    faults: isFiltered ? [] : faults,
    bodies,
    faultsOf,
    keyHash: replay
      ? null
      : key !== ''
        ? hashOf('key', key)
        : definition.dedupe_key === null && deliveryId !== null
          ? hashOf('id', deliveryId)
          : null,
    scheduledAt: isScheduleError(due) ? null : due,
  };
}

/** Whether a file is to be fetched for it. */
const hasUrl = (body: MessageBody | null): boolean =>
  body !== null && (body[body['type'] as string] as { url?: unknown } | null)?.url !== undefined;

async function refuseUrls(
  messages: PublicationRequestDeps['messages'],
  bodies: readonly (MessageBody | null)[],
  faultsOf: FieldError[][],
): Promise<void> {
  const asked = bodies.flatMap((body, nth) => (hasUrl(body) ? [{ body: body!, nth }] : []));
  if (!asked.length) return;
  const refused = await messages.refusedUrls(asked.map(({ body }) => body));
  for (const [index, problem] of refused.entries())
    if (problem) faultsOf[asked[index]!.nth]!.push(...within(asked[index]!.nth, toFieldErrors(problem)));
}
