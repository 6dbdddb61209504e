/**
 * Keeps content that could not be processed: in the transaction that confirms it to the channel, so that it is neither
 * lost nor stored twice. An instance keeps the newest.
 */
import { createHash } from 'node:crypto';
import { Counter, type Registry } from 'prom-client';
import type { Signal, Unprocessed, UnprocessedReason } from '../../../channels/contract/signal.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { storableText } from '../../../platform/db/storable-text.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { presentUpdate } from './unprocessed-update-present.ts';
import * as store from './unprocessed-update.store.ts';

const MAX_TYPE = 100;
/** An instance reports at most one of them within this time. */
const EVENT_MS = 3_600_000;

export interface Owner {
  workspaceId: string;
  instanceId: string;
  channel: string;
}

export interface Unkept {
  reason: UnprocessedReason;
  type: string | null;
  /** JSON. */
  raw: string;
  isSignal: boolean;
}

export type KeepUpdates = (unit: Unit, owner: Owner, updates: readonly Unkept[]) => Promise<void>;

export const toOwner = (holding: {
  workspaceId: string;
  instanceId: string;
  driver: { channel: string };
}): Owner => ({
  workspaceId: holding.workspaceId,
  instanceId: holding.instanceId,
  channel: holding.driver.channel,
});

export const fromSignal = ({ reason, type, raw }: Unprocessed): Unkept => ({
  reason,
  type,
  raw: JSON.stringify(raw ?? null),
  isSignal: false,
});

const hasReceived = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'received' in value;

/**
 * A signal that the database did not accept. Received files are deleted, and functions are not JSON, so it is kept
 * without them.
 */
export function fromUnstorable(signal: Signal): Unkept {
  let raw: string;
  try {
    raw = JSON.stringify(signal, (name, value: unknown) => {
      if (name === 'reassignable') return undefined;
      if (!hasReceived(value)) return value;
      // A picture that is null was removed.
      return name === 'picture' ? undefined : null;
    });
  } catch {
    // Not JSON, so that it could not be given again either.
    raw = JSON.stringify({ kind: signal.kind });
  }
  return { reason: 'not_storable', type: signal.kind, raw, isSignal: true };
}

/** Cuts a text without splitting a character. */
const cut = (bytes: Buffer): string => {
  let end = store.MAX_RAW_BYTES;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
};

function toRow({ reason, type, raw, isSignal }: Unkept, id: string): store.NewUpdate {
  const bytes = Buffer.from(raw);
  return {
    id,
    reason,
    type: type === null ? null : storableText(type.slice(0, MAX_TYPE)),
    raw: bytes.length > store.MAX_RAW_BYTES ? cut(bytes) : raw,
    size: bytes.length,
    isSignal,
    fingerprint: createHash('sha256').update(bytes).digest(),
  };
}

export function createKeepUpdates(registry: Registry): KeepUpdates {
  const kept = new Counter({
    name: 'fairlead_unprocessed_updates_total',
    help: 'Updates from channels that could not be processed and were kept, by channel and reason.',
    labelNames: ['channel', 'reason'],
    registers: [registry],
  });
  return async (unit, { workspaceId, instanceId, channel }, updates) => {
    const now = unit.clock();
    const rows = new Map(
      updates.map((update) => {
        const row = toRow(update, unit.newUuid());
        return [row.fingerprint.toString('base64'), row];
      }),
    );
    const { db } = unit;
    const since = new Date(now.getTime() - EVENT_MS);
    const isReported = await store.hasAnySince(db, workspaceId, instanceId, since);
    const ids = await store.insertUpdates(db, workspaceId, instanceId, [...rows.values()]);
    const fresh = [...rows.values()].filter(({ id }) => ids.has(id));
    const [first] = fresh;
    if (!first) return;
    await store.deleteExcess(db, workspaceId, instanceId);
    if (!isReported)
      await unit.events.write(unit, {
        workspaceId,
        type: 'instance.update_unprocessed',
        resourceId: publicId('instance', instanceId),
        object: presentUpdate({
          ...first,
          instance_id: instanceId,
          is_cut: first.size > Buffer.byteLength(first.raw),
          replay_requested_at: null,
          created_at: timeOfUuid(first.id),
        }),
      });
    unit.afterCommit(() => {
      for (const { reason } of fresh) kept.inc({ channel, reason });
    });
  };
}
