/** The one form that short links take: a password. */
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 8 * 1024;

/**
 * Reads the field `password`; '' where there is none, or the body is of another kind.
 * @returns null where the body is too large: the rest is thrown away, and the connection must be closed
 * @throws Error where it ends early
 */
export function readPassword(request: IncomingMessage): Promise<string | null> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
      else resolve(null);
    });
    request.on('end', () => {
      const form = type === 'application/x-www-form-urlencoded' ? Buffer.concat(chunks).toString('utf8') : '';
      resolve(new URLSearchParams(form).get('password') ?? '');
    });
    request.on('error', reject);
    request.on('close', () => reject(new Error('the form ended early')));
  });
}
