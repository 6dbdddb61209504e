/**
 * Requests that a channel sends to `POST /channels/{token}`. Any node receives them: the driver verifies and splits the
 * request without a connection, the parts are stored, and only then is it answered. The node that holds the connection
 * gives the stored parts to `Connection.receive`, in order, again after a crash.
 */
import type { Json } from './json.ts';

export interface IngressRequest {
  readonly method: 'GET' | 'POST';
  /** The public URL that was called, with its query: some channels sign it. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as received: signatures are computed over them. */
  readonly body: Buffer;
  readonly at: Date;
}

export interface IngressAccount {
  readonly settings: Json;
  readonly credentials: Json;
}

/** One entry of a request. */
export interface IngressPart {
  /**
   * The account that it belongs to, as `shared.accountKey` returns it, where several accounts share a URL; null for the account
   * that the URL belongs to.
   */
  readonly accountKey: string | null;
  /** The same for a repeated delivery of the same entry: it is stored once. At most 200 characters. */
  readonly id: string;
  readonly body: Json;
}

export interface IngressAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * - `accepted`: the parts are stored for their accounts, then `answer` is sent (200 without a body by default).
 * - `answered`: a handshake; nothing is stored.
 * - `refused`: nothing is stored; the caller gets 401 or 400.
 */
export type IngressOutcome =
  | { readonly kind: 'accepted'; readonly parts: readonly IngressPart[]; readonly answer?: IngressAnswer }
  | { readonly kind: 'answered'; readonly answer: IngressAnswer }
  | {
      readonly kind: 'refused';
      readonly code: 'signature_invalid' | 'signature_expired' | 'invalid_request';
      /** For people; never a credential. */
      readonly detail: string;
      /** Errors by field, where the sender is a program of the user: `pointer` is a JSON pointer into the body. */
      readonly errors?: { pointer: string; code: string; detail: string }[];
    };

/** How a driver reads requests. Synchronous, without a network request. */
export interface ChannelIngress {
  /** Maximum size of a request in bytes. */
  readonly maxBytes: number;
  /**
   * For channels that call one URL for several accounts. Siblings are instances of the same workspace and channel. A request
   * is verified and parsed once, for the account of its URL, and reaches those siblings whose sender has the same secret.
   */
  readonly shared?: {
    /** The name under which parts refer to an account. */
    accountKey(settings: Json): string;
    /** The secret with which the sender signs: whoever has it may send for this account. */
    senderSecret(credentials: Json): string;
  };
  /** Verifies the request first, then splits it. */
  receive(request: IngressRequest, account: IngressAccount): IngressOutcome;
}
