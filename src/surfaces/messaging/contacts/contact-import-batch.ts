/**
 * Imports a batch of lines in one transaction: creates missing contacts and changes existing ones; a line without
 * differences changes nothing. Metadata is merged into existing metadata.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { lockQueue } from '../records/queue-row.store.ts';
import { type SendingInstance, instancesById } from '../records/sending-instance.store.ts';
import { type Change, changeContacts, createContacts } from './contact-change.ts';
import type { Counts } from '../../../core/transfer/import-job.ts';
import type { ImportLineError } from '../../../core/transfer/import-line.ts';
import type { LineInput } from './contact-import-line.ts';
import * as importStore from './contact-import.store.ts';
import { toChannelAddress } from './contact-input.ts';
import type { ContactServiceDeps } from './contact.service.ts';
import * as store from './contact.store.ts';

const MAX_PAIRS = 50;

export interface Importing {
  workspaceId: string;
  /** Instance of lines that don't name one. */
  instanceId: string | null;
  /** Public ID of the caller. */
  actorId: string;
}

interface Placed {
  input: LineInput;
  identity: store.IdentityRow;
}

type Refuse = (line: number, code: string, detail: string) => void;

/** Finds the instance of each line by the ID or name in the line. */
async function getInstances(
  unit: Unit,
  { workspaceId, instanceId }: Importing,
  inputs: readonly LineInput[],
): Promise<(input: LineInput) => SendingInstance | string> {
  const names = [
    ...new Set(inputs.flatMap(({ instance }) => (instance?.by === 'name' ? [instance.value] : []))),
  ];
  const named = Map.groupBy(
    await importStore.findInstancesByName(unit.db, workspaceId, names),
    ({ name }) => name,
  );
  const asked = inputs.flatMap(({ instance }) =>
    instance?.by === 'id' ? (toUuid('instance', instance.value) ?? []) : [],
  );
  const ids = [
    ...asked,
    ...[...named.values()].flat().map(({ id }) => id),
    ...((instanceId ?? []) ? [instanceId!] : []),
  ];
  const known = await instancesById(unit.db, workspaceId, [...new Set(ids)]);
  return ({ instance }) => {
    if (instance?.by === 'name' && (named.get(instance.value)?.length ?? 0) > 1)
      return 'several instances have this name: give instance_id';
    const id =
      instance === null
        ? instanceId
        : instance.by === 'id'
          ? toUuid('instance', instance.value)
          : named.get(instance.value)?.[0]?.id;
    if (instance === null && id === null) return 'the line names no instance';
    return known.get(id ?? '') ?? 'the instance does not exist in this workspace';
  };
}

async function place(
  unit: Unit,
  deps: ContactServiceDeps,
  importing: Importing,
  inputs: readonly LineInput[],
  refuse: Refuse,
): Promise<Placed[]> {
  const getInstance = await getInstances(unit, importing, inputs);
  const placed: Placed[] = [];
  for (const input of inputs) {
    const instance = getInstance(input);
    if (typeof instance === 'string') {
      refuse(input.line, 'not_found', instance);
      continue;
    }
    const address = toChannelAddress(deps, instance, input.address);
    if (typeof address !== 'string') refuse(input.line, 'invalid_address', address.message);
    else placed.push({ input, identity: { instance_id: instance.id, address } });
  }
  const locked = new Set<string>();
  for (const id of [...new Set(placed.map(({ identity }) => identity.instance_id))].toSorted())
    if (await lockQueue(unit.db, importing.workspaceId, id)) locked.add(id);
  return placed.filter(({ input, identity }) => {
    const isThere = locked.has(identity.instance_id);
    if (!isThere) refuse(input.line, 'not_found', 'the instance does not exist in this workspace');
    return isThere;
  });
}

const newContact = (unit: Unit, { actorId }: Importing, { input, identity }: Placed): store.NewContact => ({
  id: unit.newUuid(),
  name: input.name ?? null,
  profile_name: null,
  avatar_url: input.avatar_url ?? null,
  metadata: input.metadata ?? {},
  created_by: actorId,
  identities: [identity],
});

/** Creates as many contacts as the quota allows. @returns the others */
async function createAllowed(
  unit: Unit,
  { quotas }: ContactServiceDeps,
  importing: Importing,
  placed: readonly Placed[],
): Promise<Placed[]> {
  if (!placed.length) return [];
  const { workspaceId } = importing;
  const { count } = await quotas.remaining(unit, workspaceId, 'contacts');
  const allowed = placed.slice(0, count);
  if (allowed.length)
    await createContacts(
      unit,
      workspaceId,
      allowed.map((one) => newContact(unit, importing, one)),
    );
  return placed.slice(count);
}

function getChange(before: store.ContactRow, inputs: readonly LineInput[]): store.ContactChange | null {
  const change: store.ContactChange = {};
  const metadata = { ...(before.metadata as Record<string, string>) };
  for (const input of inputs) {
    if (input.name !== undefined) change.name = input.name;
    if (input.avatar_url !== undefined) change.avatar_url = input.avatar_url;
    Object.assign(metadata, input.metadata);
  }
  if (Object.keys(metadata).length > MAX_PAIRS) return null;
  return { ...change, metadata };
}

/** @returns the outcome of the lines that were not rejected */
export async function importBatch(
  unit: Unit,
  deps: ContactServiceDeps,
  importing: Importing,
  inputs: readonly LineInput[],
  refuseLine: (fault: ImportLineError) => void,
): Promise<Counts> {
  const { workspaceId } = importing;
  const refuse: Refuse = (line, code, detail) => refuseLine({ line, code, detail });
  const placed = await place(unit, deps, importing, inputs, refuse);
  const byAddress = [...Map.groupBy(placed, ({ identity }) => store.keyOfIdentity(identity))];
  const owners = await store.getOwners(
    unit.db,
    workspaceId,
    byAddress.map(([, lines]) => lines[0]!.identity),
  );
  // If several lines have the same address, the last one counts.
  const fresh = byAddress
    .filter(([key]) => !owners.has(key))
    .map(([, lines]) => ({
      identity: lines[0]!.identity,
      input: Object.assign({}, ...lines.map(({ input }) => input)) as LineInput,
      lines,
    }));
  const refused = new Set(await createAllowed(unit, deps, importing, fresh));
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
  for (const one of fresh)
    if (refused.has(one))
      for (const { input } of one.lines)
        refuse(input.line, 'quota_exceeded', 'the workspace has reached its limit of contacts');
    else {
      counts.created += 1;
      counts.updated += one.lines.length - 1;
    }

  const known = placed.filter(({ identity }) => owners.has(store.keyOfIdentity(identity)));
  const byOwner = Map.groupBy(known, ({ identity }) => owners.get(store.keyOfIdentity(identity))!);
  const locked = await store.lockContacts(unit.db, workspaceId, [...byOwner.keys()]);
  const changes: Change[] = [];
  for (const before of locked) {
    const lines = byOwner.get(before.id)!.map(({ input }) => input);
    const change = getChange(before, lines);
    if (change) changes.push({ before, change });
    else
      for (const { line } of lines)
        refuse(line, 'invalid_value', `${publicId('contact', before.id)} would exceed the limit of metadata`);
  }
  const rows = await changeContacts(unit, workspaceId, changes);
  for (const [nth, row] of rows.entries())
    counts[row.version === changes[nth]!.before.version ? 'unchanged' : 'updated'] += byOwner.get(
      row.id,
    )!.length;
  return counts;
}
