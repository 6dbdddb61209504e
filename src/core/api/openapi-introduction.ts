/** What holds for every operation, in Markdown: the beginning of the API reference. */
export const INTRODUCTION = `
One API over messaging channels, short links, automation and AI models. Every operation lives under \`/api/v1\` and
takes and answers JSON. What changes there only ever adds; whatever would break a caller becomes \`v2\`.

## Authentication

Send an API key with every call: \`Authorization: Bearer fl_…\`. A key belongs to one workspace and may do what its
scopes say; each operation names the scope that it needs. Make a key in the [console](/user/api), paste it at the top
of this page, and every example here runs as it is copied. \`GET /api/v1/me\` tells what a key is.

A scope to write brings no scope to read. Without the latter, the answer to a write still shows what the call created,
and any other object as \`{id, object}\`; \`Fairlead-Missing-Scope\` then names the scope.

A key that lists \`allowed_origins\` may be used from web pages of those origins, and from nowhere else.

## Objects and lists

Every object has \`id\` and \`object\`, its type. Ids begin with the type and sort by time. Times are RFC 3339 in UTC
with milliseconds. Absent values are \`null\`, never omitted. A field or query parameter that is not documented is
refused with the nearest name, so that a typo can't pass unseen.

A list answers \`{"object": "list", "data": […], "has_more": …, "next_cursor": …}\`, newest first unless it says
otherwise. Give \`next_cursor\` back as \`cursor\` for the further page: nothing is shown twice or skipped while others
write.

## Bodies

Send JSON in UTF-8. A body may have a \`Content-Encoding\` of \`gzip\`, \`br\` or \`deflate\`; limits hold for what it unpacks
to. Files (\`multipart/form-data\`, CSV) are sent without one. Answers of 2 KiB and more are compressed by \`br\` or \`gzip\` where
\`Accept-Encoding\` takes it; those that hold a secret, streams and files are not.

## Errors

Every error is a problem (RFC 9457) with a stable \`code\` to branch on, and \`errors\` with all field errors:
[all codes](/docs/errors). 400 means that the shape is wrong, 422 that the request is well formed but refused. An object
of another workspace is 404, as if it were not there. Name the \`request_id\` when you report a fault.

Below \`/models\`, \`/chat\`, \`/responses\` and \`/embeddings\` errors have OpenAI's \`error\` too, with its codes where it has one
(\`invalid_api_key\`, \`model_not_found\`, \`rate_limit_exceeded\`), and unknown query parameters pass.

## Safe retries

A POST that writes takes an \`Idempotency-Key\` of your own. The same key and body within 24 hours get the first answer
again, with \`Idempotency-Replayed: true\`; a secret is not in it. A single read answers an \`ETag\`: send it as \`If-Match\`
with a PATCH or DELETE to change only what you have seen, or as \`If-None-Match\` to get 304 if nothing changed.
\`If-Match\` compares what edits change, \`If-None-Match\` all that you see, counters included. Other writes compare no ETag; they
answer \`If-Match\` with 412.

## Rate limits

Each key has a limit of requests a minute and a burst; \`RateLimit-Policy\` and \`RateLimit\` show both. Above it the
answer is 429 with \`Retry-After\` in seconds.
`.trim();
