/** Accepts rendered publications: many of one workspace in one transaction, each with its own outcome. */
import type { Unit } from '../../../core/unit-of-work.ts';
import { runBatch } from '../../../platform/db/batch.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { MessagesPort } from '../ports.ts';
import { toFieldErrorLists, type RenderedPublication } from './publication-request.ts';
import { presentPublication } from './publication-present.ts';
import type { PublicationObject } from './publication.schema.ts';
import type { PublicationStatus } from './publication-state.ts';
import type { RenderingError, PublicationColumns } from './publication.store.ts';
import * as store from './receive.store.ts';

const KEY_TTL_MS = 24 * 3_600_000;
/** Maximum payload characters per statement, unless a single payload is larger. */
const MAX_WRITTEN = 8 * 1024 * 1024;

/** The endpoint changed after the sender was authenticated: nothing was written. */
export class EndpointChanged extends Error {}

/** Known errors prevent publication. */
export class PublicationRejected extends Error {
  readonly prepared: RenderedPublication;
  readonly faults: FieldError[];
  constructor(prepared: RenderedPublication, faults: FieldError[]) {
    super('refused');
    this.prepared = prepared;
    this.faults = faults;
  }
}

export interface Acceptance {
  publication: PublicationObject;
  /** Whether the publication is due immediately. */
  isDue: boolean;
}

const isPublished = (prepared: RenderedPublication, nth: number): boolean =>
  prepared.bodies[nth] !== null || prepared.getErrors[nth]!.length > 0;

/** Returns the rejection of the whole publication, or null. */
function findRejection(prepared: RenderedPublication): PublicationRejected | null {
  const { faults, getErrors: faultsOf, arrival } = prepared;
  if (faults.length) return new PublicationRejected(prepared, [...faults, ...faultsOf.flat()]);
  const refused = faultsOf.filter((own) => own.length > 0);
  const wanted = faultsOf.filter((_, nth) => isPublished(prepared, nth));
  const isAll = refused.length === wanted.length;
  if (refused.length && (isAll || !arrival.endpoint.definition.allow_partial))
    return new PublicationRejected(prepared, faultsOf.flat());
  return null;
}

/** Checks all messages with one call to messaging. */
async function check(
  unit: Unit,
  messages: Pick<MessagesPort, 'check'>,
  items: readonly RenderedPublication[],
): Promise<void> {
  const asked = items.flatMap((prepared) =>
    prepared.bodies.flatMap((body, nth) => (body ? [{ prepared, body, nth }] : [])),
  );
  if (!asked.length) return;
  const { workspaceId } = items[0]!.arrival.endpoint;
  const problems = await messages.check(
    unit,
    workspaceId,
    asked.map(({ body }) => body),
  );
  const refused = new Map<RenderedPublication, ReturnType<typeof problems.slice>>();
  for (const [index, { prepared, nth }] of asked.entries()) {
    const own = refused.get(prepared) ?? prepared.bodies.map(() => null);
    own[nth] = problems[index]!;
    refused.set(prepared, own);
  }
  for (const [prepared, own] of refused)
    prepared.getErrors = toFieldErrorLists(own).map((faults, nth) =>
      prepared.getErrors[nth]!.length ? prepared.getErrors[nth]! : faults,
    );
}

type Change = Partial<PublicationColumns> & { status: PublicationStatus };

function buildRow({ id, now, arrival }: RenderedPublication, change: Change): PublicationColumns {
  const { endpoint } = arrival;
  return {
    workspace_id: endpoint.workspaceId,
    id,
    endpoint_id: endpoint.id,
    revision: endpoint.revision,
    reason: null,
    error: null,
    source: arrival.source,
    replay_of: arrival.replay?.of ?? null,
    duplicate_of: null,
    content_type: arrival.contentType,
    size: arrival.size,
    scheduled_at: null,
    created_by: arrival.actorId,
    finished_at: null,
    created_at: now,
    updated_at: now,
    ...change,
  };
}

const buildInput = ({
  arrival,
  bodies,
  getErrors: faultsOf,
  isFiltered,
}: RenderedPublication): store.NewInput => {
  // Errors of rendered bodies are not stored: messaging checks those again at publication, when they may pass.
  const lasting = faultsOf.flatMap((faults, nth): [string, RenderingError][] => {
    const [fault] = faults;
    if (!fault || bodies[nth] !== null) return [];
    const { instance_id, type, to, contact_id, chat_id, group_id } =
      arrival.endpoint.definition.destinations[nth]!;
    const recipient = to ?? contact_id ?? chat_id ?? group_id ?? '';
    return [[String(nth), { code: fault.code, detail: fault.detail, instance_id, to: recipient, type }]];
  });
  return {
    payload: arrival.payload,
    headers: arrival.headers,
    query: arrival.query,
    messages: isFiltered ? [] : bodies,
    faults: lasting.length ? Object.fromEntries(lasting) : null,
  };
};

interface Written extends store.NewPublication {
  object: PublicationObject;
}

function written(prepared: RenderedPublication, change: Change): Written {
  const row = buildRow(prepared, change);
  const isWanted = row.status === 'received' || row.status === 'scheduled';
  return {
    row,
    input: buildInput(prepared),
    dueAt: isWanted ? (row.scheduled_at ?? 'now') : null,
    object: presentPublication({ ...row, results: [] }),
  };
}

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
      type: `publication.${row.status}` as 'publication.received',
      resourceId: object.id,
      object,
    }));
    await runBatch(unit.db, [...store.insertPublications(part), await unit.events.insertion(unit, events)]);
    from = to;
  }
}

