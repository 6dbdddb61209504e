/** Composes messaging: channels, instances, and what runs for them without a request; nothing else. */
import type { SecretBox } from '../auth/secret-box.ts';
import type { Database } from '../db/database.ts';
import type { Listener } from '../db/listener.ts';
import type { Unit } from '../db/unit.ts';
import type { Egress } from '../http/egress/egress.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { createChannelCheck } from './channels/channel-check.ts';
import { createDrivers } from './channels/driver-registry.ts';
import { emailDriver } from './channels/email/email.driver.ts';
import { createSandbox } from './channels/sandbox/sandbox.ts';
import { unwantAll } from './instances/connection-wish.store.ts';
import { eraseInstance } from './instances/instance-erasure.ts';
import { createAssertEndpointsAllowed } from './instances/instance-input.ts';
import type { MessagingOperationDeps } from './messaging-operations.ts';

export interface MessagingDeps {
  db: Database;
  secrets: SecretBox;
  egress: Egress;
  listener: Listener;
  log: { debug(details: object, message: string): void; warn(details: object, message: string): void };
}

export interface Messaging {
  /** What its operations are made with. */
  forOperations: Omit<MessagingOperationDeps, 'assertQuota'>;
  /** Says who performs its jobs. Before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Stops all instances of a workspace, in the transaction that deletes it. */
  workspaceDeleted(unit: Unit, workspaceId: string): Promise<void>;
  stop(): Promise<void>;
}

export function createMessaging({ db, secrets, egress, listener, log }: MessagingDeps): Messaging {
  const sandbox = createSandbox({ db, log, tellOthers: () => listener.notify('sandbox') });
  listener.on('sandbox', sandbox.wake);
  const drivers = createDrivers([sandbox.driver, emailDriver]);
  const connectionsChanged = (): void => listener.notify('connections');

  return {
    forOperations: {
      drivers,
      secrets,
      connectionsChanged,
      checkChannel: createChannelCheck({ egress, log }),
      assertEndpointsAllowed: createAssertEndpointsAllowed(egress),
    },
    registerJobs(jobs) {
      jobs.work('instances.erase', (payload, signal) => eraseInstance(db, payload, signal));
    },
    async workspaceDeleted(unit, workspaceId) {
      await unwantAll(unit.db, workspaceId);
      unit.afterCommit(connectionsChanged);
    },
    stop: () => sandbox.stop(),
  };
}
