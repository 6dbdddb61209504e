/** What a process answers beside redirects and health: sign-in, the API, its addresses outside the API, console and reference. */
import type { FastifyInstance } from 'fastify';
import type { Guard } from './auth/guard.ts';
import type { Identity } from './auth/identity/identity.ts';
import type { startKeyUsage } from './auth/key-usage.ts';
import type { SecretBox } from './auth/secret-box.ts';
import type { Automation } from './automation/automation.ts';
import type { Config } from './config.ts';
import { registerConsole } from './console/console.routes.ts';
import type { Database } from './db/database.ts';
import type { Units } from './db/unit.ts';
import { callerAddress } from './http/caller-address.ts';
import type { Cors } from './http/cors.ts';
import type { Operation } from './http/operation.ts';
import type { RateLimiter } from './http/rate-limit.ts';
import { registerOperations } from './http/register.ts';
import type { Links } from './links/links.ts';
import { registerMediaDownload } from './messaging/media/media-download.routes.ts';
import { registerDocument } from './reference/document.routes.ts';
import { registerReference } from './reference/reference.routes.ts';
import type { DiskWatch } from './storage/disk-watch.ts';
import { refuseAtDoors } from './storage/refusal.ts';
import type { InspectorReceiver } from './webhooks/inspector-receiver.ts';
import { registerInspectorReceiver } from './webhooks/inspector-receiver.routes.ts';
import { recordAudit } from './workspaces/audit-log.service.ts';

export interface AnswerDeps {
  config: Config;
  db: Database;
  units: Units;
  guard: Guard;
  cors: Cors;
  limiter: RateLimiter;
  secrets: SecretBox;
  keyUsage: ReturnType<typeof startKeyUsage>;
  identity: Identity;
  inspector: InspectorReceiver;
  storage: DiskWatch;
  media: Parameters<typeof registerMediaDownload>[2];
  links: Pick<Links, 'registerRoutes'>;
  automation: Pick<Automation, 'registerRoutes'>;
  operations: Operation[];
  /** Whether console and reference are served. */
  pages: boolean;
}

export function registerAnswers(server: FastifyInstance, deps: AnswerDeps): void {
  const { config, db, units, guard, cors, limiter, secrets, keyUsage, operations } = deps;
  refuseAtDoors(server, deps.storage);
  deps.identity.register(server);
  registerInspectorReceiver(server, deps.inspector);
  registerMediaDownload(server, units.read, deps.media);
  deps.links.registerRoutes(server);
  deps.automation.registerRoutes(server);
  registerDocument(server, operations, config);
  if (deps.pages) {
    registerConsole(server);
    registerReference(server, { operations, config });
  }
  registerOperations(server, operations, {
    config,
    db,
    units,
    guard,
    cors,
    limiter,
    recordAudit,
    storage: deps.storage,
    idempotencyKeys: secrets.deriveAll('idempotency'),
    onCall(request, actor, spec) {
      if (actor.kind === 'api_key') keyUsage.touch(actor, callerAddress(request), spec.id);
    },
  });
}
