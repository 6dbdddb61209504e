/** Blocks people at WhatsApp. */
import { DriverError } from '../contract/driver-error.ts';
import { toUser } from './address.ts';
import type { Graph } from './api.ts';
import { readError } from './errors.ts';
import { readObject, readObjects } from './fields.ts';

/**
 * Blocks or unblocks a person.
 * @throws DriverError rejected if WhatsApp refuses it
 */
export async function setBlocked(
  graph: Graph,
  address: string,
  isBlocked: boolean,
  signal: AbortSignal,
): Promise<void> {
  const body = { messaging_product: 'whatsapp', block_users: [toUser(address)] };
  const path = [graph.phoneNumberId, 'block_users'];
  const options = { isSafe: true, signal };
  const answer = await graph.send(isBlocked ? 'POST' : 'DELETE', path, body, options);
  const [failed] = readObjects(readObject(answer['block_users'])?.['failed_users']);
  if (!failed) return;
  const error = readError(readObjects(failed['errors'])[0]);
  throw new DriverError('rejected', 'block_failed', error?.detail ?? 'WhatsApp did not change the block.');
}
