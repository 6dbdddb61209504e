/** Composes the channel drivers, and the work of channels that keep state of their own. */
import type { Database } from './db/database.ts';
import type { Listener } from './db/listener.ts';
import type { Jobs } from './jobs/jobs.ts';
import { createDrivers, type Drivers } from './messaging/channels/driver-registry.ts';
import { emailDriver } from './messaging/channels/email/email.driver.ts';
import { deleteOldSandboxRows } from './messaging/channels/sandbox/sandbox-retention.ts';
import { createSandbox, type SandboxDeps } from './messaging/channels/sandbox/sandbox.ts';
import { currentTime } from './time/clock.ts';
import { xmppDriver } from './messaging/channels/xmpp/xmpp.driver.ts';

export interface Channels {
  drivers: Drivers;
  /** Registers scheduled jobs. Call before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Call after messaging has closed its last connection. */
  stop(): Promise<void>;
}

export function createChannels(deps: {
  db: Database;
  listener: Listener;
  log: SandboxDeps['log'];
}): Channels {
  const { db, listener, log } = deps;
  const sandbox = createSandbox({ db, log, tellOthers: () => listener.notify('sandbox') });
  listener.on('sandbox', sandbox.wake);
  return {
    drivers: createDrivers([sandbox.driver, emailDriver, xmppDriver]),
    registerJobs(jobs) {
      jobs.schedule('sandbox.delete-old', '22 * * * *', (signal) =>
        deleteOldSandboxRows(db, currentTime(), signal),
      );
    },
    stop: () => sandbox.stop(),
  };
}
