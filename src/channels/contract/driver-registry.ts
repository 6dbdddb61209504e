/** The channels of this server. */
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Driver } from './driver.ts';

export interface Drivers {
  /** In the order in which they are shown. */
  all: readonly Driver[];
  get(channel: string): Driver | undefined;
  /** Returns the public URL to which a channel sends requests for the instance with this token. */
  ingressUrl(token: string): string;
}

/** The drivers, with the work of channels that keep state of their own. */
export interface Channels {
  drivers: Drivers;
  /** Registers scheduled jobs. Call before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Call after the last connection was closed. */
  stop(): Promise<void>;
}

/** @param baseUrl public URL of this server, without trailing slash */
export function createDrivers(drivers: readonly Driver[], baseUrl: string): Drivers {
  const byName = new Map(drivers.map((driver) => [driver.channel, driver]));
  return {
    all: drivers,
    get: (channel) => byName.get(channel),
    ingressUrl: (token) => `${baseUrl}/channels/${token}`,
  };
}
