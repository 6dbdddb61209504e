/**
 * Applies signals from a channel in one transaction: reads the known rows, applies the signals in order, and writes the
 * changes in a few statements. Repeated signals have no effect.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { InboundMessage } from '../../../channels/contract/signal.ts';
import type { Holding } from '../connections/connection-lease.ts';
import { applyGroups } from '../groups/group-apply.ts';
import type { People } from '../contacts/same-person.ts';
import { setReachability } from '../contacts/contact-book.ts';
import { replaceTemplates } from '../templates/template.store.ts';
import { fromSignal, toOwner } from '../unprocessed-updates/keep-updates.ts';
import { insertMessages } from '../records/message.store.ts';
import { channelKey } from '../records/channel-key.ts';
import { lockAndRead } from '../records/message-change.system-store.ts';
import { createMessageEffects } from '../records/message-effects.ts';
import { reserve } from '../records/queue-row.store.ts';
import { lockRowsFor, removeSent } from '../queue/complete.system-store.ts';
import { applyEdit, deleteReplaced } from './edit-message.ts';
import { toInboundTime } from '../records/inbound-content.ts';
import * as inboundBatch from './inbound-batch.ts';
import { insertSources } from '../records/message-source.store.ts';
import { resolvePeople } from './people.ts';
import * as store from './inbound.store.ts';
import { getAliases, createNames, getUniqueName } from './names.ts';
import {
  addMessage,
  type ApplyDeps,
  bookListed,
  upsertSenders,
  prepareChats,
  updateProfiles,
  withoutBlocked,
} from './new-message.ts';

/** Returns messages whose unique name is unknown, without duplicates and copies of ours. */
async function findNew(
  unit: Unit,
  state: inboundBatch.State,
  signals: readonly inboundBatch.StoredSignal[],
): Promise<InboundMessage[]> {
  const { workspaceId, instanceId } = state.holding;
  const found = new Map<string, InboundMessage>();
  for (const signal of signals) {
    if (signal.kind !== 'message') continue;
    const name = getUniqueName(signal);
    if (state.names.findUnique(name) === null && !found.has(name)) found.set(name, signal);
  }
  const fresh = [...found.values()];
  const ids = fresh
    .flatMap((one) => [inboundBatch.getClientId(one), inboundBatch.getAnswered(one)])
    .filter((id) => id !== null);
  state.own = await store.ownAmong(unit.db, workspaceId, instanceId, [...new Set(ids)]);
  return fresh.filter((one) => !inboundBatch.isCopy(state, one));
}

/** Returns all message names in a signal. */
function namesIn(signal: inboundBatch.StoredSignal): string[] {
  if (signal.kind === 'message') {
    const repliedTo = signal.replyTo ? [channelKey(signal.replyTo.externalId)] : [];
    return [getUniqueName(signal), ...getAliases(signal), ...repliedTo];
  }
  const name = inboundBatch.isAbout(signal) ? inboundBatch.nameIn(signal) : null;
  return name === null ? [] : [name];
}

async function readState(
  unit: Unit,
  holding: Holding,
  signals: readonly inboundBatch.StoredSignal[],
  people: People,
): Promise<inboundBatch.State> {
  const names = [...new Set(signals.flatMap(namesIn))];
  const now = unit.clock();
  return {
    holding,
    now,
    effects: createMessageEffects(now),
    messages: new Map(),
    names: createNames(
      await store.findMessagesByName(unit.db, holding.workspaceId, holding.instanceId, names),
    ),
    own: new Map(),
    people,
    chats: new Map(),
    chatNews: new Map(),
    inserted: [],
    sources: [],
    replaced: [],
    nextSequence: 0,
    known: [],
  };
}

