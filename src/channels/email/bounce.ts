/** Reports of delivery (RFC 3464): which mail of ours they are about, and what became of it. */
import { type Attachment, simpleParser } from 'mailparser';
import type { Receipt } from '../contract/signal.ts';
import { toRejectionCode } from './faults.ts';
import { oneLine } from './headers.ts';
import { readMessageIds } from './message-id.ts';

const MAX_DETAIL = 500;

export interface DeliveryReport {
  /** Of the mail that it is about. */
  messageId: string;
  status: Extract<Receipt['status'], 'failed'>;
  error: NonNullable<Receipt['error']>;
}

/**
 * @param source of a multipart/report, perhaps cut off
 * @returns null where it does not tell of failure, or not of which mail. Nobody is asked to report delivery, so who does
 * (anybody can) is not believed: a bounce could not come after it.
 */
export async function readReport(source: Buffer): Promise<DeliveryReport | null> {
  const { attachments } = await simpleParser(source, {
    keepDeliveryStatus: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
  });
  const toText = (...types: string[]): string | null =>
    attachments.find(({ contentType }: Attachment) => types.includes(contentType))?.content.toString() ??
    null;
  const original = toText(
    'text/rfc822-headers',
    'message/rfc822',
    'message/global',
    'message/global-headers',
  );
  const report = toText('message/delivery-status', 'message/global-delivery-status');
  if (original === null || report === null) return null;
  const messageId = readMessageIds(getFields(original.split(/\r?\n\r?\n/)[0]!).get('message-id'))[0];
  // The first group is about the report itself, each further one about a recipient.
  const recipients = report.split(/\r?\n(?:[ \t]*\r?\n)+/).map(getFields);
  const failed = recipients.find((fields) => fields.get('action')?.toLowerCase() === 'failed');
  return messageId === undefined || !failed
    ? null
    : { messageId, status: 'failed', error: getFailure(failed) };
}

function getFailure(fields: Map<string, string>): NonNullable<Receipt['error']> {
  const status = /\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? '';
  const said = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]+;/, '');
  const detail = oneLine(said, MAX_DETAIL) ?? `The mail came back${status ? ` (${status})` : ''}.`;
  // A passing fault (4.x.x) that lasted until the server gave up.
  return { code: status.startsWith('4.') ? 'delivery_timed_out' : toRejectionCode(status), detail };
}

/** Fields of a header block by their names in lower case, folded lines joined. */
function getFields(block: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of block.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value!.trim());
  }
  return fields;
}
