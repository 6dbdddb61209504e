/** The header block of a mail, as far as messaging knows of it. All of it was written by whoever sent the mail. */
import { type AddressObject, type EmailAddress, type ParsedMail, simpleParser } from 'mailparser';
import type { Automatic } from '../contract/signal.ts';
import { readEmail } from './address.ts';
import { deriveMessageId, readMessageIds } from './message-id.ts';

const MAX_NAME = 200;
const MAX_SUBJECT = 500;

export interface Party {
  address: string;
  name: string | null;
}

export interface MailHeaders {
  messageId: string;
  /** The first mail of its thread; itself where it begins one. */
  root: string;
  parent: string | null;
  from: Party | null;
  replyTo: Party | null;
  to: Party[];
  subject: string | null;
  automatic: Automatic | null;
}

/** @param block the header, of which a part may be missing at its end */
export async function readHeaders(block: Buffer): Promise<MailHeaders> {
  // The body is read elsewhere; without its type, the parser doesn't wait for parts.
  const mail = await simpleParser(block, { skipHtmlToText: true, skipTextToHtml: true });
  const messageId = readMessageIds(mail.messageId)[0] ?? deriveMessageId(block);
  const references = readMessageIds([mail.references ?? []].flat().join(' ')).filter(
    (id) => id !== messageId,
  );
  const parent = readMessageIds(mail.inReplyTo).find((id) => id !== messageId) ?? references.at(-1) ?? null;
  return {
    messageId,
    root: references[0] ?? parent ?? messageId,
    parent,
    from: parties(mail.from)[0] ?? null,
    replyTo: parties(mail.replyTo)[0] ?? null,
    to: parties(mail.to),
    subject: oneLine(mail.subject, MAX_SUBJECT),
    automatic: getAutomatic(mail),
  };
}

/** One line without controls, nor characters that turn the direction of text around; null where nothing is left. */
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
  // mailparser gathers List-Id, List-Post and their kin under one name.
  if (headers.has('list') || precedence === 'list') return 'list';
  const returnPath = headerLines.find(({ key }) => key === 'return-path')?.line ?? '';
  const hasNoSender = /^[^:]*:\s*<\s*>\s*$/.test(returnPath);
  if (precedence === 'bulk' || precedence === 'junk' || hasNoSender) return 'auto_generated';
  return null;
}
