/**
 * The table of handshakes: requests by which platforms check that a URL accepts their webhooks. They publish nothing.
 *
 * A handshake that the platform does not sign can come from anyone. It therefore returns only what its sender knows
 * already, as plain text. The exception is X, which requires a signature of its challenge: the challenge must consist
 * of characters of which no body consists that X sends, and `isChallenge` rejects such bodies. Zoom signs its
 * handshake, so that nobody else receives a signature of a text of their choice.
 *
 * - Azure Event Grid: https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-schema
 * - CloudEvents: https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md
 * - Dropbox: https://www.dropbox.com/developers/reference/webhooks
 * - Meta: https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 * - Microsoft Graph: https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 * - Slack: https://docs.slack.dev/reference/events/url_verification
 * - Trello: https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks
 * - WooCommerce: https://developer.woocommerce.com/docs/best-practices/urls-and-routing/webhooks
 * - X: https://docs.x.com/x-api/webhooks/quickstart
 * - Zoom: https://developers.zoom.us/docs/api/webhooks
 */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { invalid, type Problem } from '../../../../platform/http/problem.ts';
import { tryParseForeignJson } from '../../../../platform/json/foreign-json.ts';
import type { ReceivingEndpoint } from '../endpoint.store.ts';

type Auth = ReceivingEndpoint['auth'];

/** Status is always 200. */
export interface HandshakeAnswer {
  type: 'text/plain; charset=utf-8' | 'application/json; charset=utf-8';
  body: string;
  headers?: Record<string, string>;
}

export interface HandshakeRequest {
  method: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** As in the URL. */
  token: string;
  body: Buffer;
  /** The parsed body of a verified request; undefined before verification. */
  payload: unknown;
  /** Returns the current secret of the endpoint. */
  getSecret: () => string;
}

interface Handshake {
  platform: string;
  methods: readonly string[];
  /** The query parameter that identifies it, or null. */
  parameter: string | null;
  /** The header that identifies it, in lower case. */
  header?: string;
  /** Whether it is answered only after its signature is verified. */
  isSigned: boolean;
  /** Whether the platform can send to an endpoint with this authentication. */
  fits: (auth: Auth) => boolean;
  /**
   * @returns null if the request is not a handshake
   * @throws Problem invalid_request if the handshake cannot be answered
   */
  answer: (request: HandshakeRequest, auth: Auth) => HandshakeAnswer | null;
}

