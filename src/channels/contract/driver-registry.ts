/** Holds the drivers of all channels of this server. */
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Driver } from './driver.ts';

export interface Drivers {
  /** In display order. */
  all: readonly Driver[];
  get(channel: string): Driver | undefined;
  /** Returns the public URL to which a channel sends requests for the instance with this token. */
  ingressUrl(token: string): string;
}

/** The drivers, with the jobs and shutdown of channels that store their own state. */
export interface Channels {
  drivers: Drivers;
  /** Registers scheduled jobs. Call before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Releases resources of the channels. Call after the last connection is closed. */
  stop(): Promise<void>;
}

/** Creates the registry. @param baseUrl public URL of this server, without trailing slash */
export function createDrivers(drivers: readonly Driver[], baseUrl: string): Drivers {
  const byName = new Map(drivers.map((driver) => [driver.channel, driver]));
  return {
    all: drivers,
    get: (channel) => byName.get(channel),
    ingressUrl: (token) => `${baseUrl}/channels/${token}`,
  };
}
