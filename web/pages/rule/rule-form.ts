/** What the editor of a rule holds, and the bodies of the API calls that it stands for. */
import type { ActionBody, NewRule, RuleChange, RuleTrial } from '../../api/rules.ts';
import type { Rule, RuleAction } from '../../api/types.ts';
import { changes } from '../../ui/changes.ts';
import type { RateChoice } from '../../ui/RateFields.tsx';
import {
  type DestinationForm,
  newDestination,
  RECIPIENTS,
  takesFile,
} from '../publishing-endpoint/editor-form.ts';
import type { ActionType } from '../rules/rule-text.ts';
import { type HeaderRow, headerRow } from '../webhooks/webhook-form.ts';

export interface ActionForm {
  /** Tells cards apart while they move. */
  key: number;
  type: ActionType;
  /** Empty: one is made from the type. */
  name: string;
  when: string;
  /** Of a message: where it goes and what it says. */
  destination: DestinationForm;
  reply_to: string;
  link: { url: string; slug: string; domain: string; tags: string };
  call: { url: string; body: string; headers: HeaderRow[]; secret: string; signed: boolean };
  ask: { model: string; system: string; prompt: string; max_tokens: string };
}

export interface RuleForm {
  name: string;
  description: string;
  events: string[];
  filter: string;
  actions: ActionForm[];
  rate_limit: RateChoice;
}

const DEFAULT_RATE = { limit: 60, burst: 30 };
let keys = 0;

export const newAction = (
  type: ActionType,
  with_: Partial<Omit<ActionForm, 'key' | 'type'>> = {},
): ActionForm => ({
  name: '',
  when: '',
  destination: newDestination(),
  reply_to: '',
  link: { url: '', slug: '', domain: '', tags: '' },
  call: { url: '', body: '', headers: [], secret: '', signed: false },
  ask: { model: '', system: '', prompt: '', max_tokens: '' },
  ...with_,
  key: ++keys,
  type,
});

export const emptyRuleForm = (with_: Partial<RuleForm> = {}): RuleForm => ({
  name: '',
  description: '',
  events: [],
  filter: '',
  actions: [],
  rate_limit: { limited: true, ...DEFAULT_RATE },
  ...with_,
});

function actionFormOf(action: RuleAction): ActionForm {
  const head = { name: action.name, when: action.when ?? '' };
  if (action.type === 'send_message') {
    const recipient = RECIPIENTS.find((kind) => action[kind] !== null) ?? 'to';
    const destination = newDestination({
      instance_id: action.instance_id,
      recipient,
      to: action.to ?? '',
      chosen: recipient === 'to' ? '' : (action[recipient] ?? ''),
      type: action.message_type,
      template: action.template ?? '',
      media: action.media ?? '',
      file_name: action.file_name ?? '',
      subject: action.subject ?? '',
    });
    return newAction('send_message', { ...head, destination, reply_to: action.reply_to ?? '' });
  }
  if (action.type === 'create_link') {
    const { url, slug, domain, tags } = action;
    return newAction('create_link', {
      ...head,
      link: { url, slug: slug ?? '', domain: domain ?? '', tags: tags.join(', ') },
    });
  }
  if (action.type === 'call_webhook') {
    const { url, body, headers, signed } = action;
    const rows = Object.keys(headers).map((name) => headerRow({ name, kept: true }));
    return newAction('call_webhook', {
      ...head,
      call: { url, body: body ?? '', headers: rows, secret: '', signed },
    });
  }
  const { model, system, prompt, max_tokens: most } = action;
  return newAction('ask_model', {
    ...head,
    ask: { model, system: system ?? '', prompt, max_tokens: most === null ? '' : String(most) },
  });
}

/** The form of a rule that exists. */
export const ruleFormOf = (rule: Rule): RuleForm => ({
  name: rule.name,
  description: rule.description ?? '',
  events: rule.events,
  filter: rule.filter ?? '',
  actions: rule.actions.map(actionFormOf),
  rate_limit: { limited: true, ...rule.rate_limit },
});

const isBlank = (text: string): boolean => text.trim() === '';
const given = (name: string, text: string): object => (isBlank(text) ? {} : { [name]: text });
const trimmed = (name: string, text: string): object => (isBlank(text) ? {} : { [name]: text.trim() });
const tagsOf = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