/** Returns the holder of each dedupe key by publication: itself, an earlier one, or the first of this batch. */
async function holders(unit: Unit, items: readonly RenderedPublication[]): Promise<Map<string, string>> {
  const keys = items.flatMap(({ id, keyHash, arrival: { endpoint } }): store.Key[] =>
    keyHash ? [{ endpointId: endpoint.id, hash: keyHash, publicationId: id }] : [],
  );
  if (!keys.length) return new Map();
  const { workspaceId } = items[0]!.arrival.endpoint;
  const held = await store.getKeyHolders(unit.db, workspaceId, keys, unit.clock());
  for (const key of keys) if (!held.has(store.keyName(key))) held.set(store.keyName(key), key.publicationId);
  return new Map(keys.map((key) => [key.publicationId, held.get(store.keyName(key))!]));
}

/**
 * Claims the dedupe keys.
 * @returns publications that lost their key to a concurrent one → that one
 */
async function takeKeys(unit: Unit, items: readonly RenderedPublication[]): Promise<Map<string, string>> {
  const keys = items.flatMap(({ id, keyHash, arrival: { endpoint } }): store.Key[] =>
    keyHash ? [{ endpointId: endpoint.id, hash: keyHash, publicationId: id }] : [],
  );
  if (!keys.length) return new Map();
  const now = unit.clock();
  const { workspaceId } = items[0]!.arrival.endpoint;
  const until = new Date(now.getTime() + KEY_TTL_MS);
  const taken = await store.claimKeys(unit.db, workspaceId, keys, { now, until });
  const lost = keys.filter((key) => !taken.has(store.keyName(key)));
  if (!lost.length) return new Map();
  const held = await store.getKeyHolders(unit.db, workspaceId, lost, now);
  return new Map(lost.map((key) => [key.publicationId, held.get(store.keyName(key))!]));
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
  const { workspaceId } = items[0]!.arrival.endpoint;
  const endpoints = [...new Set(items.map(({ arrival }) => arrival.endpoint.id))];
  const versions = await store.getVersions(unit.db, workspaceId, endpoints);
  for (const prepared of items) {
    const { endpoint, replay } = prepared.arrival;
    const present = versions.get(endpoint.id);
    if (!present || present.version !== endpoint.version || !(present.enabled || replay))
      outcomes.set(prepared, new EndpointChanged('the endpoint was changed in the meantime'));
  }
  const end = (prepared: RenderedPublication, change: Omit<Change, 'finished_at'>): void =>
    void outcomes.set(
      prepared,
      written(prepared, { ...change, status: change.status, finished_at: prepared.now }),
    );
  const left = (): RenderedPublication[] => items.filter((prepared) => !outcomes.has(prepared));

  for (const prepared of left())
    if (prepared.isFiltered) end(prepared, { status: 'canceled', reason: 'filtered' });
  const first = await holders(unit, left());
  const again = left().filter(({ id }) => first.has(id) && first.get(id) !== id);
  const wanted = left().filter((prepared) => !again.includes(prepared));
  await check(unit, messages, wanted);
  for (const prepared of wanted) {
    const refused = findRejection(prepared);
    if (refused) outcomes.set(prepared, refused);
  }
  const duplicate = (prepared: RenderedPublication, of: string): void =>
    end(prepared, { status: 'duplicate', duplicate_of: of });
  const lost = await takeKeys(
    unit,
    wanted.filter((prepared) => !outcomes.has(prepared)),
  );
  for (const prepared of wanted) {
    if (outcomes.has(prepared)) continue;
    const { id, scheduledAt } = prepared;
    if (lost.has(id)) duplicate(prepared, lost.get(id)!);
    else {
      const status = scheduledAt ? 'scheduled' : 'received';
      outcomes.set(prepared, written(prepared, { status, scheduled_at: scheduledAt }));
    }
  }
  const byId = new Map(items.map((prepared) => [prepared.id, prepared]));
  for (const prepared of again) {
    const of = byId.get(first.get(prepared.id)!);
    const before = of && outcomes.get(of);
    // Both are in this batch and the first was rejected: this one is rejected as well.
    if (before instanceof PublicationRejected)
      outcomes.set(prepared, new PublicationRejected(prepared, before.faults));
    else duplicate(prepared, first.get(prepared.id)!);
  }
  const all = items.map((prepared) => outcomes.get(prepared)!);
  await write(
    unit,
    all.filter((one): one is Written => !(one instanceof Error)),
  );
  return all.map((one) =>
    one instanceof Error ? one : { publication: one.object, isDue: one.row.status === 'received' },
  );
}

/** Stores rejected publications. */
export async function reject(
  unit: Unit,
  items: readonly PublicationRejected[],
): Promise<PublicationObject[]> {
  const all = items.map(({ prepared, faults }) => {
    const [code, ...others] = new Set(faults.map((fault) => fault.code));
    const detail = faults.length === 1 ? faults[0]!.detail : `${faults.length} errors prevent publication`;
    const error = { code: others.length ? 'unprocessable' : code!, detail, errors: faults };
    return written(prepared, { status: 'rejected', error, finished_at: prepared.now } as unknown as Change);
  });
  await write(unit, all);
  return all.map(({ object }) => object);
}
