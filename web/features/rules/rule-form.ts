/** The values of the rule editor and the request bodies they stand for. */
import type { ActionBody, NewRule, RuleChange, RuleTrial } from '../../api/rules.ts';
import type { Rule, RuleAction } from '../../api/types.ts';
import { withScheme } from '../../design/addresses.ts';
import { changes } from '../../design/changes.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import type { RateChoice } from '../../design/RateFields.tsx';
import {
  type DestinationForm,
  newDestination,
  RECIPIENTS,
  takesFile,
  withoutNulls,
} from '../publishing/editor-form.ts';
import { emptyQuestion, type QuestionForm, toQuestion, toQuestionForm } from '../models/question-form.ts';
import type { ActionType } from './rule-text.ts';
import { type HeaderRow, newHeaderRow } from '../webhooks/header-rows.ts';

export interface ActionForm {
  /** Identifies the card while it is moved. */
  key: number;
  type: ActionType;
  /** Empty: generated from the type. */
  name: string;
  when: string;
  /** The recipient and content of a message. */
  destination: DestinationForm;
  reply_to: string;
  link: { url: string; slug: string; domain: string; tags: string };
  call: { url: string; body: string; headers: HeaderRow[]; secret: string; signed: boolean };
  ask: QuestionForm;
}

export interface RuleForm {
  name: string;
  description: string;
  events: string[];
  filter: string;
  actions: ActionForm[];
  rate_limit: RateChoice;
  metadata: MetadataPair[];
}

const DEFAULT_RATE = { limit: 60, burst: 30 };
let lastKey = 0;

export const newAction = (
  type: ActionType,
  patch: Partial<Omit<ActionForm, 'key' | 'type'>> = {},
): ActionForm => ({
  name: '',
  when: '',
  destination: newDestination(),
  reply_to: '',
  link: { url: '', slug: '', domain: '', tags: '' },
  call: { url: '', body: '', headers: [], secret: '', signed: false },
  ask: emptyQuestion(),
  ...patch,
  key: ++lastKey,
  type,
});

export const emptyRuleForm = (patch: Partial<RuleForm> = {}): RuleForm => ({
  name: '',
  description: '',
  events: [],
  filter: '',
  actions: [],
  rate_limit: { limited: true, ...DEFAULT_RATE },
  metadata: [],
  ...patch,
});

function toActionForm(action: RuleAction): ActionForm {
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
      thread_id: action.thread_id ?? '',
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
    const rows = Object.keys(headers).map((name) => newHeaderRow({ name, kept: true }));
    return newAction('call_webhook', {
      ...head,
      call: { url, body: body ?? '', headers: rows, secret: '', signed },
    });
  }
  return newAction('ask_model', { ...head, ask: toQuestionForm(action) });
}

/** Returns the form values of an existing rule. */
export const toRuleForm = (rule: Rule): RuleForm => ({
  name: rule.name,
  description: rule.description ?? '',
  events: rule.events,
  filter: rule.filter ?? '',
  actions: rule.actions.map(toActionForm),
  rate_limit: { limited: true, ...rule.rate_limit },
  metadata: toPairs(rule.metadata),
});

const isBlank = (text: string): boolean => text.trim() === '';
const ifFilled = (name: string, text: string): object => (isBlank(text) ? {} : { [name]: text });
const ifFilledTrimmed = (name: string, text: string): object =>
  isBlank(text) ? {} : { [name]: text.trim() };
const parseTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

function toMessage({ destination: form, reply_to: replyTo }: ActionForm): object {
  return {
    instance_id: form.instance_id,
    ...(form.recipient === 'to' ? ifFilled('to', form.to) : ifFilledTrimmed(form.recipient, form.chosen)),
    ...(form.type !== 'text' && ifFilledTrimmed('message_type', form.type)),
    ...ifFilled('template', form.template),
    ...(takesFile(form.type) && {
      ...ifFilled('media', form.media),
      ...ifFilled('file_name', form.file_name),
    }),
    ...ifFilled('subject', form.subject),
    ...ifFilled('thread_id', form.thread_id),
    ...ifFilled('reply_to', replyTo),
  };
}

