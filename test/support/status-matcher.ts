/** `expect(response).toHaveStatus(201)`: a failure shows the response's problem and the last lines of the server's log. */
import { expect } from 'vitest';

interface WithStatus {
  status: number;
  body?: unknown;
  text?: unknown;
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Asserts the status of a response. */
    toHaveStatus(status: number): R;
  }
}

const MAX_LINES = 10;
const MAX_SHOWN = 4_000;
const lines: string[] = [];

/** Keeps a line of a server's log, to be shown beside the next failure. */
export function noteLogLine(line: string): void {
  lines.push(line.trimEnd());
  if (lines.length > MAX_LINES) lines.shift();
}

/** A body that is read already; streams are left unread. */
const describeBody = ({ body, text }: WithStatus): string => {
  if (typeof text === 'string') return text;
  return body === undefined || body instanceof ReadableStream ? '' : (JSON.stringify(body) ?? '');
};

expect.extend({
  toHaveStatus(received: WithStatus, status: number) {
    return {
      pass: received.status === status,
      actual: received.status,
      expected: status,
      message: () =>
        [
          `expected status ${this.isNot ? `other than ${status}` : status}, received ${received.status}`,
          describeBody(received).slice(0, MAX_SHOWN),
          ...(lines.length ? ['Last lines of the log:', ...lines] : []),
        ]
          .filter(Boolean)
          .join('\n'),
    };
  },
});
