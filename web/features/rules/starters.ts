/** Rule templates. Values that only the user knows are left blank; the test reports them as errors. */
import { t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';
import { ownZone } from '../../design/own-zone.ts';
import { newDestination } from '../publishing/editor-form.ts';
import { emptyRuleForm, newAction, type RuleForm } from './rule-form.ts';

export const STARTERS = [
  {
    id: 'hours',
    title: t('Reply outside business hours'),
    description: t('Let a model reply when you are closed, and say when you are back.'),
  },
  {
    id: 'link',
    title: t('Reply with a short link'),
    description: t('Send each contact a personal short link and track whether they open it.'),
  },
  {
    id: 'slack',
    title: t('Forward to Slack'),
    description: t('Post every incoming message to a Slack channel.'),
  },
] as const;
export type StarterId = (typeof STARTERS)[number]['id'];

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
      name: t('Reply outside business hours'),
      events: ['message.received'],
      filter: `event.created_at | is_outside: "09:00", "17:00", "${ownZone()}"`,
      actions: [
        newAction('ask_model', {
          name: 'answer',
          when: 'event.data.object.text',
          ask: {
            model: 'fairlead/echo',
            system:
              'You reply for a shop that is currently closed. Answer in two friendly sentences and make no promises.',
            prompt: '{{ event.data.object.text.body }}',
            max_tokens: '200',
          },
        }),
        reply(instance, '{{ steps.answer.text }}\n\nWe are back at 9:00.'),
      ],
    }),
  link: (instance) =>
    emptyRuleForm({
      name: 'Send the catalog',
      events: ['message.received'],
      filter: 'event.data.object.text.body | contains_ignore_case: "catalog"',
      actions: [
        newAction('create_link', {
          name: 'short',
          link: {
            url: 'https://example.com/catalog?for={{ event.data.object.from | url_encode }}',
            slug: '',
            domain: '',
            tags: 'catalog',
          },
        }),
        reply(instance, 'Here is our catalog: {{ steps.short.short_url }}'),
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

/**
 * @param id of a template; undefined for an empty rule
 * @param instances connected ones
 */
export const newFormFromStarter = (id: StarterId | undefined, instances: readonly Instance[]): RuleForm =>
  id === undefined ? emptyRuleForm() : FORMS[id](instances[0]);
