/** The introduction of the API reference, in Markdown. */
export const INTRODUCTION = `
One API over messaging channels, short links, automation and AI models. All operations are under \`/api/v1\`, and
accept and return JSON. Changes within \`v1\` are backward compatible; breaking changes are released as \`v2\`.

## Authentication

Send an API key with every request: \`Authorization: Bearer fl_…\`. A key belongs to one workspace and is limited to its
scopes; each operation lists the scope that it requires. Create a key in the [console](/user/api) and paste it at the
top of this page to fill in every example. \`GET /api/v1/me\` returns the key's workspace and scopes.

A write scope does not include the read scope. Without the read scope, the response to a write contains the object that
the request created, and any other object as \`{id, object}\`. The header \`Fairlead-Missing-Scope\` then names the
missing scope.

A key with \`allowed_origins\` can be used only from web pages of those origins.

## Objects and lists

Every object has an \`id\`, and an \`object\` field with its type. IDs start with a prefix for the type and sort by
time. Times are RFC 3339 timestamps in UTC with milliseconds. Empty values are \`null\`; fields are never omitted. A
request with an undocumented field or query parameter is rejected, and the error suggests the nearest name.

A list returns \`{"object": "list", "data": […], "has_more": …, "next_cursor": …}\`, newest first unless documented
otherwise. Pass \`next_cursor\` as \`cursor\` to get the next page. Concurrent writes don't cause repeated or skipped
items.

## Bodies

Send JSON in UTF-8. You can compress a request body with \`gzip\`, \`br\` or \`deflate\` and set \`Content-Encoding\`;
size limits apply to the decompressed body. Send files (\`multipart/form-data\`, CSV) uncompressed. Responses of 2 KiB
or more are compressed with \`br\` or \`gzip\` according to \`Accept-Encoding\`, except streams, files and responses
that contain a secret.

An operation with several content types shows the one that generated clients use. The others are in its description, and
in the document under \`x-other-content\`.

## Errors

Every error is a problem document (RFC 9457) with a stable \`code\`. \`errors\` lists all invalid fields. See
[all error codes](/docs/errors). Status 400 means that the request is malformed, 422 that it is well formed but can't be
processed. An object of another workspace returns 404. Include the \`request_id\` when you report a problem.

Errors of \`/models\`, \`/chat\`, \`/responses\` and \`/embeddings\` also contain OpenAI's \`error\` object, with
OpenAI's code if there is one (\`invalid_api_key\`, \`model_not_found\`, \`rate_limit_exceeded\`). These operations
ignore unknown query parameters.

## Safe retries

Send an \`Idempotency-Key\` with a POST request to retry it safely. A request with the same key and body within 24 hours
returns the first response, with \`Idempotency-Replayed: true\` and without secrets.

The response for a single object has an \`ETag\`. Send it as \`If-Match\` with a PATCH or DELETE request to change the
object only if it was not edited since, or as \`If-None-Match\` with a GET request to get 304 if nothing changed.
\`If-Match\` ignores counters; \`If-None-Match\` includes them. \`If-Match\` never matches a weak ETag (\`W/"…"\`): if
a proxy that compresses makes it weak, send it without \`W/\`. Other write operations don't support ETags and respond to
\`If-Match\` with 412.

## Rate limits

Each key has a limit of requests per minute and a burst size. The headers \`RateLimit-Policy\` and \`RateLimit\` show
both. A request over the limit returns 429 with \`Retry-After\` in seconds.
`.trim();
