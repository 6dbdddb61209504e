/** Faults of a connection that no channel told of. */
import { DriverError } from '../../../channels/contract/driver-error.ts';

export const unknownChannel = (channel: string): DriverError =>
  new DriverError('refused', 'channel_unavailable', `This server has no channel ${channel}.`);

export const unreadable = (cause: unknown): DriverError =>
  new DriverError('refused', 'credentials_unreadable', 'The credentials must be given again.', { cause });

export const openTimeout = (ms: number): DriverError =>
  new DriverError('lost', 'timeout', `The channel was not open after ${Math.round(ms / 1000)} s.`);

export const pairingExpired = (): DriverError =>
  new DriverError('refused', 'pairing_expired', 'Nobody paired in time. Connect again for a new code.');

export const deaf = (cause: unknown): DriverError =>
  new DriverError('lost', 'deaf', 'The connection was up but did not answer.', { cause });
