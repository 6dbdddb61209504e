/**
 * Meta's published description of the WhatsApp Business Platform (v23), for Prism and for schemas. The file has faults,
 * which refuse requests that Meta's own documentation shows; each mend says why. Nothing else is changed.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readVendorApi } from '../channel-tools.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document of another party, whose types are not known
type Node = any;

const FILE = 'whatsapp-business-messaging-v23.yaml';

/** A group as in the examples: the only one whose requests are validated. */
export const GROUP_ID = 'Y2FwaV9ncm91cDoxODA1NTU1MDE3MjoxMjAzNjMyMjI3NzE5NjMwNjcZD';

/** The operations that the driver calls. Prism starts faster without the others. */
const PATHS = {
  number: '/{Version}/{Phone-Number-ID}',
  messages: '/{Version}/{Phone-Number-ID}/messages',
  media: '/{Version}/{Phone-Number-ID}/media',
  blocks: '/{Version}/{Phone-Number-ID}/block_users',
  groups: '/{Version}/{Phone-Number-ID}/groups',
  group: '/{Version}/{group_id}',
  groupInvite: '/{Version}/{group_id}/invite_link',
  groupParticipants: '/{Version}/{group_id}/participants',
  mediaUrl: '/{Version}/{Media-ID}',
  templates: '/{Version}/{WABA-ID}/message_templates',
  subscription: '/{Version}/{WABA-ID}/subscribed_apps',
} as const;

/** Closed objects within `allOf` refuse the properties of their siblings, and with them all 50 examples of the file. */
function openAll(node: Node): void {
  if (Array.isArray(node)) node.forEach(openAll);
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
  const closed = node.allOf?.filter((part: Node) => part.additionalProperties === false) ?? [];
  for (const part of closed) delete part.additionalProperties;
  if (closed.length) node.unevaluatedProperties = false;
  Object.values(node).forEach(openAll);
}

function mend(document: Node): void {
  const { schemas, parameters } = document.components;
  openAll(schemas);
  // "An arbitrary string, useful for tracking" of up to 512 characters, in Meta's reference of messages.
  schemas.BaseMessageProperties.properties.biz_opaque_callback_data = { type: 'string', maxLength: 512 };
  // The example `Send typing indicator and read receipt` of the same operation is of no type of message.
  Object.assign(schemas.MarkMessageRequestPayload, { additionalProperties: false });
  Object.assign(schemas.MarkMessageRequestPayload.properties, {
    status: { const: 'read' },
    typing_indicator: {
      type: 'object',
      required: ['type'],
      properties: { type: { const: 'text' } },
      additionalProperties: false,
    },
  });
  schemas.Message.oneOf.push({ $ref: '#/components/schemas/MarkMessageRequestPayload' });
  delete schemas.Message.discriminator;
  // A character class where two ranges of numbers were meant; 0 to 9 by its own description.
  for (const index of [
    schemas.TemplateComponent.properties.index,
    schemas.ButtonComponent.allOf[1].properties.index,
  ])
    index.pattern = '^[0-9]$';
  // Prism cannot tell a group from another node: the path has the ID of one.
  for (const path of [PATHS.group, PATHS.groupInvite, PATHS.groupParticipants])
    for (const operation of Object.values<Node>(document.paths[path]))
      operation.parameters = operation.parameters.filter(({ name }: Node) => name !== 'group_id');
  // The media type of a multipart body names its boundary.
  parameters.ContentType.schema = { type: 'string', pattern: parameters.ContentType.schema.enum.join('|') };
}

let read: Promise<Node> | undefined;

/** Returns the mended description. Do not change it. */
export function readDescription(): Promise<Node> {
  read ??= (async () => {
    const document = parse(readVendorApi(FILE));
    mend(document);
    return document;
  })();
  return read;
}

/** Writes the operations that the driver calls to a file in a directory. @returns its path */
export async function writeDescription(directory: string): Promise<string> {
  const document = await readDescription();
  const paths = Object.fromEntries(
    Object.values(PATHS).map((path) => [path.replace('{group_id}', GROUP_ID), document.paths[path]]),
  );
  const file = join(directory, 'whatsapp.json');
  await writeFile(file, JSON.stringify({ ...document, paths }));
  return file;
}

/** Returns the example webhooks, by title. */
export async function readExampleWebhooks(): Promise<Record<string, unknown>> {
  const document = await readDescription();
  const { examples } = document.paths['/whatsapp/webhooks'].post.requestBody.content['application/json'];
  return Object.fromEntries(
    Object.entries<Node>(examples).map(([title, { value }]) => [title, value as unknown]),
  );
}
