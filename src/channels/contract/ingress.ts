/**
 * Requests that a channel sends to `POST /channels/{token}`. Any node can receive them: the driver verifies and splits
 * the request without a connection, the parts are stored, and then the response is sent. The node that holds the
 * connection passes the stored parts to `Connection.receive` in order, and again after a crash.
 */
import type { Json } from './json.ts';

export interface IngressRequest {
  readonly method: 'GET' | 'POST';
  /** The public URL of the request, including its query, because some channels sign it. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Names are lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as received, because signatures are computed over them. */
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
   * The account that the entry belongs to, as returned by `shared.accountKey`, if several accounts share a URL; null
   * for the account of the URL.
   */
  readonly accountKey: string | null;
  /** The same whenever the entry is delivered again, so that it is stored once. At most 200 characters. */
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
 * - `answered`: a handshake. `answer` is sent and nothing is stored.
 * - `refused`: nothing is stored. The caller gets a 401 or 400.
 */
export type IngressOutcome =
  | { readonly kind: 'accepted'; readonly parts: readonly IngressPart[]; readonly answer?: IngressAnswer }
  | { readonly kind: 'answered'; readonly answer: IngressAnswer }
  | {
      readonly kind: 'refused';
      readonly code: 'signature_invalid' | 'signature_expired' | 'invalid_request';
      /** Shown to users; never contains a credential. */
      readonly detail: string;
      /**
       * Field errors, for channels whose sender is the user's own program. `pointer` is a JSON pointer into the body.
       */
      readonly errors?: { pointer: string; code: string; detail: string }[];
    };

/** Reads requests for a driver. Synchronous and without network requests. */
export interface ChannelIngress {
  /** Maximum size of a request in bytes. */
  readonly maxBytes: number;
  /**
   * For channels that call one URL for several accounts. A request is verified and parsed once, for the account of its
   * URL. Parts for other instances of the same workspace and channel are accepted if `senderSecret` is the same.
   */
  readonly shared?: {
    /** Returns the key by which parts refer to an account. */
    accountKey(settings: Json): string;
    /** Returns the secret that requests for this account are signed with. */
    senderSecret(credentials: Json): string;
  };
  /** Verifies the request, then splits it into parts. */
  receive(request: IngressRequest, account: IngressAccount): IngressOutcome;
}
