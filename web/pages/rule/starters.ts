/** Rules to begin with: filled in but for what only the reader knows, which the trial names. */
import type { Instance } from '../../api/types.ts';
import { takesMessages } from '../chats/draft.ts';
import { newDestination } from '../publishing-endpoint/editor-form.ts';
import { emptyRuleForm, newAction, type RuleForm } from './rule-form.ts';

export const STARTERS = [
  {
    id: 'hours',
    title: 'Answer outside opening hours',
    says: 'Whoever writes at night gets an answer by a model, and knows when you are back.',
  },
  {
    id: 'link',
    title: 'Reply with a short link',
    says: 'Who asks for your catalogue gets a link of their own, and you see whether they followed it.',
  },
  {
    id: 'slack',
    title: 'Forward to Slack',
    says: 'Each message that comes is posted into a channel of Slack.',
  },
] as const;
export type StarterId = (typeof STARTERS)[number]['id'];

const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
const reply = (instance: Instance | undefined, template: string) =>
  newAction('send_message', {
    name: 'reply',
    destination: newDestination({
      instance_id: instance?.id ?? '',
      to: '{{ event.data.object.from }}',
      template,
    }),
  });

const FORMS: Record<StarterId, (instance: Instance | undefined) => RuleForm> = {
  hours: (instance) =>
    emptyRuleForm({
      name: 'Answer outside opening hours',
      events: ['message.received'],
      filter: `event.created_at | is_outside: "09:00", "17:00", "${ownTimeZone()}"`,
      actions: [
        newAction('ask_model', {
          name: 'answer',
          when: 'event.data.object.text',
          ask: {
            model: 'fairlead/echo',
            system:
              'You answer for a shop that is closed now. Answer in two friendly sentences, and promise nothing.',
            prompt: '{{ event.data.object.text.body }}',
            max_tokens: '200',
          },
        }),
        reply(instance, '{{ steps.answer.text }}\n\nWe are back at nine.'),
      ],
    }),
  link: (instance) =>
    emptyRuleForm({
      name: 'Send the catalogue',
      events: ['message.received'],
      filter: 'event.data.object.text.body contains "catalogue"',
      actions: [
        newAction('create_link', {
          name: 'short',
          link: {
            url: 'https://example.com/catalogue?for={{ event.data.object.from | url_encode }}',
            slug: '',
            domain: '',
            tags: 'catalogue',
          },
        }),
        reply(instance, 'Here is our catalogue: {{ steps.short.short_url }}'),
      ],
    }),
  slack: () =>
    emptyRuleForm({
      name: 'Forward to Slack',
      events: ['message.received'],
      actions: [
        newAction('call_webhook', {
          name: 'slack',
          call: {
            url: 'https://hooks.slack.com/services/…',
            body: '{"text": "{{ event.data.object.from }}: {{ event.data.object.text.body }}"}',
            headers: [],
            secret: '',
            signed: false,
          },
        }),
      ],
    }),
};

/** @param id of a starter; undefined for an empty rule */
export const beginWith = (id: StarterId | undefined, instances: readonly Instance[]): RuleForm =>
  id === undefined ? emptyRuleForm() : FORMS[id](instances.find(takesMessages) ?? instances[0]);
