/** Composes the channel drivers, and the work of channels that keep state of their own. */
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listener.ts';
import { type Channels, createDrivers } from '../channels/contract/driver-registry.ts';
import { emailDriver } from '../channels/email/email.driver.ts';
import { deleteOldSandboxRows } from '../channels/sandbox/sandbox-retention.ts';
import { telegramDriver } from '../channels/telegram/telegram.driver.ts';
import { createSandbox, type SandboxDeps } from '../channels/sandbox/sandbox.ts';
import { currentTime } from '../platform/time/clock.ts';
import { httpDriver } from '../channels/http/http.driver.ts';
import { smsGatewayDriver } from '../channels/sms-gateway/sms-gateway.driver.ts';
import { twilioDriver } from '../channels/twilio/twilio.driver.ts';
import { whatsappDriver } from '../channels/whatsapp/whatsapp.driver.ts';
import { xmppDriver } from '../channels/xmpp/xmpp.driver.ts';

export function createChannels(deps: {
  db: Database;
  listener: Listener;
  log: SandboxDeps['log'];
  baseUrl: string;
}): Channels {
  const { db, listener, log, baseUrl } = deps;
  const sandbox = createSandbox({ db, log, notifyOtherNodes: () => listener.notify('sandbox') });
  listener.on('sandbox', sandbox.wake);
  return {
    drivers: createDrivers(
      [
        sandbox.driver,
        emailDriver,
        telegramDriver,
        whatsappDriver,
        xmppDriver,
        httpDriver,
        twilioDriver,
        smsGatewayDriver,
      ],
      baseUrl,
    ),
    registerJobs(jobs) {
      jobs.schedule('sandbox.delete-old', '22 * * * *', (signal) =>
        deleteOldSandboxRows(db, currentTime(), signal),
      );
    },
    stop: () => sandbox.stop(),
  };
}
