/** Reads a room's configuration (XEP-0030) and lists. Later notifications trigger another read. */
import xml, { type Element } from '@xmpp/xml';
import type { GroupAbout, GroupRole, GroupSettings } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { parseJid, readBare } from '../wire/address.ts';
import type { XmppStream } from '../session/stream.ts';
import { MAX_PEOPLE } from './occupants.ts';
import { adminItem, toElements, formFields, isTrue, MUC } from './muc.ts';

const MAX_SUBJECT = 1000;
const MAX_DESCRIPTION = 4000;
const MAX_FEATURES = 500;

export interface RoomInfo {
  name: string;
  description: string | null;
  settings: GroupSettings;
  features: ReadonlySet<string>;
  /** Whether all occupants see real addresses. */
  isOpen: boolean;
  hasArchive: boolean;
  hasStanzaIds: boolean;
  hasOccupantIds: boolean;
}

/**
 * @throws DriverError rejected `not_a_group` if the address is not a room, or with the server's error:
 *   `item_not_found`, `gone`; lost, busy, unknown
 */
export async function askInfo(stream: XmppStream, room: string, signal?: AbortSignal): Promise<RoomInfo> {
  const answer = await stream.ask(
    { to: room, type: 'get', payload: xml('query', { xmlns: MUC.info }) },
    signal,
  );
  const info = answer && readInfo(answer);
  if (!info) throw new DriverError('rejected', 'not_a_group', 'There is no group at this address.');
  return info;
}

const bounded = (text: string | undefined, max: number): string => (text ?? '').trim().slice(0, max);

function readInfo(query: Element): RoomInfo | null {
  const parts = toElements(query);
  const identity = parts.find(({ name, attrs }) => name === 'identity' && attrs['category'] === 'conference');
  const features = new Set(
    parts
      .filter(({ name }) => name === 'feature')
      .slice(0, MAX_FEATURES)
      .map(({ attrs }) => String(attrs['var'])),
  );
  if (!identity || !features.has(MUC.muc)) return null;
  const fields = formFields(query.getChild('x', MUC.data));
  const changes = fields.get('muc#roomconfig_changesubject') ?? fields.get('muc#roominfo_changesubject');
  const hasArchive = features.has(MUC.archive);
  return {
    name: bounded((fields.get('muc#roomconfig_roomname') || identity.attrs['name']) as string, MAX_SUBJECT),
    description: bounded(fields.get('muc#roominfo_description'), MAX_DESCRIPTION) || null,
    settings: {
      announceOnly: features.has('muc_moderated'),
      locked: changes !== undefined && !isTrue(changes),
      membersOnly: features.has('muc_membersonly'),
    },
    features,
    isOpen: features.has('muc_nonanonymous'),
    hasArchive,
    hasStanzaIds: hasArchive || features.has(MUC.stanzaId),
    hasOccupantIds: features.has(MUC.occupantId),
  };
}

/** Returns a group's title: the room's subject, else its name, else the local part of its address. */
export const getTitle = (room: string, name: string, subject: string): string =>
  bounded(subject, MAX_SUBJECT) || name || (parseJid(room)?.local ?? room);

/** @param info null before it was requested */
export const describe = (
  room: string,
  info: RoomInfo | null,
  subject: string,
): Omit<GroupAbout, 'inviteUrl' | 'picture'> => ({
  subject: getTitle(room, info?.name ?? '', subject),
  description: info?.description ?? null,
  settings: info?.settings ?? { announceOnly: false, locked: false, membersOnly: false },
});

/** Returns the bare addresses on one of the room's lists. @throws DriverError rejected `forbidden` if it isn't shown */
export async function askList(
  stream: XmppStream,
  room: string,
  affiliation: GroupRole | 'outcast',
  signal?: AbortSignal,
): Promise<string[]> {
  const answer = await stream.ask({ to: room, type: 'get', payload: adminItem({ affiliation }) }, signal);
  const items = answer?.getChildren('item') ?? [];
  return items
    .slice(0, MAX_PEOPLE)
    .filter(({ attrs }) => attrs['affiliation'] === affiliation)
    .flatMap(({ attrs }) => readBare(attrs['jid']) ?? []);
}

/** Returns owners, admins and members; null if the account may not see them. @throws DriverError, never rejected */
export async function askLists(
  stream: XmppStream,
  room: string,
  signal?: AbortSignal,
): Promise<Map<string, GroupRole> | null> {
  try {
    const lists = new Map<string, GroupRole>();
    for (const role of ['member', 'admin', 'owner'] as const)
      for (const jid of await askList(stream, room, role, signal)) lists.set(jid, role);
    return lists;
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'rejected') return null;
    throw error;
  }
}

/** Finds a server's room service (XEP-0030), which is the first that announces itself as one; null for none. */
export async function findService(stream: XmppStream, signal?: AbortSignal): Promise<string | null> {
  const answer = await stream.ask(
    { to: stream.domain, type: 'get', payload: xml('query', { xmlns: MUC.items }) },
    signal,
  );
  const items = (answer?.getChildren('item') ?? []).slice(0, 20);
  const candidates = items.flatMap(({ attrs }) => {
    const jid = parseJid(attrs['jid']);
    return jid && jid.local === null && jid.resource === null && !attrs['node'] ? [jid.domain] : [];
  });
  for (const candidate of candidates) {
    const features = await stream.features(candidate).catch(() => new Set<string>());
    if (features.has(MUC.muc)) return candidate;
  }
  return null;
}