/** Returns the credentials to set or keep. A trial needs none. */
function toCredentials({ call }: ActionForm): object {
  const rows = call.headers.filter(({ name, value }) => !isBlank(name) || value !== '');
  const headers = rows.map(({ name, value, kept }) => [name.trim(), kept && value === '' ? null : value]);
  return {
    ...(rows.length > 0 && { headers: Object.fromEntries(headers) as Record<string, string | null> }),
    ...ifFilledTrimmed('secret', call.secret),
  };
}

function toActionBody(form: ActionForm, isTrial: boolean): ActionBody {
  const head = { type: form.type, ...ifFilledTrimmed('name', form.name), ...ifFilled('when', form.when) };
  const { link, call, ask } = form;
  const tags = parseTags(link.tags);
  const bodies: Record<ActionType, () => object> = {
    send_message: () => toMessage(form),
    create_link: () => ({
      url: link.url,
      ...ifFilled('slug', link.slug),
      ...ifFilledTrimmed('domain', link.domain),
      ...(tags.length > 0 && { tags }),
    }),
    call_webhook: () => ({
      url: withScheme(call.url),
      ...ifFilled('body', call.body),
      ...(!isTrial && toCredentials(form)),
    }),
    ask_model: () => ({
      ...withoutNulls(toQuestion(ask)),
    }),
  };
  return { ...head, ...bodies[form.type]() } as ActionBody;
}

const blankToNull = (text: string): string | null => (isBlank(text) ? null : text);
const toRateLimit = ({ limit, burst }: RateChoice) => ({ limit, burst });

/** Returns the body that creates the rule, without default values. */
export const toCreateBody = (form: RuleForm): NewRule => ({
  name: form.name.trim(),
  events: form.events,
  ...ifFilled('description', form.description.trim()),
  ...ifFilled('filter', form.filter),
  actions: form.actions.map((action) => toActionBody(action, false)),
  ...((form.rate_limit.limit !== DEFAULT_RATE.limit || form.rate_limit.burst !== DEFAULT_RATE.burst) && {
    rate_limit: toRateLimit(form.rate_limit),
  }),
  ...(form.metadata.length > 0 && { metadata: getMetadata(form.metadata) }),
});

/** Always names the headers, even if none are left, since the API removes those that are missing. */
const changedActions = (form: RuleForm): ActionBody[] =>
  form.actions.map((action) => {
    const body = toActionBody(action, false);
    if (body.type !== 'call_webhook') return body;
    const removesSecret = !action.call.signed && isBlank(action.call.secret);
    return { ...body, headers: body.headers ?? {}, ...(removesSecret && { secret: null }) };
  });

const toSettings = (form: RuleForm) => ({
  name: form.name.trim(),
  description: blankToNull(form.description.trim()),
  events: form.events,
  filter: blankToNull(form.filter),
  actions: changedActions(form),
  rate_limit: toRateLimit(form.rate_limit),
  metadata: getMetadata(form.metadata),
});

/** Returns the PATCH body, empty if nothing changed. */
export const toUpdateBody = (form: RuleForm, rule: Rule): RuleChange =>
  changes(toSettings(form), toSettings(toRuleForm(rule)));

/** Returns the trial request, or null while the rule has no events or actions. */
export function toTrial(
  form: RuleForm,
  event: { event_id: string } | { event_type: string } | { custom_event: { type: string } } | object,
): RuleTrial | null {
  if (form.events.length === 0 || form.actions.length === 0) return null;
  return {
    events: form.events,
    filter: blankToNull(form.filter),
    actions: form.actions.map((action) => toActionBody(action, true)),
    ...event,
  };
}