const MAX_LENGTH = 1_000;
/** Printable ASCII without the characters that have a meaning in HTML. */
const ECHOED = /^(?!.*[<>&"'`])[\x20-\x7e]+$/;
/** Of a challenge that is signed. Neither JSON objects nor forms with two fields consist of these characters. */
const SIGNED = /^[\w+/=.~-]+$/;
/** Of a sender of CloudEvents: a name, perhaps with a port, or any. */
const ORIGIN = /^[\w.:*-]+$/;
const ORIGIN_HEADER = 'webhook-request-origin';
const X_HEADER = 'x-twitter-webhooks-signature';

const fault = (name: string, detail: string): Problem =>
  invalid([{ pointer: '', code: 'invalid_challenge', detail: `${name} ${detail}` }]);

const plain = (body: string): HandshakeAnswer => ({ type: 'text/plain; charset=utf-8', body });
const json = (body: object): HandshakeAnswer => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

/** @throws Problem invalid_request unless it can be returned to the sender */
function toEchoed(name: string, value: unknown, form = ECHOED): string {
  if (typeof value === 'string' && value.length <= MAX_LENGTH && form.test(value)) return value;
  throw fault(name, `must be printable ASCII without HTML, at most ${MAX_LENGTH} characters`);
}

/** @throws Problem invalid_request if it is repeated or cannot be returned */
function fromQuery({ query }: HandshakeRequest, name: string, form?: RegExp): string {
  const values = query.getAll(name);
  if (values.length > 1) throw fault(name, 'must not be repeated');
  return toEchoed(name, values[0], form);
}

const getMember = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const isSecretUrl = (auth: Auth): boolean => auth.type === 'secret_url';

const getHeader = (auth: Auth): string | undefined =>
  auth.type === 'signature' ? auth.hmac?.header.toLowerCase() : undefined;

const signsWith =
  (header: string) =>
  (auth: Auth): boolean =>
    getHeader(auth) === header;

const sha256 = (request: HandshakeRequest, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', request.getSecret()).update(text).digest(encoding);

const WEBHOOK_ID = /^webhook_id=\d{1,20}$/;

export const HANDSHAKES: readonly Handshake[] = [
  {
    platform: 'Azure Event Grid',
    methods: ['POST'],
    parameter: null,
    header: 'aeg-event-type',
    isSigned: false,
    fits: isSecretUrl,
    answer({ headers, body }) {
      if (headers['aeg-event-type'] !== 'SubscriptionValidation') return null;
      const events = tryParseForeignJson(body);
      const [event] = Array.isArray(events) ? (events as unknown[]) : [];
      const code = getMember(getMember(event, 'data'), 'validationCode');
      return json({ validationResponse: toEchoed('validationCode', code) });
    },
  },
  {
    platform: 'CloudEvents',
    methods: ['OPTIONS'],
    parameter: null,
    header: ORIGIN_HEADER,
    isSigned: false,
    fits: () => true,
    answer({ headers }) {
      const origin = toEchoed('WebHook-Request-Origin', headers[ORIGIN_HEADER], ORIGIN);
      // Every origin may send as often as the endpoint's limits allow, which answer 429.
      return {
        ...plain(''),
        headers: { allow: 'POST', 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' },
      };
    },
  },
  {
    platform: 'Dropbox',
    methods: ['GET'],
    parameter: 'challenge',
    isSigned: false,
    fits: (auth) => isSecretUrl(auth) || signsWith('x-dropbox-signature')(auth),
    answer: (request) => plain(fromQuery(request, 'challenge')),
  },
  {
    platform: 'Meta',
    methods: ['GET'],
    parameter: 'hub.challenge',
    isSigned: false,
    fits: () => true,
    answer(request) {
      if (fromQuery(request, 'hub.mode') !== 'subscribe') throw fault('hub.mode', 'must be subscribe');
      // No timing to hide: the sender already has the URL.
      if (fromQuery(request, 'hub.verify_token') !== request.token)
        throw fault('hub.verify_token', 'must be the last part of the path of this URL');
      return plain(fromQuery(request, 'hub.challenge'));
    },
  },
  {
    platform: 'Microsoft Graph',
    methods: ['GET', 'POST'],
    parameter: 'validationToken',
    isSigned: false,
    fits: isSecretUrl,
    answer: (request) => plain(fromQuery(request, 'validationToken')),
  },
  {
    platform: 'Slack',
    methods: ['POST'],
    parameter: null,
    isSigned: true,
    fits: (auth) => auth.type === 'signature' && auth.scheme === 'slack',
    answer: ({ payload }) =>
      getMember(payload, 'type') === 'url_verification'
        ? json({ challenge: toEchoed('challenge', getMember(payload, 'challenge')) })
        : null,
  },
  {
    platform: 'Trello',
    methods: ['HEAD'],
    parameter: null,
    isSigned: false,
    fits: () => true,
    answer: () => plain(''),
  },
  {
    platform: 'WooCommerce',
    methods: ['POST'],
    parameter: null,
    isSigned: false,
    fits: (auth) => isSecretUrl(auth) || getHeader(auth) !== undefined,
    answer({ headers, body }, auth) {
      const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      const isProven = headers[getHeader(auth) ?? ''] !== undefined;
      return isForm && !isProven && body.length < 40 && WEBHOOK_ID.test(body.toString('latin1'))
        ? plain('')
        : null;
    },
  },
  {
    platform: 'X',
    methods: ['GET'],
    parameter: 'crc_token',
    isSigned: false,
    fits: signsWith(X_HEADER),
    answer: (request) =>
      json({
        response_token: `sha256=${sha256(request, fromQuery(request, 'crc_token', SIGNED), 'base64')}`,
      }),
  },
  {
    platform: 'Zoom',
    methods: ['POST'],
    parameter: null,
    isSigned: true,
    fits: signsWith('x-zm-signature'),
    answer(request) {
      const { payload } = request;
      if (getMember(payload, 'event') !== 'endpoint.url_validation') return null;
      const plainToken = toEchoed('plainToken', getMember(getMember(payload, 'payload'), 'plainToken'));
      return json({ plainToken, encryptedToken: sha256(request, plainToken, 'hex') });
    },
  },
];

type Seen = Pick<HandshakeRequest, 'method' | 'query' | 'headers'>;

const asks = ({ methods, parameter, header }: Handshake, { method, query, headers }: Seen): boolean =>
  methods.includes(method) &&
  (parameter === null || query.has(parameter)) &&
  (header === undefined || headers[header] !== undefined);

/** Returns whether a request can be a handshake, before its endpoint is known. */
export const isCandidate = (seen: Seen): boolean => HANDSHAKES.some((handshake) => asks(handshake, seen));

/**
 * Answers a handshake.
 * @returns null if the request is not a handshake with this endpoint
 * @throws Problem invalid_request if it is one, but cannot be answered
 */
export function answerHandshake(
  auth: Auth,
  isSigned: boolean,
  request: HandshakeRequest,
): HandshakeAnswer | null {
  for (const handshake of HANDSHAKES)
    if (handshake.isSigned === isSigned && handshake.fits(auth) && asks(handshake, request)) {
      const answer = handshake.answer(request, auth);
      if (answer) return answer;
    }
  return null;
}

/** Returns whether a body could be a challenge that this endpoint signs for anyone, so that its signature proves nothing. */
export const isChallenge = (auth: Auth, body: Buffer): boolean =>
  signsWith(X_HEADER)(auth) && body.length <= MAX_LENGTH && SIGNED.test(body.toString('latin1'));
