/** Accepts rendered publications: many of one workspace in one transaction, each with its own outcome. */
import type { EventType } from '../../../core/vocabulary/event-catalog.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { runBatch } from '../../../platform/db/batch.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { DestinationObject } from '../destinations/destination.schema.ts';
import { type MessagesPort, toOutgoing } from '../ports/ports.ts';
import { toFieldErrorLists, type RenderedPublication } from './publication-request.ts';
import { presentPublication } from './records/publication-present.ts';
import type { PublicationObject } from './records/publication.schema.ts';
import type { PublicationStatus } from './records/publication-state.ts';
import type { RenderingError, PublicationColumns } from './records/publication.store.ts';
import { savePublicationTraces } from './records/publication-traces.ts';
import * as store from './records/receive.store.ts';

const KEY_TTL_MS = 24 * 3_600_000;
/** Maximum payload characters per statement, unless a single payload is larger. */
const MAX_WRITTEN = 8 * 1024 * 1024;

/** The endpoint changed after the sender was authenticated: nothing was written. */
export class EndpointChanged extends Error {}

/** Known errors prevent publication. */
export class PublicationRejected extends Error {
  readonly rendered: RenderedPublication;
  readonly fieldErrors: FieldError[];
  constructor(rendered: RenderedPublication, fieldErrors: FieldError[]) {
    super('refused');
    this.rendered = rendered;
    this.fieldErrors = fieldErrors;
  }
}

export interface Acceptance {
  publication: PublicationObject;
  /** Whether the publication is due immediately. */
  isDue: boolean;
}

const isPublished = (rendered: RenderedPublication, nth: number): boolean =>
  rendered.bodies[nth] !== null || rendered.destinationErrors[nth]!.length > 0;

/** Returns the rejection of the whole publication, or null. */
function findRejection(rendered: RenderedPublication): PublicationRejected | null {
  const { fieldErrors, destinationErrors, request } = rendered;
  if (fieldErrors.length)
    return new PublicationRejected(rendered, [...fieldErrors, ...destinationErrors.flat()]);
  const rejected = destinationErrors.filter((own) => own.length > 0);
  const wanted = destinationErrors.filter((_, nth) => isPublished(rendered, nth));
  const isAll = rejected.length === wanted.length;
  if (rejected.length && (isAll || !request.endpoint.definition.allow_partial))
    return new PublicationRejected(rendered, destinationErrors.flat());
  return null;
}

/** Checks all messages with one call to messaging. */
async function check(
  unit: Unit,
  messages: Pick<MessagesPort, 'check'>,
  items: readonly RenderedPublication[],
): Promise<void> {
  const checked = items.flatMap((rendered) =>
    rendered.bodies.flatMap((body, nth) => (body ? [{ rendered, body, nth }] : [])),
  );
  if (!checked.length) return;
  const { workspaceId } = items[0]!.request.endpoint;
  const problems = await messages.check(
    unit,
    workspaceId,
    checked.map(({ rendered, body }) =>
      toOutgoing(body, rendered.request.endpoint.definition.ask_model !== null),
    ),
  );
  const rejected = new Map<RenderedPublication, ReturnType<typeof problems.slice>>();
  for (const [index, { rendered, nth }] of checked.entries()) {
    const own = rejected.get(rendered) ?? rendered.bodies.map(() => null);
    own[nth] = problems[index]!;
    rejected.set(rendered, own);
  }
  for (const [rendered, own] of rejected)
    rendered.destinationErrors = toFieldErrorLists(own).map((fieldErrors, nth) =>
      rendered.destinationErrors[nth]!.length ? rendered.destinationErrors[nth]! : fieldErrors,
    );
}

/** The events of the statuses that a new publication can have. */
const EVENT_OF = {
  received: 'publication.received',
  scheduled: 'publication.scheduled',
  rejected: 'publication.rejected',
  duplicate: 'publication.duplicate',
  canceled: 'publication.canceled',
} as const satisfies Partial<Record<PublicationStatus, EventType>>;

type NewStatus = { status: keyof typeof EVENT_OF };
type Change = Partial<PublicationColumns> & NewStatus;

function buildRow({ id, now, request }: RenderedPublication, change: Change): PublicationColumns & NewStatus {
  const { endpoint } = request;
  return {
    workspace_id: endpoint.workspaceId,
    id,
    endpoint_id: endpoint.id,
    revision: endpoint.revision,
    reason: null,
    error: null,
    source: request.source,
    replay_of: request.replay?.of ?? null,
    duplicate_of: null,
    content_type: request.contentType,
    replaced_characters: request.replaced,
    size: request.size,
    scheduled_at: null,
    created_by: request.actorId,
    finished_at: null,
    created_at: now,
    updated_at: now,
    ...change,
  };
}