function messageOf({ destination: form, reply_to: replyTo }: ActionForm): object {
  return {
    instance_id: form.instance_id,
    ...(form.recipient === 'to' ? given('to', form.to) : trimmed(form.recipient, form.chosen)),
    ...(form.type !== 'text' && trimmed('message_type', form.type)),
    ...given('template', form.template),
    ...(takesFile(form.type) && { ...given('media', form.media), ...given('file_name', form.file_name) }),
    ...given('subject', form.subject),
    ...given('reply_to', replyTo),
  };
}

/** What is secret in it, or says what is to become of that; a trial needs none of it. */
function secretsOf({ call }: ActionForm): object {
  const rows = call.headers.filter(({ name, value }) => !isBlank(name) || value !== '');
  const headers = rows.map(({ name, value, kept }) => [name.trim(), kept && value === '' ? null : value]);
  return {
    ...(rows.length > 0 && { headers: Object.fromEntries(headers) as Record<string, string | null> }),
    ...trimmed('secret', call.secret),
  };
}

function actionBodyOf(form: ActionForm, isTrial: boolean): ActionBody {
  const head = { type: form.type, ...trimmed('name', form.name), ...given('when', form.when) };
  const { link, call, ask } = form;
  const tags = tagsOf(link.tags);
  const bodies: Record<ActionType, () => object> = {
    send_message: () => messageOf(form),
    create_link: () => ({
      url: link.url,
      ...given('slug', link.slug),
      ...trimmed('domain', link.domain),
      ...(tags.length > 0 && { tags }),
    }),
    call_webhook: () => ({
      url: call.url.trim(),
      ...given('body', call.body),
      ...(!isTrial && secretsOf(form)),
    }),
    ask_model: () => ({
      model: ask.model,
      ...given('system', ask.system),
      prompt: ask.prompt,
      ...(!isBlank(ask.max_tokens) && { max_tokens: Number(ask.max_tokens) }),
    }),
  };
  return { ...head, ...bodies[form.type]() } as ActionBody;
}

const orNull = (text: string): string | null => (isBlank(text) ? null : text);
const rateOf = ({ limit, burst }: RateChoice) => ({ limit, burst });

/** The body that makes it; what is as by default is left out. */
export const bodyOf = (form: RuleForm): NewRule => ({
  name: form.name.trim(),
  events: form.events,
  ...given('description', form.description.trim()),
  ...given('filter', form.filter),
  actions: form.actions.map((action) => actionBodyOf(action, false)),
  ...((form.rate_limit.limit !== DEFAULT_RATE.limit || form.rate_limit.burst !== DEFAULT_RATE.burst) && {
    rate_limit: rateOf(form.rate_limit),
  }),
});

/** Headers that are no more there are taken away by naming what stays, also where nothing does. */
const changedActions = (form: RuleForm): ActionBody[] =>
  form.actions.map((action) => {
    const body = actionBodyOf(action, false);
    if (body.type !== 'call_webhook') return body;
    const takesSecretAway = !action.call.signed && isBlank(action.call.secret);
    return { ...body, headers: body.headers ?? {}, ...(takesSecretAway && { secret: null }) };
  });

const wantedOf = (form: RuleForm) => ({
  name: form.name.trim(),
  description: orNull(form.description.trim()),
  events: form.events,
  filter: orNull(form.filter),
  actions: changedActions(form),
  rate_limit: rateOf(form.rate_limit),
});

/** The body of the PATCH; empty where nothing was changed. */
export const changeOf = (form: RuleForm, rule: Rule): RuleChange =>
  changes(wantedOf(form), wantedOf(ruleFormOf(rule)));

/** What is tried. null where there is too little of it to be asked about. */
export function trialOf(
  form: RuleForm,
  withWhat: { event_id: string } | { event_type: string } | object,
): RuleTrial | null {
  if (form.events.length === 0 || form.actions.length === 0) return null;
  return {
    events: form.events,
    filter: orNull(form.filter),
    actions: form.actions.map((action) => actionBodyOf(action, true)),
    ...withWhat,
  };
}
