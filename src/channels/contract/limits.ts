/**
 * Checks a message against the limits of the capabilities, in the driver. The API makes the same checks earlier, so
 * messages from the API never fail here.
 */
import type { Capabilities } from './capabilities.ts';
import { type OutboundMessage } from './connection.ts';
import { DriverError } from './driver-error.ts';

const matches = (pattern: string, mimeType: string): boolean =>
  pattern.endsWith('/*') ? mimeType.startsWith(pattern.slice(0, -1)) : pattern === mimeType;

/** @throws DriverError rejected: unsupported_type, text_too_long, too_large, unsupported_media_type */
export function assertWithinLimits(
  { types }: Capabilities,
  { type, content: { text, file } }: Pick<OutboundMessage, 'type' | 'content'>,
): void {
  const refuse = (code: string, detail: string): never => {
    throw new DriverError('rejected', code, detail);
  };
  const limit = types[type];
  if (!limit) return refuse('unsupported_type', `This channel does not support messages of type ${type}.`);
  if (text !== null && Array.from(text).length > (limit.text ?? 0))
    refuse(
      'text_too_long',
      `The text of a message of type ${type} must have at most ${limit.text ?? 0} characters.`,
    );
  if (file === null) return;
  if (limit.bytes !== undefined && file.size > limit.bytes)
    refuse('too_large', `A file of type ${type} must have at most ${limit.bytes} bytes.`);
  if (limit.mimeTypes && !limit.mimeTypes.some((pattern) => matches(pattern, file.mimeType)))
    refuse('unsupported_media_type', `A file of type ${type} can't be ${file.mimeType}.`);
}
