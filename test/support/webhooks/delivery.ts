/** Delivery engines on a test's database, without the rest of the product. */
import { EVENT_KINDS } from '../../../src/app/surfaces.ts';
import { createEventTypes } from '../../../src/core/events/event-type.service.ts';
import { Registry } from 'prom-client';
import { createTemplatePool } from '../../../src/platform/templates/template-pool.ts';
import { createDeliveryBodies } from '../../../src/core/webhooks/delivery/bodies.ts';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import type { Units } from '../../../src/core/unit/unit-of-work.ts';
import { createSequencer } from '../../../src/core/events/sequencer.ts';
import { unitsFor } from '../events/outbox.ts';
import { createEgress } from '../../../src/platform/egress/egress.ts';
import { readAllowEntry } from '../../../src/platform/addresses/allow.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import {
  generateSecret,
  sealHeaders,
  sealSecret,
} from '../../../src/core/webhooks/delivery/webhook-secret.ts';
import { createFanOut } from '../../../src/core/webhooks/delivery/fan-out.ts';
import { createReceiverConfigs } from '../../../src/core/webhooks/delivery/receiver-configs.ts';
import type { Completed } from '../../../src/core/webhooks/delivery/complete.system-store.ts';
import { createExchange } from '../../../src/core/webhooks/delivery/exchange.ts';
import type { Exchange } from '../../../src/core/webhooks/delivery/sender.ts';
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DisableReason,
} from '../../../src/core/webhooks/delivery/worker.ts';

const secrets = createSecretBox('a secret for tests, 32 characters long');

export interface WebhookOptions {
  workspaceId: string;
  url: string;
  events?: string[];
  ordered?: boolean;
  concurrency?: number;
  ratePerMinute?: number;
  headers?: Record<string, string>;
  filters?: { instance_id?: string; link_id?: string; tag?: string };
}

/** A webhook with its receiver and subscriptions, as the service leaves them. @returns its ID and secret */
export async function insertWebhook(db: Database, options: WebhookOptions) {
  const { workspaceId, url, events = ['*'], ordered = false, concurrency = 32, filters = {} } = options;
  const id = newUuid();
  const secret = generateSecret();
  const now = new Date();
  const rate = options.ratePerMinute ?? null;
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('webhooks')
      .values({
        workspace_id: workspaceId,
        id,
        url,
        events,
        secret_sealed: sealSecret(secrets, { workspace_id: workspaceId, id }, secret),
        headers_sealed: sealHeaders(secrets, { workspace_id: workspaceId, id }, options.headers ?? {}),
        concurrency,
        ordering: ordered ? 'per_resource' : 'none',
        created_by: 'key_test',
        subscription_hash: Buffer.from(id.replaceAll('-', ''), 'hex'),
        created_at: now,
        updated_at: now,
      })
      .execute();
    await tx
      .insertInto('receivers')
      .values({
        id,
        workspace_id: workspaceId,
        ordered,
        concurrency,
        slots: concurrency,
        rate_per_minute: rate,
        rate_burst: rate,
        tokens: rate ?? 0,
      })
      .execute();
    await tx
      .insertInto('webhook_subscriptions')
      .values(
        events.map((pattern) => ({
          workspace_id: workspaceId,
          pattern,
          webhook_id: id,
          ordered,
          ...filters,
        })),
      )
      .execute();
  });
  return { id, secret };
}

export interface Engine {
  worker: DeliveryWorker;
  units: Units;
  attempts: Completed[];
  disabled: [string, DisableReason][];
  /** What went wrong and was logged. */
  logged: string[];
  stop(): Promise<void>;
}

/** A sequencer with its fan-out, and a worker. */
export function startEngine(
  db: Database,
  options: { sequences?: boolean; exchange?: Exchange; timeoutMs?: number } = {},
): Engine {
  const logged: string[] = [];
  const report = (details: object, message: string): void => {
    const { err } = details as { err?: Error };
    logged.push(`${message} ${err?.message ?? ''}`);
  };
  const log = { info: report, warn: report, error: report };
  const egress = createEgress({ allow: [readAllowEntry('127.0.0.1')!] });
  const disabled: Engine['disabled'] = [];
  const attempts: Completed[] = [];
  const templates = createTemplatePool({ registry: new Registry(), log });
  const worker = createDeliveryWorker({
    db,
    log,
    configs: createReceiverConfigs(db, secrets),
    bodies: createDeliveryBodies({
      eventTypes: createEventTypes(EVENT_KINDS),
      templates,
      baseUrl: 'http://localhost:3000',
    }),
    exchange: options.exchange ?? createExchange(egress, options.timeoutMs),
    disable: async (_workspaceId, id, reason) => disabled.push([id, reason]),
    onAttempt: (settled) => attempts.push(settled),
  });
  const sequencer =
    options.sequences === false
      ? null
      : createSequencer({ db, log, fanOut: createFanOut(() => {}), onSequenced: () => worker.wake() });
  sequencer?.start();
  worker.start();
  return {
    worker,
    units: unitsFor(db, () => sequencer?.wake()),
    attempts,
    disabled,
    logged,
    async stop() {
      await sequencer?.stop();
      await worker.stop();
      await templates.stop();
      await egress.close();
    },
  };
}
