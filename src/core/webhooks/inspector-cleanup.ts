/**
 * Removes credentials that an earlier release recorded at inspectors, and secret addresses of inspectors that it stored
 * with webhooks and rules. Runs once after migration 0026, which ends all sessions. A second pass a day later cleans up
 * after nodes that still ran the earlier release. An interrupted pass starts again and only rewrites what is not clean
 * yet.
 */
import {
  API_KEY_IN_TEXT,
  hashSecret,
  isWellFormedSecret,
  SECRET_LENGTH,
} from '../../platform/crypto/api-key-secret.ts';
import type { Log } from '../../platform/logging/log.ts';
import { findKeyByHash } from '../auth/guard.system-store.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Units } from '../unit/unit-of-work.ts';
import { FIRST_UUID } from '../../platform/db/uuid-time.ts';
import { publicId } from '../vocabulary/ids.ts';
import { redactText } from '../../platform/http/redaction.ts';
import * as store from './inspector-cleanup.system-store.ts';
import { hideInspectTokens, type TokenCleanupDeps } from './inspector-token-cleanup.ts';
import { type Head, openRecordedHead, redactHead, sealHead } from './inspector-request.service.ts';

const BATCH = 200;
/** By then no node of the earlier release should run any more. */
const LAST_PASS_AFTER_SECONDS = 24 * 3600;

export interface CleanupDeps extends TokenCleanupDeps {
  log: Pick<Log, 'info' | 'warn'>;
}

/** Enqueues both passes where the upgrade to this release asks for them. May be called at each start. */
export async function enqueueCleanup(units: Units): Promise<void> {
  if ((await store.sessionsEnded(units.read.db)) === null) return;
  await units.write(async ({ db, jobs }) => {
    if (!(await store.claimCleanup(db))) return;
    await jobs.enqueue(db, 'inspectors.clean', { last: false });
    await jobs.enqueue(db, 'inspectors.clean', { last: true }, { afterSeconds: LAST_PASS_AFTER_SECONDS });
  });
}

/** @returns null where no secret at hand opens it: nobody can read it through the API either */
function recordedHead(secrets: SecretBox, row: store.RecordedRow): Head | null {
  try {
    return openRecordedHead(secrets, row.workspace_id, row.id, row.head_sealed);
  } catch {
    return null;
  }
}

/** Logs which API keys a request holds, while that can be found out. */
async function logKeys({ db, log }: CleanupDeps, row: store.RecordedRow, text: string): Promise<void> {
  const found = [...text.matchAll(API_KEY_IN_TEXT)].map(([one]) => one.slice(0, SECRET_LENGTH));
  for (const secret of new Set(found.filter(isWellFormedSecret))) {
    const key = await findKeyByHash(db, hashSecret(secret));
    if (key?.revoked_at !== null) continue;
    log.warn(
      {
        api_key: publicId('api_key', key.key_id),
        workspace: publicId('workspace', key.workspace_id),
        inspector: publicId('inspector', row.inspector_id),
        inspector_workspace: publicId('workspace', row.workspace_id),
      },
      'an inspector had recorded an API key; rotate the key',
    );
  }
}

/** @returns how many requests were rewritten */
async function cleanBatch(deps: CleanupDeps, rows: readonly store.RecordedRow[]): Promise<number> {
  const { db, secrets } = deps;
  const cleaned: store.CleanedRow[] = [];
  for (const row of rows) {
    const head = recordedHead(secrets, row);
    if (head === null) continue;
    const [before, path] = [JSON.stringify(head), redactText(row.path)];
    const after = redactHead(head);
    if (JSON.stringify(after) === before && path === row.path) continue;
    await logKeys(deps, row, `${row.path} ${before}`);
    const { workspace_id, id, head_sealed } = row;
    cleaned.push({
      workspace_id,
      id,
      path,
      head_sealed: sealHead(secrets, workspace_id, id, after),
      before: head_sealed,
    });
  }
  return cleaned.length ? store.replaceHeads(db, cleaned) : 0;
}

/** Cleans all recorded requests. @throws where `signal` ends it early */
export async function cleanRecordedRequests(
  deps: CleanupDeps,
  { last }: { last: boolean },
  signal?: AbortSignal,
): Promise<void> {
  const { db, log } = deps;
  const sessions_ended = await store.sessionsEnded(db);
  if (sessions_ended === null) return;
  let requests_cleaned = 0;
  let after: store.RecordedKey = { workspace_id: FIRST_UUID, inspector_id: FIRST_UUID, number: 0 };
  for (;;) {
    signal?.throwIfAborted();
    const rows = await store.recordedAfter(db, after, BATCH);
    if (!rows.length) break;
    requests_cleaned += await cleanBatch(deps, rows);
    after = rows.at(-1)!;
  }
  const addresses_hidden = await hideInspectTokens(deps, signal);
  if (last) await store.endCleanup(db);
  const done = { requests_cleaned, addresses_hidden };
  log.info(
    last ? done : { sessions_ended, ...done },
    last
      ? 'removed credentials that a node of the earlier release recorded at inspectors'
      : 'the upgrade ended all sessions, and removed credentials that inspectors had recorded',
  );
}
