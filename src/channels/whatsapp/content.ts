/** Reads the content of received messages: every type of WhatsApp, as one of the product's types. */
import type { MediaType, MessageType } from '../contract/capabilities.ts';
import type { Json } from '../contract/json.ts';
import { readError } from './errors.ts';
import { type JsonObject, readNumberField, readObject, readObjects, readText } from './fields.ts';

/** A file at Meta, to be downloaded by its ID. */
export interface MediaRef {
  id: string;
  mimeType: string | null;
  fileName: string | null;
}

export interface Content {
  type: MessageType;
  text: string | null;
  data: Json;
  media: MediaRef | null;
  /** No person wrote it. */
  isAutomatic?: boolean;
  /** The text only describes the content. */
  isUnsupported?: boolean;
}

const MAX_LINES = 50;

const toTextContent = (text: string | null): Content => ({ type: 'text', text, data: null, media: null });

function readFile(type: MediaType, file: JsonObject): Content {
  const id = readText(file['id']);
  const text = readText(file['caption']);
  if (id === null) return { type, text, data: null, media: null };
  return {
    type,
    text,
    data: null,
    media: { id, mimeType: readText(file['mime_type']), fileName: readText(file['filename']) },
  };
}

/** Converts the response to an interactive message to its one choice. */
function toChoice(id: string | null, title: string | null, told: string | null = null): Content | null {
  const [name, shown] = [id ?? title, title ?? id];
  if (name === null || shown === null) return null;
  const body = told ?? shown;
  return {
    type: 'interactive',
    text: body,
    data: { body, choices: [{ id: name, title: shown }], header: null, footer: null },
    media: null,
  };
}

function readInteractive(reply: JsonObject): Content | null {
  const choice = readObject(reply['button_reply']) ?? readObject(reply['list_reply']);
  if (choice) return toChoice(readText(choice['id']), readText(choice['title']));
  const flow = readObject(reply['nfm_reply']);
  // The input of a flow is JSON, which becomes the ID of the choice.
  if (flow) return toChoice(readText(flow['response_json']), readText(flow['name']), readText(flow['body']));
  const permission = readObject(reply['call_permission_reply']);
  if (permission) return toChoice(readText(permission['response']), null);
  return null;
}

function readLocation(location: JsonObject): Content | null {
  const [latitude, longitude] = [location['latitude'], location['longitude']].map(readNumberField);
  if (latitude == null || longitude == null) return null;
  const data = {
    latitude,
    longitude,
    name: readText(location['name']),
    address: readText(location['address']),
  };
  return { type: 'location', text: null, data, media: null };
}

function readContact(contact: JsonObject): Json {
  const name = readObject(contact['name']);
  const list = (items: Json | undefined, field: string): string[] | null => {
    const found = readObjects(items).flatMap((item) => readText(item[field]) ?? []);
    return found.length ? found : null;
  };
  return {
    name: readText(name?.['formatted_name']) ?? readText(name?.['first_name']) ?? '',
    phones: list(contact['phones'], 'phone'),
    emails: list(contact['emails'], 'email'),
    organization: readText(readObject(contact['org'])?.['company']),
  };
}

function readOrder(order: JsonObject): Content {
  const lines = readObjects(order['product_items']).map((item) => {
    const [product, quantity, price, currency] = [
      'product_retailer_id',
      'quantity',
      'item_price',
      'currency',
    ].map((field) => readText(item[field]) ?? '?');
    return `${quantity} × ${product} (${price} ${currency})`;
  });
  const note = readText(order['text']);
  return toTextContent([...(note ? [note] : []), ...lines.slice(0, MAX_LINES)].join('\n'));
}

function readUnsupported(message: JsonObject): Content {
  const [error] = readObjects(message['errors']);
  const detail = readError(error)?.detail ?? `type ${readText(message['type']) ?? 'unknown'}`;
  return { ...toTextContent(`[Unsupported message: ${detail}]`), isUnsupported: true };
}

const READERS: Record<string, (value: JsonObject) => Content | null> = {
  text: (text) => toTextContent(readText(text['body'])),
  image: (file) => readFile('image', file),
  video: (file) => readFile('video', file),
  audio: (file) => readFile(file['voice'] === true ? 'voice' : 'audio', file),
  document: (file) => readFile('document', file),
  sticker: (file) => readFile('sticker', file),
  location: readLocation,
  interactive: readInteractive,
  button: (button) => toChoice(readText(button['payload']), readText(button['text'])),
  order: readOrder,
  system: (system) => ({ ...toTextContent(readText(system['body'])), isAutomatic: true }),
};

/** Reads the content of a message. A message that cannot be read is a text that says so. */
export function readContent(message: JsonObject): Content {
  const type = readText(message['type']) ?? '';
  if (type === 'contacts') {
    const data = readObjects(message['contacts']).map(readContact);
    if (data.length) return { type, text: null, data, media: null };
  }
  const value = readObject(message[type]);
  const read = value && Object.hasOwn(READERS, type) ? READERS[type]!(value) : null;
  return read ?? readUnsupported(message);
}
