/** Errors of a connection that were not reported by a channel. */
import { DriverError } from '../../../channels/contract/driver-error.ts';

export const unknownChannel = (channel: string): DriverError =>
  new DriverError('refused', 'channel_unavailable', `This server does not support the channel ${channel}.`);

export const unreadable = (cause: unknown): DriverError =>
  new DriverError('refused', 'credentials_unreadable', 'Enter the credentials again.', { cause });

export const openTimeout = (ms: number): DriverError =>
  new DriverError('lost', 'timeout', `The channel was not open after ${Math.round(ms / 1000)} s.`);

export const pairingExpired = (): DriverError =>
  new DriverError('refused', 'pairing_expired', 'The pairing code expired. Connect again for a new code.');

export const deaf = (cause: unknown): DriverError =>
  new DriverError('lost', 'deaf', 'The connection was open but did not respond.', { cause });
