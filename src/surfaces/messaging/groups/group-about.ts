/** Converts signals about a group to stored values: limited, storable, and only differences. */
import { validateUrl } from '../../../platform/addresses/host.ts';
import type { GroupAbout } from '../../../channels/contract/connection.ts';
import { toInboundName } from '../records/inbound-content.ts';
import type { GroupColumns, GroupRow } from './group.store.ts';

const MAX_DESCRIPTION = 4_000;
const MAX_URL = 2_000;

/** Converts a text of a stranger for storage; null if there is none. */
const toStoredText = (text: string | null, max: number): string | null =>
  (text && text.slice(0, max).replaceAll('\0', '\ufffd').toWellFormed()) || null;

type Picture = NonNullable<GroupAbout['picture']>;

/** Returns what identifies a picture: its content or its URL; null if there is none. */
export function getPictureKey(picture: Picture | null): string | null {
  if (picture === null) return null;
  if ('received' in picture) return `sha256:${picture.received.sha256}`;
  const url = toStoredText(picture.url, MAX_URL);
  return url === picture.url && validateUrl(url) === null ? url : null;
}

const DEFAULTS = {
  subject: '',
  description: null,
  announce_only: false,
  locked: false,
  members_only: false,
  invite_url: null,
} as const;

type Words = Pick<GroupRow, keyof typeof DEFAULTS>;

/** Returns all columns except the picture. */
function getTexts({ subject, description, settings, inviteUrl }: Partial<GroupAbout>): Partial<Words> {
  return {
    ...(subject === undefined ? {} : { subject: toInboundName(subject) }),
    ...(description === undefined ? {} : { description: toStoredText(description, MAX_DESCRIPTION) }),
    ...(inviteUrl === undefined ? {} : { invite_url: toStoredText(inviteUrl, MAX_URL) }),
    ...(settings === undefined
      ? {}
      : {
          announce_only: settings.announceOnly,
          locked: settings.locked,
          members_only: settings.membersOnly,
        }),
  };
}

/** Returns the initial columns of a new group. */
export const toNewGroupText = (about: Partial<GroupAbout>): Words => ({ ...DEFAULTS, ...getTexts(about) });

/** Returns the columns that differ from the stored ones. */
export const getChangedColumns = (before: Words, about: Partial<GroupAbout>): GroupColumns =>
  Object.fromEntries(
    Object.entries(getTexts(about)).filter(([name, value]) => before[name as keyof Words] !== value),
  );
