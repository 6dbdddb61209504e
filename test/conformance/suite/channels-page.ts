/** docs/channels.md, from what the conformance runs saw. */
import {
  type ChannelOperation,
  MESSAGE_TYPES,
  OPERATIONS,
} from '../../../src/channels/contract/capabilities.ts';
import type { ChannelResults, Verdict } from './results.ts';

const SIGNS: Record<Verdict, string> = { proven: '✓', claimed: '(✓)', failed: '✗', no: '' };

const MEANING: Record<ChannelOperation, string> = {
  edit: "Changing a sent message's text",
  revoke: 'Taking a sent message back',
  react: 'Reacting',
  reply: 'Replying to a message',
  mention: 'Mentioning somebody',
  read: 'Telling the other side that a message was read',
  typing: 'Telling the other side that somebody types',
  forward: 'Forwarding',
  delivery_receipts: 'Delivery is told',
  read_receipts: 'Reading is told',
  presence: 'Whether somebody is online is told',
  groups: 'Groups: making, joining, leaving, who is in them and as what',
  group_description: 'Groups have a description',
  group_picture: 'Groups have a picture',
  group_ban: 'Shutting somebody out of a group',
  group_invite: 'Groups have an invitation link',
  group_invite_revoke: 'Making a new invitation link, which ends the old one',
  group_announce_only: 'Groups in which only admins write',
  group_locked: 'Groups that only admins change',
  group_members_only: 'Groups that nobody joins uninvited',
  check_address: 'Asking whether an address exists',
  block: 'Blocking',
  contact_list: 'The channel has a list of contacts',
  history: 'What was missed arrives afterwards',
  own_copies: "The account's own messages from elsewhere arrive",
  threads: 'A chat is a thread with a subject',
};

const RESENDS: Record<string, string> = {
  deduplicated: 'sent again: the channel takes it once',
  lookup: 'looked up',
  never: '`delivery_unknown`',
};

const toList = (servers: Readonly<Record<string, string>>): string =>
  Object.entries(servers)
    .map(([name, version]) => `${name} ${version}`)
    .join(' and ');

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;

/** @param channels in the order of the columns */
export function channelsMarkdown(channels: readonly ChannelResults[]): string {
  const head = [row('', ...channels.map(({ title }) => title)), row('---', ...channels.map(() => ':-:'))];
  const types = MESSAGE_TYPES.map((type) =>
    row(`\`${type}\``, ...channels.map((one) => SIGNS[one.types[type]])),
  );
  const operations = OPERATIONS.map((name) =>
    row(`\`${name}\` ${MEANING[name]}`, ...channels.map((one) => SIGNS[one.operations[name]])),
  );
  const tested = channels
    .filter(({ servers }) => Object.keys(servers).length > 0)
    .map(({ title, servers }) => `${title} is tested against ${toList(servers)}.`)
    .join(' ');
  return `<!-- Made by \`npm run docs\` from docs/channels/, which the conformance tests write. -->

# What each channel can do

✓: seen at the other end of a real server, or of the sandbox, by the conformance suite. (✓): there, but nothing at the other end shows it.
${tested}
What a channel can't do is refused with 422 \`unsupported_by_channel\` before anything is queued. Limits (lengths, sizes, types of files) stand in \`GET /channels\` and in each instance's \`capabilities\`.

## Types of messages

${[...head, ...types].join('\n')}

## Operations

${[...head, ...operations].join('\n')}

## When nobody knows whether a message was taken

${[...head, row('After a crash, or without an acknowledgement', ...channels.map(({ resend }) => RESENDS[resend] ?? resend)), row('Pairs (QR code, code, link)', ...channels.map(({ pairs }) => (pairs ? '✓' : '')))].join('\n')}
`;
}
