/** Sends messages: uploads the file, fills the template, and reads the response. */
import type { OutboundMessage, SendResult } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { CAPABILITIES } from './capabilities.ts';
import { toContent, toEnvelope } from './compose.ts';
import { type JsonObject, readObjects, readText } from './fields.ts';
import type { Media } from './media.ts';
import { getReassignable, readPerson } from './person.ts';
import type { TemplateContent, Templates } from './templates.ts';

const HELD = 'held_for_quality';

export interface SendDeps {
  context: Pick<DriverContext, 'emit'>;
  media: Pick<Media, 'upload'>;
  templates: Pick<Templates, 'compose'>;
  /** Label of the button that opens a list. */
  listButton: string;
  /** Posts to the messages of the number. @param isSafe it can be repeated. @throws DriverError */
  post(body: Json, isSafe: boolean, signal: AbortSignal): Promise<JsonObject>;
}

/** Sends a message. @throws DriverError */
export async function sendMessage(
  { context, media, templates, listButton, post }: SendDeps,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  assertWithinLimits(CAPABILITIES, message);
  const { chat, content, replyTo } = message;
  const filled =
    message.type === 'template'
      ? {
          type: 'template',
          template: await templates.compose(content.data as unknown as TemplateContent, signal),
        }
      : toContent(message, content.file && (await media.upload(content.file, signal)), listButton);
  const body = { ...toEnvelope(chat, replyTo), ...filled, biz_opaque_callback_data: message.clientId };
  const answer = await post(body, false, signal);
  const [sent] = readObjects(answer['messages']);
  const externalId = readText(sent?.['id']);
  if (externalId === null)
    throw new DriverError('unknown', 'invalid_answer', 'WhatsApp returned no ID for the message.');
  if (sent!['message_status'] === 'held_for_quality_assessment')
    // The message was accepted in any case; if this limit cannot be stored, the connection ends.
    context.emit([{ kind: 'limit', restriction: { kind: HELD, until: null } }]).catch(() => undefined);
  const [recipient] = readObjects(answer['contacts']);
  const known = chat.kind === 'direct' && recipient ? readPerson(recipient, 'answer') : null;
  // Not always the number that was written to, such as without the ninth digit in Brazil.
  const address = known?.addresses[0];
  return {
    externalId,
    status: 'sent',
    at: currentTime(),
    ...(address === undefined || address === chat.address
      ? {}
      : { address, ...getReassignable([chat.address, ...known!.addresses]) }),
  };
}
