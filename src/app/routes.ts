/** Routes besides redirects and health: sign-in, the API, its URLs outside `/api`, console and reference. */
import type { FastifyInstance } from 'fastify';
import type { Guard } from '../core/auth/guard.ts';
import type { Identity } from '../core/auth/identity/identity.ts';
import type { startKeyUsage } from '../core/auth/key-usage.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { Config } from '../platform/config/config.ts';
import { registerConsole } from './console/console.routes.ts';
import type { Database } from '../platform/db/database.ts';
import type { Units } from '../core/unit/unit-of-work.ts';
import { callerAddress } from '../platform/http/caller-address.ts';
import type { Cors } from '../core/api/cors.ts';
import type { Operation } from '../core/api/operation.ts';
import type { RateLimiter } from '../core/api/rate-limit.ts';
import { registerOperations } from '../core/api/register.ts';
import type { RunningSurface } from '../core/surface.ts';
import { registerDocument } from './reference/document.routes.ts';
import { registerReference } from './reference/reference.routes.ts';
import { EVENT_KINDS } from './surfaces.ts';
import type { DiskWatch } from '../platform/storage/disk-watch.ts';
import { rejectAtIngress } from '../core/api/storage-guard.ts';
import type { InspectorReceiver } from '../core/webhooks/inspector-receiver.ts';
import { registerInspectorReceiver } from '../core/webhooks/inspector-receiver.routes.ts';
import { recordRequests } from '../core/requests/record-request.ts';
import type { RequestRecorder } from '../core/requests/request-recorder.ts';
import type { GetPerson } from '../core/auth/person-lookup.ts';
import { recordAudit } from '../core/workspaces/audit-log.service.ts';

export interface AnswerDeps {
  config: Config;
  db: Database;
  units: Units;
  guard: Guard;
  cors: Cors;
  limiter: RateLimiter;
  secrets: SecretBox;
  keyUsage: ReturnType<typeof startKeyUsage>;
  requests: RequestRecorder;
  getPerson: GetPerson;
  identity: Identity;
  inspector: InspectorReceiver;
  storage: DiskWatch;
  surfaces: readonly RunningSurface[];
  operations: Operation[];
  /** Whether console and reference are served. */
  pages: boolean;
}

export function registerAnswers(server: FastifyInstance, deps: AnswerDeps): void {
  const { config, db, units, guard, cors, limiter, secrets, keyUsage, operations } = deps;
  rejectAtIngress(server, deps.storage);
  deps.identity.register(server);
  registerInspectorReceiver(server, deps.inspector, config.TRUST_PROXY);
  for (const surface of deps.surfaces) surface.registerRoutes?.(server);
  registerDocument(server, { operations, eventKinds: EVENT_KINDS }, config);
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
    getPerson: deps.getPerson,
    storage: deps.storage,
    idempotencyKeys: secrets.deriveAll('idempotency'),
    onResponse: recordRequests(deps.requests),
    onCall(request, actor, spec) {
      if (actor.kind === 'api_key') keyUsage.touch(actor, callerAddress(request), spec.id);
    },
  });
}