/** Locks and reads messages that the signals are about. */
async function readMessages(
  unit: Unit,
  state: inboundBatch.State,
  signals: readonly inboundBatch.StoredSignal[],
): Promise<void> {
  const ids = signals.flatMap((signal) => {
    // A repeated message is skipped.
    const isLookedAt =
      signal.kind === 'message' ? signal.fromMe || signal.mayBeOurs : inboundBatch.isAbout(signal);
    return (
      (isLookedAt && inboundBatch.findMessageId(state, signal as inboundBatch.About | InboundMessage)) || []
    );
  });
  const distinct = [...new Set(ids)];
  await lockRowsFor(unit.db, distinct);
  const keys = distinct.map((id) => ({ workspace_id: state.holding.workspaceId, id }));
  for (const row of await lockAndRead(unit.db, keys)) state.messages.set(row.id, row);
}

async function write(unit: Unit, state: inboundBatch.State): Promise<void> {
  const tx = unit.db;
  const { workspaceId, instanceId } = state.holding;
  const { fresh } = state.names;
  const rows = state.inserted.map(({ chat_kind: _kind, reactions: _reactions, ...row }) => row);
  if (rows.length) await insertMessages(workspaceId, rows).execute(tx);
  const news = [...state.chatNews.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await removeSent(tx, state.known);
  await state.effects.write(unit, [
    ...(fresh.size ? [store.insertMessageNames(workspaceId, instanceId, fresh)] : []),
    ...(state.sources.length ? [insertSources(workspaceId, instanceId, state.sources)] : []),
    ...(news.length ? [store.updateChats(workspaceId, news, state.now)] : []),
  ]);
}

/**
 * @param unit its transaction holds the fence and the lock of the instance's queue
 * @returns signals about messages that are not known (yet)
 */
export async function applySignals(
  unit: Unit,
  deps: ApplyDeps,
  holding: Holding,
  told: readonly inboundBatch.StoredSignal[],
): Promise<inboundBatch.About[]> {
  const { workspaceId, instanceId } = holding;
  const { people: known, signals } = await resolvePeople(unit, holding, told);
  const unread = signals.filter((signal) => signal.kind === 'unprocessed');
  if (unread.length) await deps.keepUpdates(unit, toOwner(holding), unread.map(fromSignal));
  for (const signal of signals)
    if (signal.kind === 'templates')
      await replaceTemplates(unit.db, workspaceId, instanceId, signal.all, unit.clock());
  const groups = signals.filter((signal) => signal.kind === 'group');
  if (groups.length) await applyGroups(unit, deps, { workspaceId, instanceId }, groups);
  const state = await readState(unit, holding, signals, known);
  const fresh = await withoutBlocked(unit, holding, await findNew(unit, state, signals));
  let people = new Map<string, string>();
  if (fresh.length) {
    const reserved = await reserve(unit.db, workspaceId, instanceId, {
      messages: fresh.length,
      rows: 0,
      sends: 0,
    });
    state.nextSequence = reserved!.sequence;
    people = await upsertSenders(unit, holding, known, fresh);
    await prepareChats(unit, state, fresh, people);
  }
  await readMessages(unit, state, signals);
  const left = new Set(fresh);
  const unknown: inboundBatch.About[] = [];
  for (const signal of signals) {
    if (signal.kind === 'message' && left.has(signal)) await addMessage(unit, deps, state, signal, people);
    else if (signal.kind === 'message') inboundBatch.applyCopy(state, signal);
    else if (signal.kind === 'edited') {
      if (!(await applyEdit(unit, deps, state, signal))) unknown.push(signal);
    } else if (inboundBatch.isAbout(signal) && !(await inboundBatch.applyAbout(unit, state, signal)))
      unknown.push(signal);
  }
  await write(unit, state);
  await deleteReplaced(unit, state);
  const profiles = signals.filter((signal) => signal.kind === 'profile');
  await bookListed(unit, holding, known, profiles);
  await updateProfiles(unit, holding, fresh, profiles);
  const reachability = signals.filter((signal) => signal.kind === 'reachability');
  if (reachability.length)
    await setReachability(
      unit,
      workspaceId,
      instanceId,
      new Map(
        reachability.map(({ address, isReachable, at }) => [
          channelKey(address),
          isReachable ? null : toInboundTime(at, unit.clock()),
        ]),
      ),
    );
  return unknown;
}
