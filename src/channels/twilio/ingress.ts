/**
 * Webhooks of Twilio: inbound messages and status callbacks, as forms signed with the Auth Token.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ChannelIngress, IngressAnswer, IngressPart } from '../contract/ingress.ts';
import { readSettings, readToken } from './settings.ts';

const MAX_BYTES = 256 * 1024;
const MAX_FIELDS = 200;
/** Of one MMS. */
const MAX_MEDIA = 10;
const SID = /^(SM|MM)[0-9a-fA-F]{32}$/;
/** No reply: those go through the API. */
const ANSWER: IngressAnswer = { status: 200, contentType: 'text/xml', body: '<Response/>' };
/** Query parameter of status callbacks with the ID that Fairlead chose. */
export const MESSAGE_PARAMETER = 'message';

export type TwilioPart =
  | {
      kind: 'message';
      sid: string;
      from: string;
      to: string;
      text: string;
      media: { url: string; type: string }[];
      at: string;
    }
  | { kind: 'status'; sid: string; message: string | null; status: string; errorCode: string; at: string };

const getSignature = (url: string, form: URLSearchParams, token: string): Buffer => {
  const fields = [...new Set(form.keys())].toSorted().map((name) =>
    [...new Set(form.getAll(name))]
      .toSorted()
      .map((value) => name + value)
      .join(''),
  );
  return createHmac('sha1', token)
    .update(url + fields.join(''))
    .digest();
};

/** Twilio signs some URLs with their default port. */
const withPort = (url: string): string => {
  const { protocol, host, port } = new URL(url);
  const explicit = protocol === 'https:' ? `${host}:443` : `${host}:80`;
  return port === '' ? url.replace(`//${host}`, `//${explicit}`) : url;
};

function isSigned(url: string, form: URLSearchParams, token: string, given: string): boolean {
  const signature = Buffer.from(given, 'base64');
  return [url, withPort(url)].some((one) => {
    const right = getSignature(one, form, token);
    return signature.length === right.length && timingSafeEqual(signature, right);
  });
}

function readMedia(form: URLSearchParams): { url: string; type: string }[] {
  const count = Math.min(Number(form.get('NumMedia')) || 0, MAX_MEDIA);
  return Array.from({ length: count }, (_, index) => ({
    url: form.get(`MediaUrl${index}`) ?? '',
    type: form.get(`MediaContentType${index}`) ?? '',
  }));
}

export const ingress: ChannelIngress = {
  maxBytes: MAX_BYTES,
  receive({ method, url, query, headers, body, at }, { settings, credentials }) {
    const form = new URLSearchParams(body.toString());
    const signature = headers['x-twilio-signature'] ?? '';
    if (
      method !== 'POST' ||
      form.size > MAX_FIELDS ||
      !isSigned(url, form, readToken(credentials), signature)
    )
      return {
        kind: 'refused',
        code: 'signature_invalid',
        detail:
          'X-Twilio-Signature does not match the Auth Token of this instance, this URL and the received form.',
      };
    const get = (name: string): string => form.get(name) ?? '';
    const sid = get('MessageSid');
    if (get('AccountSid') !== readSettings(settings).accountSid || !SID.test(sid))
      return {
        kind: 'refused',
        code: 'invalid_request',
        detail: 'AccountSid or MessageSid is not one of this account.',
      };
    const status = get('MessageStatus');
    // Only callbacks for sent messages have a MessageStatus.
    const part: TwilioPart =
      status === ''
        ? {
            kind: 'message',
            sid,
            from: get('From'),
            to: get('To'),
            text: get('Body'),
            media: readMedia(form),
            at: at.toISOString(),
          }
        : {
            kind: 'status',
            sid,
            message: query.get(MESSAGE_PARAMETER),
            status,
            errorCode: get('ErrorCode').slice(0, 10),
            at: at.toISOString(),
          };
    const parts: IngressPart[] = [
      { accountKey: null, id: status === '' ? sid : `${sid}/${status.slice(0, 20)}`, body: part },
    ];
    return { kind: 'accepted', parts, answer: ANSWER };
  },
};
