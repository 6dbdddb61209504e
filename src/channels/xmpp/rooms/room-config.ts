/** A room's configuration, which its owners see and change (XEP-0045, 10.2). */
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
  /** Empty for none. */
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

/** Of rooms that we make: they stay, are found by nobody, show who is in them, keep an archive. */
const OURS: Record<string, string> = {
  'muc#roomconfig_persistentroom': '1',
  'muc#roomconfig_publicroom': '0',
  'muc#roomconfig_whois': 'anyone',
  'muc#roomconfig_allowinvites': '1',
  'muc#roomconfig_enablearchiving': '1',
  'muc#roomconfig_enablelogging': '0',
  mam: '1',
};

/** @throws DriverError rejected `forbidden`, where the account is no owner */
async function askForm(stream: XmppStream, room: string, signal?: AbortSignal): Promise<Map<string, string>> {
  const payload = xml('query', { xmlns: MUC.owner });
  const answer = await stream.ask({ to: room, type: 'get', payload }, signal);
  return formFields(answer?.getChild('x', MUC.data));
}

/**
 * Changes what differs. What a service does not know is left out; what must not be left out makes it fail.
 * @throws DriverError rejected: `not_allowed`, where the account is no owner; `unsupported`
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
    // Of a room that is being made, what the service can't do is seen in what it is then.
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

/** The password of a room, as its owners see it; null for none, or where the account may not. */
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

/** Whether a room says that the account lacks the right. */
export const isNotAllowed = (error: unknown): boolean =>
  error instanceof DriverError &&
  error.kind === 'rejected' &&
  ['forbidden', 'not_allowed', 'not_authorized'].includes(error.code);

/** @returns `not_allowed` for all conditions that mean it; any other error as it is */
export function notAllowed(error: unknown): unknown {
  return isNotAllowed(error)
    ? new DriverError('rejected', 'not_allowed', 'The account is not allowed to do that in this group.')
    : error;
}
