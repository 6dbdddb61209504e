/**
 * Summaries of events for chats: a title, a sentence and some fields. In Liquid, with `object` for the object of the
 * event; platform-templates.ts adapts them to each platform. Types without an entry here use the catalog's description
 * of their object.
 */
import type { EventType } from '../../vocabulary/event-catalog.ts';
import type { EventTypes } from '../../events/event-type.service.ts';

export interface Summary {
  title: string;
  /** An assignment that precedes it. */
  prelude?: string;
  text: string;
  /** Label and expression. */
  fields: [label: string, expression: string][];
  /** How it looks: the color of its edge. */
  mood: 'good' | 'bad' | 'plain';
}

const CONTENT = '{%- assign content = object[object.type] -%}';
const CONTENT_TEXT =
  '{{ content.body | default: content.caption | default: content.name | default: content.question | default: object.subject | default: object.type | truncate: 1500 }}';

const OF_PUBLICATION: Summary['fields'] = [
  ['Publication', 'object.id'],
  ['Came by', 'object.source'],
  ['Reason', 'object.reason | default: object.error.detail'],
];
const RESULTS = `{% for result in object.results limit: 10 %}{{ result.type }} to {{ result.to | truncate: 80 }}: {{ result.status }}{% if result.error %} ({{ result.error.detail | truncate: 150 }}){% endif %}\\n{% endfor %}`;

const WRITTEN: Partial<Record<EventType, Summary>> = {
  'message.received': {
    title: 'Message received',
    prelude: CONTENT,
    text: CONTENT_TEXT,
    fields: [
      ['From', 'object.from'],
      ['To', 'object.to'],
      ['Type', 'object.type'],
    ],
    mood: 'plain',
  },
  'message.failed': {
    title: 'Message failed',
    prelude: CONTENT,
    text: `{{ object.error.detail | truncate: 500 }}\\n${CONTENT_TEXT}`,
    fields: [
      ['To', 'object.to'],
      ['Reason', 'object.error.title | default: object.error.code'],
      ['May succeed later', 'object.error.retryable'],
    ],
    mood: 'bad',
  },
  'link.clicked': {
    title: 'Link clicked',
    text: '{{ object.title | default: object.short_url | truncate: 300 }}',
    fields: [
      ['Link', 'object.short_url'],
      ['From', 'event.data.click.city | default: event.data.click.country'],
      ['Device', 'event.data.click.device'],
      ['Referrer', 'event.data.click.referrer'],
      ['Clicks', 'object.clicks'],
    ],
    mood: 'plain',
  },
  'publication.published': {
    title: 'Published',
    text: RESULTS,
    fields: OF_PUBLICATION.slice(0, 2),
    mood: 'good',
  },
  'publication.partially_published': {
    title: 'Published in part',
    text: RESULTS,
    fields: OF_PUBLICATION,
    mood: 'bad',
  },
  'publication.failed': { title: 'Publication failed', text: RESULTS, fields: OF_PUBLICATION, mood: 'bad' },
  'publication.rejected': {
    title: 'Publication rejected',
    text: '{{ object.error.detail | truncate: 1000 }}',
    fields: OF_PUBLICATION,
    mood: 'bad',
  },
  'rule.failed': {
    title: 'Rule failed',
    text: '{{ object.error.detail | truncate: 1000 }}',
    fields: [
      ['Rule', 'object.rule_id'],
      ['Event', 'object.event_type'],
      ['Outcome', 'object.status'],
      ['Reason', 'object.error.code'],
    ],
    mood: 'bad',
  },
  'webhook.disabled': {
    title: 'Webhook disabled',
    text: '{{ object.description | default: object.url | truncate: 500 }}',
    fields: [
      ['Address', 'object.url'],
      ['Reason', 'object.disabled_reason'],
    ],
    mood: 'bad',
  },
  'instance.state_changed': {
    title: 'Channel state changed',
    text: '{{ object.name }}: {{ event.data.previous_attributes.state | default: "–" }} → {{ object.state }}',
    fields: [
      ['Channel', 'object.channel'],
      ['Account', 'object.address'],
      ['Reason', 'object.state_reason'],
      ['Latest fault', 'object.last_error.detail | default: object.last_error'],
    ],
    mood: 'plain',
  },
  ping: { title: 'Test of a webhook', text: '{{ object.message }}', fields: [], mood: 'plain' },
};

/** Members that identify an object, best first. */
const NAMES = ['name', 'subject', 'title', 'email', 'short_url', 'host', 'url', 'to', 'type', 'id'];
/** Important members of objects of any kind. */
const MATTERS: Record<string, string> = {
  status: 'Status',
  state: 'State',
  role: 'Role',
  channel: 'Channel',
  from: 'From',
  to: 'To',
  url: 'Address',
  count: 'Found',
  source: 'Source',
};
const MAX_FIELDS = 4;

/** `api_key.created` → `Api key created`. */
const getTitle = (type: string): string => {
  const words = type.replaceAll(/[._]/g, ' ');
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
};

export function getSummary(eventTypes: EventTypes, type: EventType): Summary {
  const written = WRITTEN[type];
  if (written) return written;
  const { object } = eventTypes.get(type).sample.data as { object: Record<string, unknown> };
  const simple = (name: string): boolean => name in object && typeof object[name] !== 'object';
  const [name, ...others] = NAMES.filter((one) => one in object);
  const otherwise = others.slice(0, 2).map((one) => ` | default: object.${one}`);
  return {
    title: getTitle(type),
    text: `{{ object.${name ?? 'object'}${otherwise.join('')} | truncate: 500 }}`,
    fields: Object.entries(MATTERS)
      .filter(([one]) => one !== name && simple(one))
      .slice(0, MAX_FIELDS)
      .map(([one, label]) => [label, `object.${one}`]),
    mood: /failed|deleted|removed|revoked|rejected/.test(type) ? 'bad' : 'plain',
  };
}