/** A destination's error as it is stored. */
export function toRenderingError(
  { code, detail }: Pick<FieldError, 'code' | 'detail'>,
  destination: DestinationObject,
): RenderingError {
  const { instance_id, type, to, contact_id, chat_id, group_id } = destination;
  return { code, detail, instance_id, to: to ?? contact_id ?? chat_id ?? group_id ?? '', type };
}

const buildInput = ({
  request,
  bodies,
  destinationErrors,
  isFiltered,
}: RenderedPublication): store.NewInput => {
  // Errors of rendered bodies are not stored: messaging checks those again at publication, when they may pass.
  const lasting = destinationErrors.flatMap((fieldErrors, nth): [string, RenderingError][] => {
    const [fieldError] = fieldErrors;
    if (!fieldError || bodies[nth] !== null) return [];
    return [[String(nth), toRenderingError(fieldError, request.endpoint.definition.destinations[nth]!)]];
  });
  return {
    payload: request.payload,
    headers: request.headers,
    query: request.query,
    messages: isFiltered ? [] : bodies,
    faults: lasting.length ? Object.fromEntries(lasting) : null,
  };
};

interface Written extends store.NewPublication {
  row: PublicationColumns & NewStatus;
  object: PublicationObject;
}

function written(rendered: RenderedPublication, change: Change): Written {
  const row = buildRow(rendered, change);
  const isWanted = row.status === 'received' || row.status === 'scheduled';
  return {
    row,
    input: buildInput(rendered),
    dueAt: !isWanted ? null : rendered.question ? 'answered' : (row.scheduled_at ?? 'now'),
    object: presentPublication({ ...row, results: [] }),
  };
}

const isAsking = (one: Written | Error): boolean => !(one instanceof Error) && one.dueAt === 'answered';

const getSize = ({ row, input }: Written): number => row.size + JSON.stringify(input.messages).length;

/** Writes all publications in as few statements as possible. */
async function write(unit: Unit, all: readonly Written[]): Promise<void> {
  let from = 0;
  while (from < all.length) {
    let to = from;
    for (let size = 0; to < all.length && (to === from || size < MAX_WRITTEN); to++)
      size += getSize(all[to]!);
    const part = all.slice(from, to);
    const events = part.map(({ row, object }) => ({
      workspaceId: row.workspace_id,
      type: EVENT_OF[row.status],
      resourceId: object.id,
      object,
    }));
    await runBatch(unit.db, [...store.insertPublications(part), await unit.events.insertion(unit, events)]);
    from = to;
  }
}

/** Returns the holder of each dedupe key by publication: itself, an earlier one, or the first of this batch. */
async function holders(unit: Unit, items: readonly RenderedPublication[]): Promise<Map<string, string>> {
  const keys = items.flatMap(({ id, keyHash, request: { endpoint } }): store.Key[] =>
    keyHash ? [{ endpointId: endpoint.id, hash: keyHash, publicationId: id }] : [],
  );
  if (!keys.length) return new Map();
  const { workspaceId } = items[0]!.request.endpoint;
  const keyHolders = await store.getKeyHolders(unit.db, workspaceId, keys, unit.clock());
  for (const key of keys)
    if (!keyHolders.has(store.keyName(key))) keyHolders.set(store.keyName(key), key.publicationId);
  return new Map(keys.map((key) => [key.publicationId, keyHolders.get(store.keyName(key))!]));
}

/**
 * Claims the dedupe keys.
 * @returns publications that lost their key to a concurrent one → that one
 */
async function takeKeys(unit: Unit, items: readonly RenderedPublication[]): Promise<Map<string, string>> {
  const keys = items.flatMap(({ id, keyHash, request: { endpoint } }): store.Key[] =>
    keyHash ? [{ endpointId: endpoint.id, hash: keyHash, publicationId: id }] : [],
  );
  if (!keys.length) return new Map();
  const now = unit.clock();
  const { workspaceId } = items[0]!.request.endpoint;
  const until = new Date(now.getTime() + KEY_TTL_MS);
  const claimed = await store.claimKeys(unit.db, workspaceId, keys, { now, until });
  const lost = keys.filter((key) => !claimed.has(store.keyName(key)));
  if (!lost.length) return new Map();
  const keyHolders = await store.getKeyHolders(unit.db, workspaceId, lost, now);
  return new Map(lost.map((key) => [key.publicationId, keyHolders.get(store.keyName(key))!]));
}

