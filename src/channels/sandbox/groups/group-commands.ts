/** Finds the addressees of a group message, and executes commands to scripted members. docs/sandbox.md lists them. */
import type { OutboundMessage } from '../../contract/connection.ts';
import { InvalidAddressError } from '../../contract/driver-error.ts';
import { toName, normalizeSandboxAddress } from '../account/sandbox-address.ts';
import { PICTURE } from '../account/sandbox-picture.ts';
import { getInviteUrl, newInvite } from '../account/group-address.ts';
import { cleanText } from './create-group.ts';
import type { Draft, Group, Member } from '../account/group.ts';
import {
  type Accounts,
  changeParticipant,
  isAdmin,
  mayDescribe,
  removeMember,
} from '../account/group-rules.ts';

/** Maximum members that reply to a message. */
const MAX_ANSWERING = 10;
/** Names are only searched in the first characters of a text. */
const LOOKED_AT = 4_096;

export interface AddressedMember {
  contact: Member;
  text: string;
}

/** Returns the names of a scripted member: its address, and the first part of it. */
const getNames = ({ address }: Member): string[] => [address, address.split(/[._@-]/u)[0]!];

/** Strips quotes and punctuation around a word. */
function bareWord(word: string): string {
  let begin = 0;
  let end = word.length;
  while (begin < end && '@"(\''.includes(word[begin]!)) begin += 1;
  while (end > begin && '.,:;!?)"\''.includes(word[end - 1]!)) end -= 1;
  return word.slice(begin, end).toLowerCase();
}

/**
 * Finds the scripted members that a message addresses: those whose names it starts with, or `all`; otherwise those named
 * anywhere in it, mentioned, or replied to. Leading names are removed from the text.
 */
export function findAddressedMembers(
  group: Group,
  message: Pick<OutboundMessage, 'content' | 'mentions' | 'replyTo'>,
): AddressedMember[] {
  const scripted = [...group.members.values()].filter(({ instanceId }) => instanceId === null);
  if (scripted.length === 0) return [];
  const byName = new Map(scripted.toReversed().flatMap((one) => getNames(one).map((name) => [name, one])));
  const text = (message.content.text ?? '').trim();
  const words = text.slice(0, LOOKED_AT).split(/\s+/u);
  const called = new Set<Member>();
  let leading = 0;
  for (const word of words) {
    const bare = bareWord(word);
    const one = byName.get(bare);
    if ((!one && bare !== 'all') || leading > MAX_ANSWERING) break;
    for (const member of one ? [one] : scripted) called.add(member);
    leading += 1;
  }
  let rest = text;
  for (let nth = 0; nth < leading; nth++) rest = rest.replace(/^\S+\s*/u, '');
  if (leading === 0)
    for (const word of words) {
      const one = byName.get(bareWord(word));
      if (one) called.add(one);
    }
  const meant = [...message.mentions, message.replyTo?.author ?? ''];
  for (const one of scripted) if (meant.includes(one.address)) called.add(one);
  return [...called].slice(0, MAX_ANSWERING).map((contact) => ({ contact, text: rest }));
}

const SETTINGS = { announce: 'announceOnly', lock: 'locked', close: 'membersOnly' } as const;
const ON_MEMBERS = {
  add: 'add',
  kick: 'remove',
  ban: 'ban',
  unban: 'unban',
  promote: 'promote',
  demote: 'demote',
} as const;
const COMMANDS = new Set([
  'leave',
  'rename',
  'describe',
  'picture',
  'link',
  'destroy',
  ...Object.keys(SETTINGS),
  ...Object.keys(ON_MEMBERS),
]);

export interface Command {
  word: string;
  rest: string;
}

/** Parses a command; null if the text is not a command. */
export function getCommand(text: string): Command | null {
  const [first = ''] = text.split(/\s/u, 1);
  const word = bareWord(first);
  if (!COMMANDS.has(word)) return null;
  return { word, rest: text.slice(first.length).trim() };
}

/** Returns the address that a command targets; `me` is the sender. Null for an invalid name. */
export function getTarget({ rest }: Command, sender: string): string | null {
  const name = bareWord(rest);
  if (name === 'me') return sender;
  try {
    return normalizeSandboxAddress(name);
  } catch (error) {
    if (error instanceof InvalidAddressError) return null;
    throw error;
  }
}

const NOT_ALLOWED = 'I am not allowed to do that: I am not an admin here';

/** Executes a command to a member. @returns its reply; null for none */
export function executeCommand(
  draft: Draft,
  address: string,
  { word, rest }: Command,
  target: string | null,
  accounts: Accounts,
): string | null {
  const actor = draft.members.get(address)!;
  const done = 'Done';
  if (word === 'leave') {
    removeMember(draft, address, 'left');
    return null;
  }
  if (word === 'rename' || word === 'describe' || word === 'picture') {
    if (!mayDescribe(draft, actor)) return NOT_ALLOWED;
    if (word === 'picture') draft.picture = PICTURE;
    else if (word === 'describe') draft.description = cleanText(rest) || null;
    else draft.subject = cleanText(rest) || `${toName(address)}'s group`;
    return done;
  }
  if (!isAdmin(actor)) return NOT_ALLOWED;
  if (word === 'link') {
    draft.invite = newInvite();
    return getInviteUrl(draft.id, draft.invite);
  }
  if (word === 'destroy') {
    draft.isDestroyed = true;
    return null;
  }
  const setting = SETTINGS[word as keyof typeof SETTINGS];
  if (setting) {
    draft.settings[setting] = bareWord(rest) !== 'off';
    return done;
  }
  if (target === null) return 'I do not know that name';
  const action = ON_MEMBERS[word as keyof typeof ON_MEMBERS];
  return changeParticipant(draft, actor, action, target, accounts)?.detail ?? done;
}
