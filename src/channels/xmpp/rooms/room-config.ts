/** Reads and changes a room's configuration, which only owners can do (XEP-0045, 10.2). */
import { randomBytes } from 'node:crypto';
import xml from '@xmpp/xml';
import type { GroupSettings } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { xmlText } from '../stanza/text.ts';
import type { XmppStream } from '../session/stream.ts';
import { formFields, MUC, submit } from './muc.ts';

export interface RoomChange {
  name?: string;
  description?: string;
  settings?: Partial<GroupSettings>;
  /** Empty removes the password. */
  password?: string;
}

const bit = (value: boolean): string => (value ? '1' : '0');

const getFields = ({ name, description, settings = {}, password }: RoomChange): Record<string, string> => ({
  ...(name !== undefined && { 'muc#roomconfig_roomname': xmlText(name) }),
  ...(description !== undefined && { 'muc#roomconfig_roomdesc': xmlText(description) }),
  ...(settings.announceOnly !== undefined && { 'muc#roomconfig_moderatedroom': bit(settings.announceOnly) }),
  ...(settings.locked !== undefined && { 'muc#roomconfig_changesubject': bit(!settings.locked) }),
  ...(settings.membersOnly !== undefined && { 'muc#roomconfig_membersonly': bit(settings.membersOnly) }),
  ...(password !== undefined && {
    'muc#roomconfig_roomsecret': password,
    'muc#roomconfig_passwordprotectedroom': bit(password !== ''),
  }),
});

/** Configuration of rooms that we create: persistent, hidden, with visible addresses and an archive. */
const OURS: Record<string, string> = {
  'muc#roomconfig_persistentroom': '1',
  'muc#roomconfig_publicroom': '0',
  'muc#roomconfig_whois': 'anyone',
  'muc#roomconfig_allowinvites': '1',
  'muc#roomconfig_enablearchiving': '1',
  'muc#roomconfig_enablelogging': '0',
  mam: '1',
};

/** @throws DriverError rejected `forbidden` if the account is not an owner */
async function askForm(stream: XmppStream, room: string, signal?: AbortSignal): Promise<Map<string, string>> {
  const payload = xml('query', { xmlns: MUC.owner });
  const answer = await stream.ask({ to: room, type: 'get', payload }, signal);
  return formFields(answer?.getChild('x', MUC.data));
}

/**
 * Changes fields that differ. For a new room, fields that the service does not support are omitted; otherwise they
 * fail.
 * @throws DriverError rejected: `not_allowed` if the account is not an owner; `unsupported`
 */
export async function configure(
  stream: XmppStream,
  room: string,
  change: RoomChange,
  isNew: boolean,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const current = await askForm(stream, room, signal);
    const wanted = getFields(change);
    const missing = Object.keys(wanted).find(
      (name) => !current.has(name) && name !== 'muc#roomconfig_passwordprotectedroom',
    );
    // For a new room, unsupported fields show in its configuration afterwards.
    if (missing !== undefined && !isNew)
      throw new DriverError('rejected', 'unsupported', "The group's server does not support this setting.");
    const all = Object.entries({ ...(isNew && OURS), ...wanted });
    const differs = all.filter(([name, value]) => current.has(name) && current.get(name) !== value);
    if (differs.length === 0 && !isNew) return;
    const form = submit(MUC.config, Object.fromEntries(differs));
    await stream.ask({ to: room, type: 'set', payload: xml('query', { xmlns: MUC.owner }, form) }, signal);
  } catch (error) {
    throw notAllowed(error);
  }
}

/** Returns the password of a room, which owners can see; null for none, or if the account may not see it. */
export async function askPassword(
  stream: XmppStream,
  room: string,
  signal?: AbortSignal,
): Promise<string | null> {
  try {
    return (await askForm(stream, room, signal)).get('muc#roomconfig_roomsecret') || null;
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'rejected') return null;
    throw error;
  }
}

export const newPassword = (): string => randomBytes(18).toString('base64url');

/** Whether a room's error means that the account lacks permission. */
export const isNotAllowed = (error: unknown): boolean =>
  error instanceof DriverError &&
  error.kind === 'rejected' &&
  ['forbidden', 'not_allowed', 'not_authorized'].includes(error.code);

/** @returns `not_allowed` for all conditions that mean it; any other error unchanged */
export function notAllowed(error: unknown): unknown {
  return isNotAllowed(error)
    ? new DriverError('rejected', 'not_allowed', 'The account is not allowed to do that in this group.')
    : error;
}
