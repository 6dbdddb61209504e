/** Reads delivery reports (RFC 3464): which of our mails failed, and why. */
import { type Attachment, simpleParser } from 'mailparser';
import type { Receipt } from '../contract/signal.ts';
import { toRejectionCode } from './errors.ts';
import { oneLine } from './headers.ts';
import { readMessageIds } from './message-id.ts';

const MAX_DETAIL = 500;

export interface DeliveryReport {
  /** Candidates for the Message-ID of the reported mail, the most likely first; at least one. */
  messageIds: string[];
  status: Extract<Receipt['status'], 'failed'>;
  error: NonNullable<Receipt['error']>;
}

/** Gateways wrap a report in a mail, and some wrap that again. */
const DEEPEST = 3;
const REPORTS = ['message/delivery-status', 'message/global-delivery-status'];
const ORIGINALS = ['text/rfc822-headers', 'message/rfc822', 'message/global', 'message/global-headers'];

/**
 * @param source the source of a mail with a multipart/report, possibly truncated
 * @returns null if it does not report a failure, or doesn't name the mail. Reports of success are never requested, and
 * anyone can send one, so they are ignored; otherwise a later bounce would have no effect.
 */
export async function readReport(source: Buffer, depth = 0): Promise<DeliveryReport | null> {
  const mail = await simpleParser(source, {
    keepDeliveryStatus: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
  });
  const find = (types: string[]): Attachment | undefined =>
    mail.attachments.find(({ contentType }) => types.includes(contentType));
  const report = find(REPORTS)?.content.toString();
  const original = find(ORIGINALS)?.content;
  if (report === undefined) return original && depth < DEEPEST ? readReport(original, depth + 1) : null;
  // The first group is about the report itself, each further one about a recipient.
  const groups = report.split(/\r?\n(?:[ \t]*\r?\n)+/).map(getFields);
  const failed = groups.find((fields) => fields.get('action')?.toLowerCase() === 'failed');
  const head = getFields(original?.toString().split(/\r?\n\r?\n/)[0] ?? '');
  const named = [
    head.get('message-id'),
    // Fields of Exchange and Postfix, and the mail to which the report replies.
    ...groups.flatMap((fields) => [fields.get('original-message-id'), fields.get('x-original-message-id')]),
    mail.inReplyTo,
    ...[mail.references ?? []].flat().toReversed(),
  ];
  const messageIds = [...new Set(named.flatMap((field) => readMessageIds(field)))];
  return messageIds.length === 0 || !failed
    ? null
    : { messageIds, status: 'failed', error: getFailure(failed) };
}

function getFailure(fields: Map<string, string>): NonNullable<Receipt['error']> {
  const status = /\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? '';
  const said = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]+;/, '');
  const detail = oneLine(said, MAX_DETAIL) ?? `The mail came back${status ? ` (${status})` : ''}.`;
  // A temporary error (4.x.x) that lasted until the server gave up.
  return { code: status.startsWith('4.') ? 'delivery_timed_out' : toRejectionCode(status), detail };
}

/** Returns the fields of a header block by their names in lower case, with folded lines joined. */
function getFields(block: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of block.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value!.trim());
  }
  return fields;
}
