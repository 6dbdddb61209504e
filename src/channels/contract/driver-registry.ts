/** The channels there are. */
import type { Driver } from './driver.ts';

export interface Drivers {
  /** In the order in which they are shown. */
  all: readonly Driver[];
  get(channel: string): Driver | undefined;
}

export function createDrivers(drivers: readonly Driver[]): Drivers {
  const byName = new Map(drivers.map((driver) => [driver.channel, driver]));
  return { all: drivers, get: (channel) => byName.get(channel) };
}
