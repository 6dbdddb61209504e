/**
 * Messages of Amazon SNS at secret URLs. Notifications are published, subscriptions are confirmed by a job.
 * | The URL authenticates the sender. A signature is verified if there is one; only a signed message makes this server
 * call AWS, and only at hosts of SNS. A verified message is published once, however often SNS repeats it.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
import { verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Units } from '../../../../core/unit/unit-of-work.ts';
import type { Db } from '../../../../platform/db/database.ts';
import type { Egress } from '../../../../platform/egress/egress.ts';
import { publicId } from '../../../../core/vocabulary/ids.ts';
import { readLosslessJson } from '../../../../platform/http/json-body.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import type { JobPayloads } from '../../../../platform/jobs/job-queue.ts';
import type { Log } from '../../../../platform/logging/log.ts';
import { getEndpoint, type ReceivingEndpoint } from '../endpoint.store.ts';
import { badSignature } from '../authentication/signed-parts.ts';
import type { HandshakeAnswer } from './handshakes.ts';
import { createSnsCertificates, isConfirmationUrl } from './sns-certificates.ts';
import { makeStorable } from './storable-payload.ts';

const TYPE_HEADER = 'x-amz-sns-message-type';
const CONFIRM_MS = 15_000;

/** The members that are signed, in this order, by type of message. Absent members are left out. */
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const SIGNED_BY_TYPE: Record<string, readonly string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};
/** By `SignatureVersion`. */
const ALGORITHMS: ReadonlyMap<unknown, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);

type Message = Record<string, unknown>;

const isObject = (value: unknown): value is Message =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const getText = (message: Message, name: string): string | null => {
  const value = Object.hasOwn(message, name) ? message[name] : null;
  return typeof value === 'string' ? value : null;
};

/** Returns the text that SNS signs. */
export const getSignedText = (message: Message): string =>
  (SIGNED_BY_TYPE[getText(message, 'Type') ?? ''] ?? [])
    .flatMap((name) => {
      const value = getText(message, name);
      return value === null ? [] : [`${name}\n${value}\n`];
    })
    .join('');

/** A text that is a JSON object or array is that value, so that templates can read it. */
function parseMessage(text: string): unknown {
  try {
    const value = readLosslessJson(Buffer.from(text));
    return value !== null && typeof value === 'object' ? makeStorable(value).payload : text;
  } catch (error) {
    // A value that a payload may not contain either stays text.
    if (!(error instanceof Problem)) throw error;
    return text;
  }
}

const mismatch = (): Problem => badSignature('The Signature does not match the message of Amazon SNS.');

export interface Sns {
  /**
   * Reads a message at a secret URL.
   * @returns null if it is not an SNS message; the response to a confirmation; or the message to publish
   * @throws Problem signature_invalid, unavailable
   */
  read(
    endpoint: Pick<ReceivingEndpoint, 'workspaceId' | 'id'>,
    headers: IncomingHttpHeaders,
    payload: unknown,
  ): Promise<{ handshake: HandshakeAnswer } | { payload: unknown; deliveryId: string | null } | null>;
}

export function createSns(deps: {
  units: Pick<Units, 'write'>;
  egress: Pick<Egress, 'request'>;
  clock: () => Date;
}): Sns {
  const getKey = createSnsCertificates(deps);

  /** @throws Problem signature_invalid, unavailable */
  async function check(message: Message): Promise<void> {
    const algorithm = ALGORITHMS.get(getText(message, 'SignatureVersion'));
    if (algorithm === undefined) throw badSignature('The SignatureVersion must be 1 or 2.');
    // Absent members are not signed, so one that is no text would come from anyone.
    const isForged = (SIGNED_BY_TYPE[getText(message, 'Type') ?? ''] ?? []).some(
      (name) => Object.hasOwn(message, name) && getText(message, name) === null && message[name] !== null,
    );
    if (isForged) throw mismatch();
    const signature = Buffer.from(getText(message, 'Signature') ?? '', 'base64');
    const key = await getKey(getText(message, 'SigningCertURL') ?? '');
    if (!verify(algorithm, Buffer.from(getSignedText(message)), key, signature)) throw mismatch();
  }

  return {
    async read(endpoint, headers, payload) {
      const type = headers[TYPE_HEADER];
      if (typeof type !== 'string' || !isObject(payload) || payload['Type'] !== type) return null;
      if (!Object.hasOwn(SIGNED_BY_TYPE, type)) return null;
      const isSigned = Object.hasOwn(payload, 'Signature');
      if (isSigned) await check(payload);
      if (type === 'Notification') {
        const text = getText(payload, 'Message');
        return {
          payload: text === null ? payload : { ...payload, Message: parseMessage(text) },
          deliveryId: isSigned ? getText(payload, 'MessageId') : null,
        };
      }
      if (!isSigned) throw badSignature('A confirmation of Amazon SNS must be signed.');
      const url = getText(payload, 'SubscribeURL') ?? '';
      if (type === 'SubscriptionConfirmation') {
        if (!isConfirmationUrl(url))
          throw badSignature('The SubscribeURL must be the URL of a confirmation at Amazon SNS.');
        const { workspaceId, id: endpointId } = endpoint;
        await deps.units.write(({ db, jobs }) =>
          jobs.enqueue(db, 'publishing-endpoints.confirm', { workspaceId, endpointId, url }),
        );
      }
      // An unsubscribed endpoint is not subscribed again.
      return { handshake: { type: 'text/plain; charset=utf-8', body: '' } };
    },
  };
}

/**
 * Performs the job `publishing-endpoints.confirm`: fetches the URL of a signed SubscriptionConfirmation.
 * @throws Error if another try may succeed
 */
export async function confirmSubscription(
  deps: {
    db: Db;
    egress: Pick<Egress, 'request'>;
    log: Pick<Log, 'warn'>;
  },
  { workspaceId, endpointId, url }: JobPayloads['publishing-endpoints.confirm'],
  signal: AbortSignal,
): Promise<void> {
  const endpoint = await getEndpoint(deps.db, workspaceId, endpointId);
  if (!endpoint?.enabled || !isConfirmationUrl(url)) return;
  const { status } = await deps.egress.request({
    url,
    method: 'GET',
    headers: { 'user-agent': 'Fairlead' },
    timeoutMs: CONFIRM_MS,
    maxAnswerBytes: 4_096,
    statusDecides: true,
    signal,
  });
  if (status >= 200 && status < 300) return;
  if (status >= 500 || status === 429) throw new Error(`Amazon SNS responded with ${status}`);
  // An expired token, for one: SNS offers to send another.
  deps.log.warn(
    { endpoint: publicId('publishing_endpoint', endpointId), status },
    'publishing: could not confirm a subscription of Amazon SNS',
  );
}
