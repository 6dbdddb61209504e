/**
 * Errors of requests to hosts that a user named. Messages may be shown to that user: they contain no secret, no URL,
 * and no address that the user did not enter, so that internal addresses are not revealed.
 */
export type EgressCode =
  | 'address_not_allowed'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'unreachable'
  | 'tls_failed'
  | 'timeout'
  | 'aborted'
  | 'invalid_answer'
  | 'invalid_url'
  | 'invalid_request'
  | 'failed';

export class EgressError extends Error {
  override name = 'EgressError';
  readonly code: EgressCode;
  /** One line, fit to be shown. */
  readonly detail: string;
  /** The peer, where there was a connection. */
  readonly remoteAddress: string | null;

  constructor(code: EgressCode, detail: string, remoteAddress: string | null = null, cause?: unknown) {
    super(detail, { cause });
    this.code = code;
    this.detail = detail;
    this.remoteAddress = remoteAddress;
  }
}

const BY_CODE: Record<string, [EgressCode, string]> = {
  ECONNREFUSED: ['connection_refused', 'The connection was refused.'],
  ECONNRESET: [
    'connection_reset',
    'The remote server closed the connection before its response was complete.',
  ],
  EPIPE: ['connection_reset', 'The remote server closed the connection before its response was complete.'],
  ECONNABORTED: ['connection_reset', 'The connection was broken off.'],
  UND_ERR_SOCKET: [
    'connection_reset',
    'The remote server closed the connection before its response was complete.',
  ],
  ETIMEDOUT: ['timeout', 'The remote server did not respond in time.'],
  EHOSTUNREACH: ['unreachable', 'There is no way to the host.'],
  ENETUNREACH: ['unreachable', 'There is no way to the network of the host.'],
  EADDRNOTAVAIL: ['unreachable', 'There is no way to the host.'],
  EAFNOSUPPORT: ['unreachable', 'This server has no address of that kind.'],
  EMFILE: ['failed', 'This server has too many connections open.'],
  ENFILE: ['failed', 'This server has too many connections open.'],
  UND_ERR_HEADERS_OVERFLOW: ['invalid_answer', 'The headers of the answer are too large.'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'invalid_answer',
    'The answer is not as long as its Content-Length says.',
  ],
  UND_ERR_INVALID_ARG: ['invalid_request', 'The request has a method or a header that HTTP does not allow.'],
  UND_ERR_NOT_SUPPORTED: ['invalid_request', 'The request has a header that cannot be sent.'],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: [
    'invalid_request',
    'The body is not as long as its Content-Length says.',
  ],
  UND_ERR_ABORTED: ['aborted', 'The call was aborted.'],
  UND_ERR_DESTROYED: ['aborted', 'The server is stopping.'],
  UND_ERR_CLOSED: ['aborted', 'The server is stopping.'],
};

/** Reasons of OpenSSL and Node that a user can act on; others get a general word. */
const TLS_REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain ends in one that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'it does not send the intermediate certificate, or its issuer is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_REVOKED: 'its certificate was revoked',
};

/** Converts the error of a failed TLS handshake. */
export function tlsError(error: unknown, remoteAddress: string | null): EgressError {
  if (error instanceof EgressError) return error;
  const { code = '' } = error as { code?: string };
  const reason =
    TLS_REASONS[code] ??
    (BY_CODE[code] ? 'the connection closed during the handshake' : 'the handshake failed');
  const name = /^[A-Z\d_]{1,60}$/.test(code) ? ` (${code})` : '';
  return new EgressError('tls_failed', `No secure connection: ${reason}${name}.`, remoteAddress, error);
}

/** Converts any error of sockets and undici to an EgressError. */
export function toEgressError(error: unknown, remoteAddress: string | null = null): EgressError {
  if (error instanceof EgressError) return error;
  const { code = '', name } = error as { code?: string; name?: string };
  const known = BY_CODE[code];
  if (known) return new EgressError(known[0], known[1], remoteAddress, error);
  if (name === 'HTTPParserError')
    return new EgressError('invalid_answer', 'The response is not HTTP.', remoteAddress, error);
  return new EgressError('failed', 'The request failed.', remoteAddress, error);
}
