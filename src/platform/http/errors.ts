/**
 * The error catalogue: code → HTTP status, title, and what the caller can do. Problem answers, the responses in
 * OpenAPI and docs/errors.md are made from it. Codes are stable: add, never rename.
 */
import { AUTOMATION_ERRORS } from './automation-errors.ts';
import { type ErrorKind, kind } from './error-kind.ts';

export const ERRORS = {
  invalid_request: kind(
    400,
    'Invalid request',
    'The body, a parameter or a header does not have the documented shape. `errors` lists every fault with a JSON pointer.',
  ),
  invalid_json: kind(400, 'Invalid JSON', 'The body could not be read as JSON (UTF-8).'),
  invalid_cursor: kind(
    400,
    'Invalid cursor',
    'Use `next_cursor` of the answer before, unchanged, with the same filters.',
  ),
  idempotency_not_supported: kind(
    400,
    'Idempotency-Key not supported',
    'This operation is not stored, so it refuses the header rather than ignore it.',
  ),
  invalid_key: kind(
    401,
    'Invalid API key',
    'Send `Authorization: Bearer fl_…` with a key of this server. A mistyped key is refused by its checksum.',
  ),
  key_expired: kind(401, 'API key expired', 'The key is past its `expires_at`. Create or rotate a key.'),
  key_revoked: kind(401, 'API key revoked', 'The key was revoked, or its overlap after a rotation ended.'),
  not_signed_in: kind(401, 'Not signed in', 'There is no valid session. Sign in again, or send an API key.'),
  invalid_credentials: kind(
    401,
    'Wrong email or password',
    'Sign in again. `POST /api/auth/request-password-reset` sends a link to choose a new password.',
  ),
  insufficient_scope: kind(
    403,
    'Insufficient scope',
    'The key or role lacks the scope that `detail` names. Give the key that scope, or use another.',
  ),
  escalation: kind(
    403,
    'More than you have',
    'A key or role can be given only scopes, origins, addresses, an expiry and a rate that its maker has too.',
  ),
  owner_required: kind(
    403,
    'An owner must do this',
    'Only an owner deletes the workspace, makes an owner, and changes or removes one.',
  ),
  ip_not_allowed: kind(403, 'Address not allowed', "The caller's address is not in the key's `allowed_ips`."),
  origin_not_allowed: kind(
    403,
    'Origin not allowed',
    "The page's origin is not in the key's `allowed_origins`; or a cookie call came from another origin than the console.",
  ),
  session_required: kind(
    403,
    'A person must do this',
    'This operation needs a signed-in person; an API key cannot do it.',
  ),
  workspace_required: kind(
    403,
    'Workspace required',
    'With a session cookie, name the workspace in the header `Fairlead-Workspace: ws_…`; you must be a member of it.',
  ),
  link_password_required: kind(
    403,
    'The link needs a password',
    'Send it by POST to the same address, as the field `password` of a form; the cookie of the answer opens the link for ten minutes.',
  ),
  quota_exceeded: kind(
    403,
    'Quota exceeded',
    'A limit of the server is reached: see the settings `WORKSPACE_LIMITS` and `WORKSPACES_PER_USER`. `GET /usage` shows what a workspace holds.',
  ),
  user_disabled: kind(403, 'User disabled', 'The operator of the server disabled this user.'),
  setup_token_required: kind(
    403,
    'Setup token required',
    'The first user of a server that others can reach signs up with the `setup_token` that its log shows at start.',
  ),
  setup_token_invalid: kind(
    403,
    'Setup token not valid',
    'Take the setup token of the latest start from the log of the server.',
  ),
  invitation_required: kind(
    403,
    'Invitation required',
    'This server takes new users by invitation only (`SIGN_UP`). Ask a member of a workspace for one.',
  ),
  not_found: kind(
    404,
    'Not found',
    'There is no such object in this workspace, or no such address on this server.',
  ),
  method_not_allowed: kind(
    405,
    'Method not allowed',
    'The header `Allow` lists the methods of this address.',
  ),
  not_acceptable: kind(
    406,
    'Not acceptable',
    'Answers are `application/json`; send `Accept: application/json` or `*/*`.',
  ),
  request_timeout: kind(
    408,
    'Request timeout',
    'The request did not arrive whole within a minute; a file may take 15, as long as something of it comes each minute. Send it again.',
  ),
  conflict: kind(409, 'Conflict', 'The object is in a state that does not allow this. `detail` says which.'),
  idempotency_in_progress: kind(
    409,
    'Still running',
    'A request with this Idempotency-Key is still running. Wait as `Retry-After` says and send it again.',
  ),
  slug_taken: kind(409, 'Slug taken', 'Another object has this slug. `detail` offers a free one.'),
  last_owner: kind(
    409,
    'Last owner',
    'A workspace always keeps one owner. Make somebody else an owner first.',
  ),
  already_member: kind(409, 'Already a member', 'This person is a member of the workspace already.'),
  email_taken: kind(409, 'Email taken', 'There is a user with this email address. Sign in instead.'),
  sequence_expired: kind(
    410,
    'Sequence expired',
    'Events up to that sequence are not kept any more. Start again without `after_sequence`, and reload what you mirror.',
  ),
  invitation_invalid: kind(
    410,
    'Invitation not valid',
    'The invitation was used, revoked or has expired, or is for another email address. Ask for a new one.',
  ),
  reset_token_invalid: kind(
    410,
    'Reset link not valid',
    'The link was used or has expired. Ask for a new one: `POST /api/auth/request-password-reset`.',
  ),
  link_gone: kind(
    410,
    'Link ended',
    'The short link has expired, was used up, or was archived by its owner. Ask whoever gave it to you for another.',
  ),
  precondition_failed: kind(
    412,
    'Precondition failed',
    'The object has changed since you read it (`If-Match`): read it again. Or the operation compares no ETag: send it without `If-Match`.',
  ),
  media_url_expired: kind(
    410,
    'Address of the file expired',
    'The signed address of a file works for about an hour. `GET /media/{id}` gives a fresh one.',
  ),
  payload_too_large: kind(
    413,
    'Payload too large',
    'The body is larger than this operation takes. `detail` says how large it may be.',
  ),
  unsupported_media_type: kind(
    415,
    'Unsupported media type',
    'Send the body as `application/json` in UTF-8, or as another type that the operation is documented to take. `Accept-Encoding` of the answer lists the codings that it may have.',
  ),
  range_not_satisfiable: kind(
    416,
    'Range not satisfiable',
    '`Range` begins behind the end of the file. `Content-Range` says how many bytes it has.',
  ),
  misdirected_request: kind(
    421,
    'Misdirected request',
    'This server does not serve that host name. Use the one in BASE_URL.',
  ),
  unprocessable: kind(
    422,
    'Refused',
    'The request is well formed, but its values cannot be accepted. `errors` says which and why.',
  ),
  idempotency_mismatch: kind(
    422,
    'Idempotency-Key used for another request',
    'The same key came with another body. Use a new key for a new request.',
  ),
  confirmation_mismatch: kind(
    422,
    'Confirmation does not match',
    "Send the workspace's own slug to confirm its deletion.",
  ),
  address_not_allowed: kind(
    422,
    'Address not allowed',
    'The server does not connect to loopback, private and other special addresses. `detail` names the `EGRESS_ALLOW` line by which its operator can let one through.',
  ),
  invalid_address: kind(
    422,
    'Invalid address',
    'The channel of the instance has no such addresses. `detail` says why.',
  ),
  instance_disconnected: kind(
    422,
    'Instance disconnected',
    'Nothing is sent from an instance that was never connected, was disconnected by its user, or has failed. Connect it: `POST /instances/{id}/connect`.',
  ),
  unsupported_by_channel: kind(
    422,
    'Not supported by the channel',
    'The channel cannot do this; `detail` names the capability. `GET /channels` lists what each can do.',
  ),
  not_in_group: kind(
    422,
    'Not in the group',
    'The account of the instance is not in this group any more, or never was: `membership` says why. Whoever may must add it again, or `POST /groups/join` with an invitation.',
  ),
  contrast_too_low: kind(
    422,
    'Contrast too low',
    'Cameras could not tell the code from its background. Take a darker `color` or a lighter `background`: 3 to 1 by the formula of WCAG at the least. A code that is lighter than its background is refused too, as many readers find none in it.',
  ),
  code_too_dense: kind(
    422,
    'Code too dense',
    'The short address needs more modules than there are pixels, or than a QR code has. Ask for a larger `size`, a smaller `margin` or a lower `error_correction`.',
  ),
  event_expired: kind(
    422,
    'Event not kept',
    'The event is not kept any more (30 days), so that it cannot be sent again.',
  ),
  webhook_disabled: kind(
    422,
    'Webhook disabled',
    'A disabled webhook is sent nothing. Enable it: `PATCH /webhooks/{id}` with `enabled: true`.',
  ),
  range_too_long: kind(
    422,
    'More than one answer can sum up',
    'There is too much in the range, or single clicks of it are not kept any more. `detail` says what would do: a shorter range, longer intervals, fewer filters.',
  ),
  password_too_short: kind(422, 'Password too short', 'Choose a password of 8 characters or more.'),
  wrong_password: kind(
    422,
    'Wrong password',
    '`current_password` is not the password of the signed-in user.',
  ),
  mail_not_configured: kind(
    422,
    'No mail',
    'This server sends no mail (`SMTP_URL`). Its operator can set a password: `fairlead admin reset-password EMAIL`.',
  ),
  rate_limited: kind(
    429,
    'Too many requests',
    'Wait for the seconds in `Retry-After`. `RateLimit` shows what is left.',
  ),
  headers_too_large: kind(
    431,
    'Headers too large',
    'Request line and headers together may have 16 KiB. Send fewer or shorter ones.',
  ),
  internal_error: kind(
    500,
    'Internal error',
    'A fault of the server. Its log has the details under the `request_id`.',
  ),
  model_provider_error: kind(
    502,
    'Model provider error',
    'The model provider failed or answered something that could not be read.',
  ),
  unavailable: kind(
    503,
    'Temporarily unavailable',
    'The database or the store of files cannot be reached, another request keeps an object locked, or the server is stopping. Retry as `Retry-After` says.',
  ),
  read_only: kind(
    503,
    'Read only',
    'The database takes no writes: it is being moved to another server, or another server has its place. Reading still works; retry writes as `Retry-After` says.',
  ),
  storage_full: kind(
    507,
    'Storage full',
    'A disk of the server is nearly full, so it takes nothing new. Its operator has to make room; then the same call works. Reading goes on, and so do deleting, canceling, disabling and revoking, and short links.',
  ),
  ...AUTOMATION_ERRORS,
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;
