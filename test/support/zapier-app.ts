/**
 * A Zapier integration of Fairlead as a developer would define it for Zapier's platform: authentication by API key, an
 * instant trigger by REST hook, its dropdown of event types, a create that sends a message.
 */
import { type Bundle, version, type ZObject } from 'zapier-platform-core';

interface EventShape {
  id: string;
  type: string;
  [member: string]: unknown;
}

const api = ({ authData }: Bundle, path: string): string => `${authData['base_url']}/api/v1${path}`;

/** Every request carries the key. */
const addKey = (request: { headers?: Record<string, string> }, _z: ZObject, { authData }: Bundle) => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${authData['api_key']}` },
});

const authentication = {
  type: 'custom',
  test: (z: ZObject, bundle: Bundle) => z.request(api(bundle, '/me')),
  connectionLabel: '{{name}}, {{workspace__name}}',
  fields: [
    { key: 'base_url', label: 'Address', required: true, type: 'string' },
    { key: 'api_key', label: 'API key', required: true, type: 'password' },
  ],
};

async function performSubscribe(z: ZObject, bundle: Bundle) {
  const { data } = await z.request<{ id: string }>({
    method: 'POST',
    url: api(bundle, '/webhooks'),
    body: { target_url: bundle.targetUrl, events: [bundle.inputData['type']], kind: 'zapier' },
  });
  return data;
}

async function performUnsubscribe(z: ZObject, bundle: Bundle) {
  const { id } = bundle.subscribeData as { id: string };
  const { status } = await z.request({ method: 'DELETE', url: api(bundle, `/webhooks/${id}`) });
  return { status };
}

/** What came by the hook: one event. */
const perform = (_z: ZObject, bundle: Bundle): EventShape[] => [bundle.cleanedRequest as EventShape];

/** Samples for the editor: the latest events, else the one of the catalog. */
async function performList(z: ZObject, bundle: Bundle): Promise<EventShape[]> {
  const type = String(bundle.inputData['type']);
  const latest = await z.request<{ data: EventShape[] }>({
    url: api(bundle, '/events'),
    params: { type, limit: '3' },
  });
  if (latest.data.data.length) return latest.data.data;
  const kind = await z.request<{ sample: EventShape }>(api(bundle, `/event-types/${type}`));
  return [kind.data.sample];
}

/** The fields that later steps can pick from, out of the JSON Schema of the type. */
async function outputFields(z: ZObject, bundle: Bundle) {
  const { data } = await z.request<{ schema: { properties: Record<string, object> } }>(
    api(bundle, `/event-types/${String(bundle.inputData['type'])}`),
  );
  return Object.keys(data.schema.properties).map((key) => ({ key }));
}

async function listTypes(z: ZObject, bundle: Bundle) {
  const { data } = await z.request<{ data: { id: string; stream_only: boolean; description: string }[] }>(
    api(bundle, '/event-types'),
  );
  return data.data.filter((type) => !type.stream_only);
}

async function sendMessage(z: ZObject, bundle: Bundle) {
  const { instance_id, to, text } = bundle.inputData;
  const { data } = await z.request({
    method: 'POST',
    url: api(bundle, '/messages'),
    body: { instance_id, to, type: 'text', text: { body: text } },
  });
  return data as object;
}

const field = (key: string, label: string) => ({ key, label, required: true, type: 'string' });

export const ZAPIER_APP = {
  version: '1.0.0',
  platformVersion: version,
  authentication,
  beforeRequest: [addKey],
  triggers: {
    event: {
      key: 'event',
      noun: 'Event',
      display: { label: 'New Event', description: 'Triggers when something happens in Fairlead.' },
      operation: {
        type: 'hook',
        inputFields: [
          { key: 'type', label: 'Event', required: true, type: 'string', dynamic: 'event_type.id.id' },
        ],
        outputFields: [outputFields],
        performSubscribe,
        performUnsubscribe,
        perform,
        performList,
        sample: { id: 'evt_01h2xcejqtf2nbrexx3vqjhp41', object: 'event', type: 'message.received' },
      },
    },
    event_type: {
      key: 'event_type',
      noun: 'Event type',
      display: { label: 'Event Types', description: 'Fills the dropdown of events.', hidden: true },
      operation: { perform: listTypes },
    },
  },
  creates: {
    message: {
      key: 'message',
      noun: 'Message',
      display: { label: 'Send Message', description: 'Sends a text message.' },
      operation: {
        inputFields: [field('instance_id', 'Account'), field('to', 'To'), field('text', 'Text')],
        perform: sendMessage,
        sample: { id: 'msg_01h2xcejqtf2nbrexx3vqjhp41', object: 'message', status: 'queued' },
      },
    },
  },
};
