/** Reads the password form, the only form of short links. */
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 8 * 1024;

/**
 * Reads the field `password`; '' if it is missing or the body has another content type.
 * @returns null if the body is too large. The rest is discarded, and the connection must be closed.
 * @throws Error if the body is incomplete
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
    request.on('close', () => reject(new Error('form body is incomplete')));
  });
}