/**
 * Accepts publications.
 * @param items of one workspace, in order of receipt
 * @returns for each the acceptance, or Refused, or EndpointChanged
 */
export async function acceptPublications(
  unit: Unit,
  messages: Pick<MessagesPort, 'check'>,
  items: readonly RenderedPublication[],
): Promise<(Acceptance | Error)[]> {
  const outcomes = new Map<RenderedPublication, Written | Error>();
  const { workspaceId } = items[0]!.request.endpoint;
  const endpoints = [...new Set(items.map(({ request }) => request.endpoint.id))];
  const versions = await store.getVersions(unit.db, workspaceId, endpoints);
  for (const rendered of items) {
    const { endpoint, replay } = rendered.request;
    const present = versions.get(endpoint.id);
    if (!present || present.version !== endpoint.version || !(present.enabled || replay))
      outcomes.set(rendered, new EndpointChanged('the endpoint was changed in the meantime'));
  }
  const end = (rendered: RenderedPublication, change: Omit<Change, 'finished_at'>): void =>
    void outcomes.set(
      rendered,
      written(rendered, { ...change, status: change.status, finished_at: rendered.now }),
    );
  const undecided = (): RenderedPublication[] => items.filter((rendered) => !outcomes.has(rendered));

  for (const rendered of undecided())
    if (rendered.isFiltered) end(rendered, { status: 'canceled', reason: 'filtered' });
  const first = await holders(unit, undecided());
  const duplicates = undecided().filter(({ id }) => first.has(id) && first.get(id) !== id);
  const wanted = undecided().filter((rendered) => !duplicates.includes(rendered));
  await check(unit, messages, wanted);
  for (const rendered of wanted) {
    const rejected = findRejection(rendered);
    if (rejected) outcomes.set(rendered, rejected);
  }
  const duplicate = (rendered: RenderedPublication, of: string): void =>
    end(rendered, { status: 'duplicate', duplicate_of: of });
  const lost = await takeKeys(
    unit,
    wanted.filter((rendered) => !outcomes.has(rendered)),
  );
  for (const rendered of wanted) {
    if (outcomes.has(rendered)) continue;
    const { id, scheduledAt } = rendered;
    if (lost.has(id)) duplicate(rendered, lost.get(id)!);
    else {
      const status = scheduledAt ? 'scheduled' : 'received';
      outcomes.set(rendered, written(rendered, { status, scheduled_at: scheduledAt }));
    }
  }
  const byId = new Map(items.map((rendered) => [rendered.id, rendered]));
  for (const rendered of duplicates) {
    const of = byId.get(first.get(rendered.id)!);
    const before = of && outcomes.get(of);
    // Both are in this batch and the first was rejected: this one is rejected as well.
    if (before instanceof PublicationRejected)
      outcomes.set(rendered, new PublicationRejected(rendered, before.fieldErrors));
    else duplicate(rendered, first.get(rendered.id)!);
  }
  const all = items.map((rendered) => outcomes.get(rendered)!);
  await write(
    unit,
    all.filter((one): one is Written => !(one instanceof Error)),
  );
  await savePublicationTraces(
    unit.db,
    items.filter((_, nth) => !(all[nth] instanceof Error)),
  );
  for (const { id, request } of items.filter((_, nth) => isAsking(all[nth]!)))
    await unit.jobs.enqueue(unit.db, 'publications.ask', {
      workspaceId,
      id,
      only: request.replay?.only ?? null,
      tried: 0,
    });
  return all.map((one) =>
    one instanceof Error ? one : { publication: one.object, isDue: one.row.status === 'received' },
  );
}

/** Stores rejected publications. */
export async function reject(
  unit: Unit,
  items: readonly PublicationRejected[],
): Promise<PublicationObject[]> {
  const all = items.map(({ rendered, fieldErrors }) => {
    const [code, ...others] = new Set(fieldErrors.map((fieldError) => fieldError.code));
    const detail =
      fieldErrors.length === 1 ? fieldErrors[0]!.detail : `${fieldErrors.length} errors prevent publication`;
    const error = { code: others.length ? 'unprocessable' : code!, detail, errors: fieldErrors };
    return written(rendered, { status: 'rejected', error, finished_at: rendered.now } as unknown as Change);
  });
  await write(unit, all);
  return all.map(({ object }) => object);
}
