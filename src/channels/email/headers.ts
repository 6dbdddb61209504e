/** Reads the header fields that messaging uses. The sender of the mail wrote all of them. */
import { type AddressObject, type EmailAddress, type ParsedMail, simpleParser } from 'mailparser';
import type { Automatic } from '../contract/signal.ts';
import { readEmail, unknownAddress } from './address.ts';
import { decodeText, getEncoding } from './charset.ts';
import { deriveMessageId, readMessageIds } from './message-id.ts';

const MAX_NAME = 200;
const MAX_SUBJECT = 500;

export interface Party {
  address: string;
  name: string | null;
}

export interface MailHeaders {
  messageId: string;
  /** The Message-ID of the first mail of the thread; its own if it starts one. */
  root: string;
  parent: string | null;
  /** The sender; a unique unknown address if the mail names none. */
  from: Party;
  /** null if there is none; an unknown address if it contains no address that can receive a reply. */
  replyTo: Party | null;
  to: Party[];
  subject: string | null;
  automatic: Automatic | null;
}

/** @param block the header, possibly truncated */
export async function readHeaders(block: Buffer): Promise<MailHeaders> {
  // The body is read elsewhere. Without it, the parser doesn't wait for parts.
  const mail = await simpleParser(inOneCharset(block), { skipHtmlToText: true, skipTextToHtml: true });
  const messageId = readMessageIds(mail.messageId)[0] ?? deriveMessageId(block);
  const references = readMessageIds([mail.references ?? []].flat().join(' ')).filter(
    (id) => id !== messageId,
  );
  const parent = readMessageIds(mail.inReplyTo).find((id) => id !== messageId) ?? references.at(-1) ?? null;
  return {
    messageId,
    root: references[0] ?? parent ?? messageId,
    parent,
    from: parties(mail.from)[0] ?? nobody(getField(mail, 'from'), messageId),
    replyTo: parties(mail.replyTo)[0] ?? noAnswer(getField(mail, 'reply-to')),
    to: parties(mail.to),
    subject: oneLine(mail.subject, MAX_SUBJECT),
    automatic: getAutomatic(mail),
  };
}

/** Converts a header in any charset to UTF-8, and labels of encoded words to the names of the Encoding Standard. */
function inOneCharset(block: Buffer): Buffer {
  const isAscii = block.every((byte) => byte < 0x80 && byte !== 0x1b);
  const text = isAscii ? block.toString('latin1') : decodeText(block, null);
  return Buffer.from(
    text.replaceAll(/=\?([^?*\s]{1,40})(?=(?:\*[\w-]{1,20})?\?[bq]\?)/gi, (word, label: string) => {
      const encoding = getEncoding(label);
      return encoding === null ? word : `=?${encoding}`;
    }),
  );
}

/** Returns the raw text of a header field. */
const getField = ({ headerLines }: ParsedMail, name: string): string =>
  (headerLines.find(({ key }) => key === name)?.line ?? '').replace(/^[^:]*:/, '').trim();

/** Returns a sender without an address. A mail without any sender gets a new address each time. */
function nobody(field: string, messageId: string): Party {
  const says = /[\p{L}\p{N}]/u.test(field);
  return { address: unknownAddress(says ? field : messageId), name: says ? oneLine(field, MAX_NAME) : null };
}

/**
 * Returns an unknown reply address for an unusable Reply-To field, because the author doesn't want replies at the
 * sender's address.
 */
const noAnswer = (field: string): Party | null =>
  field === '' ? null : { address: unknownAddress(field), name: null };

/** Returns one line without controls or characters that change the text direction; null if nothing is left. */
export function oneLine(given: string | undefined, longest: number): string | null {
  const line = (given ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return Array.from(line).slice(0, longest).join('') || null;
}

function parties(given: AddressObject | AddressObject[] | undefined): Party[] {
  const flat = (list: EmailAddress[]): EmailAddress[] =>
    list.flatMap((each) => [each, ...(each.group ?? [])]);
  return flat([given ?? []].flat().flatMap(({ value }) => value)).flatMap(({ address, name }) => {
    const read = readEmail(address);
    return read === null ? [] : [{ address: read, name: oneLine(name, MAX_NAME) }];
  });
}

function getAutomatic({ headers, headerLines }: ParsedMail): Automatic | null {
  const text = (name: string): string => {
    const value = headers.get(name);
    const plain = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
    return typeof plain === 'string' ? plain.trim().toLowerCase() : '';
  };
  const submitted = text('auto-submitted').split(/[;\s]/)[0]!;
  const precedence = text('precedence');
  if (submitted === 'auto-replied' || precedence === 'auto_reply') return 'auto_replied';
  if (text('x-autoreply') !== '' || text('x-autorespond') !== '') return 'auto_replied';
  if (submitted !== '' && submitted !== 'no') return 'auto_generated';
  // mailparser collects List-Id, List-Post and similar fields under one name.
  if (headers.has('list') || precedence === 'list') return 'list';
  const returnPath = headerLines.find(({ key }) => key === 'return-path')?.line ?? '';
  const hasNoSender = /^[^:]*:\s*<\s*>\s*$/.test(returnPath);
  if (precedence === 'bulk' || precedence === 'junk' || hasNoSender) return 'auto_generated';
  return null;
}
