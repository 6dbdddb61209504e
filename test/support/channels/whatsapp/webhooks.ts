/** Webhooks as Meta sends them: a number's changes, signed. */
import { createHmac } from 'node:crypto';
import type { Body } from './graph-api.ts';

export interface Metadata {
  display_phone_number: string;
  phone_number_id: string;
}

export const toWebhook = (changes: { field: string; value: Body }[], id = '102290129340398'): Body => ({
  object: 'whatsapp_business_account',
  entry: [{ id, changes }],
});

/** A change of one number. */
export const toChange = (
  metadata: Metadata,
  value: Body,
  field = 'messages',
): { field: string; value: Body } => ({
  field,
  value: { messaging_product: 'whatsapp', metadata, ...value },
});

export const sign = (body: string | Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** @returns the status of the answer */
export async function postWebhook(
  url: string,
  webhook: Body,
  secret: string,
  signature?: string | null,
): Promise<number> {
  const body = JSON.stringify(webhook);
  const given = signature === undefined ? sign(body, secret) : signature;
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      connection: 'close',
      ...(given === null ? {} : { 'x-hub-signature-256': given }),
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}
