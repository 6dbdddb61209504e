/**
 * The error catalog: code → HTTP status, title, and what the caller can do. Problem responses, the responses in
 * OpenAPI and docs/errors.md are generated from it. Codes are stable: add, never rename.
 */
import { AUTOMATION_ERRORS } from './automation-errors.ts';
import { type ErrorKind, kind } from './error-kind.ts';

export const ERRORS = {
  invalid_request: kind(
    400,
    'Invalid request',
    'The body, a parameter or a header does not have the documented shape. `errors` lists every error with a JSON pointer.',
  ),
  invalid_json: kind(400, 'Invalid JSON', 'The body is not valid JSON in UTF-8.'),
  invalid_cursor: kind(
    400,
    'Invalid cursor',
    'Use `next_cursor` of the previous response, unchanged, with the same filters.',
  ),
  idempotency_not_supported: kind(
    400,
    'Idempotency-Key not supported',
    'This operation stores no result to return again. Send the request without the header.',
  ),
  invalid_key: kind(
    401,
    'Invalid API key',
    'Send `Authorization: Bearer fl_…` with a key of this server. Check the key for typos.',
  ),
  key_expired: kind(401, 'API key expired', 'The key is past its `expires_at`. Create or rotate a key.'),
  key_revoked: kind(401, 'API key revoked', 'The key was revoked, or its overlap after a rotation ended.'),
  not_signed_in: kind(401, 'Not signed in', 'There is no valid session. Sign in again, or send an API key.'),
  budget_exceeded: kind(
    402,
    'Budget exceeded',
    'The call could use more than a budget has left. `detail` names the budget, and `resets_at` is when its next window begins. Wait until then, raise its limit, or set a lower `max_tokens`.',
  ),
  invalid_credentials: kind(
    401,
    'Wrong email or password',
    'Sign in again. `POST /api/auth/request-password-reset` sends a link to choose a new password.',
  ),
  insufficient_scope: kind(
    403,
    'Insufficient scope',
    'Your key or role lacks the scope in `detail`. Add the scope to the key, or use another key.',
  ),
  escalation: kind(
    403,
    'Exceeds your permissions',
    'You can only grant scopes that you have. Origins, IP addresses, expiration and rate limit must be at least as strict as yours.',
  ),
  owner_required: kind(
    403,
    'Owner required',
    'Only an owner can delete the workspace, or create, change or remove an owner.',
  ),
  ip_not_allowed: kind(403, 'IP address not allowed', "Your IP address is not in the key's `allowed_ips`."),
  origin_not_allowed: kind(
    403,
    'Origin not allowed',
    "The page's origin is not in the key's `allowed_origins`, or a request with a session cookie did not come from the console.",
  ),
  session_required: kind(
    403,
    'User session required',
    'You cannot use an API key for this operation. Sign in to the console.',
  ),
  workspace_required: kind(
    403,
    'Workspace required',
    'With a session cookie, set the header `Fairlead-Workspace: ws_…` to a workspace that you are a member of.',
  ),
  link_password_required: kind(
    403,
    'Password required',
    'Send the password as the form field `password` with POST to the same URL. The cookie in the response opens the link for ten minutes.',
  ),
  model_not_allowed: kind(
    403,
    'Model not allowed',
    "The model is not in the key's `allowed_models`. `GET /models` lists the models that the key can call.",
  ),
  quota_exceeded: kind(
    403,
    'Quota exceeded',
    'You have reached a limit of the server (`WORKSPACE_LIMITS` or `WORKSPACES_PER_USER`). `GET /usage` shows the current numbers.',
  ),
  user_disabled: kind(403, 'User disabled', 'The server operator disabled this user.'),
  setup_token_required: kind(
    403,
    'Setup token required',
    'The first user of a publicly reachable server needs the `setup_token`. The server logs it at startup.',
  ),
  setup_token_invalid: kind(
    403,
    'Invalid setup token',
    'Use the setup token that the server logged at its last startup.',
  ),
  invitation_required: kind(
    403,
    'Invitation required',
    'This server requires an invitation to sign up (`SIGN_UP`). Ask a workspace member for one.',
  ),
  not_found: kind(
    404,
    'Not found',
    'The object does not exist in this workspace, or the path does not exist on this server.',
  ),
  method_not_allowed: kind(405, 'Method not allowed', 'The `Allow` header lists the supported methods.'),
  not_acceptable: kind(
    406,
    'Not acceptable',
    'Responses are `application/json`. Send `Accept: application/json` or `*/*`.',
  ),
  request_timeout: kind(
    408,
    'Request timeout',
    'The complete request did not arrive within a minute. A file upload can take 15 minutes if data arrives every minute. Send the request again.',
  ),
  conflict: kind(409, 'Conflict', 'The state of the object does not allow this operation. See `detail`.'),
  idempotency_in_progress: kind(
    409,
    'Request in progress',
    'A request with this Idempotency-Key is still in progress. Retry after the seconds in `Retry-After`.',
  ),
  slug_taken: kind(
    409,
    'Slug taken',
    'Another object has this slug. `suggestion` of the field error is a free one.',
  ),
  last_owner: kind(
    409,
    'Last owner',
    'A workspace needs at least one owner. Make another member an owner first.',
  ),
  already_member: kind(409, 'Already a member', 'This person is already a member of the workspace.'),
  email_taken: kind(409, 'Email taken', 'A user with this email address already exists. Sign in instead.'),
  sequence_expired: kind(
    410,
    'Sequence expired',
    'Events up to this sequence were deleted. Start again without `after_sequence`, and reload the data that you mirror.',
  ),
  invitation_invalid: kind(
    410,
    'Invalid invitation',
    'The invitation was used or revoked, has expired, or is for another email address. Ask for a new one.',
  ),
  reset_token_invalid: kind(
    410,
    'Invalid reset link',
    'The link was used or has expired. Request a new one with `POST /api/auth/request-password-reset`.',
  ),
  link_gone: kind(
    410,
    'Link unavailable',
    'The short link has expired, has reached its click limit, or was archived.',
  ),
  precondition_failed: kind(
    412,
    'Precondition failed',
    'The object has changed since you read it (`If-Match`). Read it again. If the operation does not support ETags, send the request without `If-Match`.',
  ),
  media_url_expired: kind(
    410,
    'Media URL expired',
    'The signed URL of a file works for about an hour. Get a new one with `GET /media/{id}`.',
  ),
  payload_too_large: kind(
    413,
    'Payload too large',
    'The body is too large for this operation. `detail` shows the maximum size.',
  ),
  unsupported_media_type: kind(
    415,
    'Unsupported media type',
    'Send the body as `application/json` in UTF-8, or as another type that the operation supports. `Accept-Encoding` in the response lists the supported encodings.',
  ),
  range_not_satisfiable: kind(
    416,
    'Range not satisfiable',
    '`Range` begins after the end of the file. `Content-Range` shows the size of the file.',
  ),
  misdirected_request: kind(
    421,
    'Misdirected request',
    'This server does not serve that host name. Use the host of `BASE_URL`.',
  ),
  unprocessable: kind(
    422,
    'Unprocessable request',
    'The request has the right shape, but some values are not allowed. `errors` lists them with the reason.',
  ),
  idempotency_mismatch: kind(
    422,
    'Idempotency-Key already used',
    'This Idempotency-Key was used with another body. Use a new key for each request.',
  ),
  no_thumbnail: kind(
    422,
    'No thumbnail',
    'The file is not a PNG, JPEG, GIF or WebP image, is damaged, is larger than 16 MiB, or has too many pixels: 50 million, or 25 million if it is a WebP, GIF, interlaced PNG or progressive JPEG.',
  ),
  confirmation_mismatch: kind(
    422,
    'Confirmation does not match',
    "Send the workspace's slug to confirm the deletion.",
  ),
  address_not_allowed: kind(
    422,
    'Address not allowed',
    'The server does not connect to loopback, private and other special addresses. The operator can allow the address with the `EGRESS_ALLOW` entry in `detail`.',
  ),
  invalid_address: kind(
    422,
    'Invalid address',
    'The address is not valid on the channel of the instance. See `detail`.',
  ),
  instance_disconnected: kind(
    422,
    'Instance disconnected',
    'The instance was never connected, was disconnected, or has failed. Connect it with `POST /instances/{id}/connect`.',
  ),
  unsupported_by_channel: kind(
    422,
    'Not supported by the channel',
    'The channel does not support the capability in `detail`. `GET /channels` lists the capabilities of each channel.',
  ),
  window_closed: kind(
    422,
    'Reply window closed',
    'The channel accepts only templates, because the last message from the other side is too long ago. `window_closed_at` is when the window closed; null if there was no message yet. Send a `template` message, or wait for a message.',
  ),
  unsupported_by_provider: kind(
    422,
    'Not supported by the model provider',
    'The provider of this model does not support the operation in `detail`. Use another model.',
  ),
  not_in_group: kind(
    422,
    'Not in the group',
    'The instance is not a member of this group. `membership` shows why. Ask a group admin to add it, or use an invitation with `POST /groups/join`.',
  ),
  contrast_too_low: kind(
    422,
    'Contrast too low',
    'Cameras could not scan this QR code. Use a darker `color` or a lighter `background`, with a WCAG contrast of at least 3:1. The code must be darker than its background, because many scanners cannot read light codes.',
  ),
  code_too_dense: kind(
    422,
    'Code too dense',
    'The short URL needs more modules than the image has pixels, or than a QR code can have. Use a larger `size`, a smaller `margin` or a lower `error_correction`.',
  ),
  event_expired: kind(
    422,
    'Event expired',
    'The event is older than 30 days and was deleted, so it cannot be sent again.',
  ),
  webhook_disabled: kind(
    422,
    'Webhook disabled',
    'Events are not sent to a disabled webhook. Enable it with `PATCH /webhooks/{id}` and `enabled: true`.',
  ),
  price_unknown: kind(
    422,
    'Price unknown',
    "A budget in US dollars applies to the call, but the model's price is not known. Set it in `prices` of the model provider, or use a budget of tokens or calls.",
  ),
  range_too_long: kind(
    422,
    'Range too long',
    'The range contains too much data, or its single clicks were deleted. Use a shorter range, longer intervals or fewer filters, as described in `detail`.',
  ),
  password_too_short: kind(422, 'Password too short', 'Choose a password with at least 8 characters.'),
  password_too_weak: kind(
    422,
    'Password too easy to guess',
    'Choose a password that is not common, and is not your name or email address.',
  ),
  wrong_password: kind(
    422,
    'Wrong password',
    '`current_password` is not the password of the signed-in user.',
  ),
  mail_not_configured: kind(
    422,
    'Email not configured',
    'This server cannot send email (`SMTP_URL`). The operator can set a password with `fairlead admin reset-password EMAIL`.',
  ),
  rate_limited: kind(
    429,
    'Too many requests',
    'Retry after the seconds in `Retry-After`. `RateLimit` shows the remaining requests.',
  ),
  headers_too_large: kind(
    431,
    'Headers too large',
    'The request line and headers together can have up to 16 KiB. Send fewer or shorter headers.',
  ),
  internal_error: kind(
    500,
    'Internal error',
    'An error on the server. The server log has the details under the `request_id`.',
  ),
  model_provider_error: kind(
    502,
    'Model provider error',
    'The model provider failed or returned an invalid response.',
  ),
  unavailable: kind(
    503,
    'Temporarily unavailable',
    'The database or file storage is unreachable, another request is holding a lock, or the server is stopping. Retry after the seconds in `Retry-After`.',
  ),
  read_only: kind(
    503,
    'Read only',
    'The database is read-only, because it is being moved to another server or was replaced by one. Reads still work. Retry writes after the seconds in `Retry-After`.',
  ),
  model_provider_timeout: kind(
    504,
    'Model provider timeout',
    'The model provider did not respond in time. Try again, or raise `timeout_seconds` of the provider.',
  ),
  storage_full: kind(
    507,
    'Storage full',
    'A disk of the server is nearly full. Retry after the operator has freed space. You can still read, delete, cancel, disable and revoke, and short links keep working.',
  ),
  ...AUTOMATION_ERRORS,
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;
