/**
 * Rejects messages that a channel does not support before anything is written. Errors name the capability as in `GET
 * /channels`: `types.image.max_bytes`, `operations.edit`.
 */
import {
  can,
  type Capabilities,
  type ChannelOperation,
  type MessageType,
} from '../../../channels/contract/capabilities.ts';
import type { FieldError } from '../../../platform/http/problem.ts';

export interface Checked {
  type: MessageType;
  /** Body or caption, and where it stands. */
  text: string | null;
  textPointer: string;
  /** Metadata of the file; null if there is none or it is not fetched yet. */
  file: { size: number; mimeType: string; pointer: string } | null;
  subject: string | null;
  /** It goes into a thread within its chat. */
  hasThread: boolean;
  replies: boolean;
  mentions: boolean;
  /** A choice opens a form. */
  forms: boolean;
}

const fault = (pointer: string, detail: string, capability: string): FieldError => ({
  pointer,
  code: 'unsupported_by_channel',
  detail: `${detail} (${capability})`,
});

/** Characters as people count them: code points. */
export const getLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

const takes = (mimeTypes: readonly string[], mimeType: string): boolean =>
  mimeTypes.some((one) => (one.endsWith('/*') ? mimeType.startsWith(one.slice(0, -1)) : one === mimeType));

const OPERATION_DETAILS: Partial<Record<ChannelOperation, string>> = {
  edit: 'the channel cannot change a message that was sent',
  revoke: 'the channel cannot take a message back',
  react: 'the channel has no reactions',
  pin: 'the channel cannot pin messages',
  reply: 'the channel has no replies to a message',
  mention: 'the channel has no mentions',
  typing: 'the channel tells nobody that somebody types',
  threads: 'the channel has no subjects',
  thread_ids: 'the channel has no threads within chats',
  forms: 'the channel has no forms',
};

/** `null` where the channel can. */
export const checkOperation = (
  capabilities: Capabilities,
  operation: ChannelOperation,
  pointer: string,
): FieldError | null =>
  can(capabilities, operation)
    ? null
    : fault(pointer, OPERATION_DETAILS[operation] ?? 'the channel cannot do this', `operations.${operation}`);

/** Returns the field errors of a text for a type, in a message or an edit. */
export function checkText(
  capabilities: Capabilities,
  type: MessageType,
  text: string | null,
  pointer: string,
): FieldError | null {
  const max = capabilities.types[type]?.text;
  if (text === null || max === undefined) return null;
  const name = `types.${type}.max_text`;
  if (max === null) return fault(pointer, `the channel does not support text with ${type}`, name);
  return getLength(text) > max ? fault(pointer, `must have at most ${max} characters`, name) : null;
}

/** Every fault of a message that is to be sent. */
export function checkMessage(capabilities: Capabilities, message: Checked): FieldError[] {
  const { type, text, textPointer, file, subject, hasThread, replies, mentions, forms } = message;
  const capability = capabilities.types[type];
  if (!capability) return [fault('/type', `the channel cannot send ${type}`, `types.${type}`)];
  const faults = [
    checkText(capabilities, type, text, textPointer),
    subject === null ? null : checkOperation(capabilities, 'threads', '/subject'),
    hasThread ? checkOperation(capabilities, 'thread_ids', '/thread_id') : null,
    replies ? checkOperation(capabilities, 'reply', '/reply_to') : null,
    mentions ? checkOperation(capabilities, 'mention', '/mentions') : null,
    forms ? checkOperation(capabilities, 'forms', '/interactive/choices') : null,
  ];
  if (file) {
    const { bytes, mimeTypes } = capability;
    if (bytes !== undefined && file.size > bytes)
      faults.push(
        fault(file.pointer, `the file must have at most ${bytes} bytes`, `types.${type}.max_bytes`),
      );
    if (mimeTypes && !takes(mimeTypes, file.mimeType))
      faults.push(
        fault(
          file.pointer,
          `the file must be of the type ${mimeTypes.join(' or ')}, and is ${file.mimeType}`,
          `types.${type}.mime_types`,
        ),
      );
  }
  return faults.filter((one) => one !== null);
}
