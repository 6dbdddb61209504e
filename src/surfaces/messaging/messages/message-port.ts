/**
 * The implementation of automation's `MessagesPort`: sends messages on behalf of an endpoint or a rule, with the same
 * validation as `POST /messages`.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { type FieldError, Problem } from '../../../platform/http/problem.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import { MESSAGE_TYPES } from '../../../channels/contract/capabilities.ts';
import { type AcceptDeps, acceptMessages, type Sender } from './accept.ts';
import { findRejectedUrls } from './message-egress.ts';
import { type MessageInput, readMessage } from './message-input.ts';
import { SendMessage, type SendMessageBody } from './message-input.schema.ts';
import { cancelMessage } from './message-withdraw.service.ts';
import * as store from '../records/message.store.ts';
import { checkRecipients, type Recipient } from './recipient-check.ts';
import { planSending } from './send-plan.ts';

type Body = Record<string, unknown>;

interface Outgoing extends Pick<MessageInput, 'split'> {
  body: Body;
  /** W3C traceparent of its cause; by default of the current span. */
  traceparent?: string | undefined;
}

export interface MessagePortDeps extends AcceptDeps {
  /** @throws Problem address_not_allowed */
  assertUrlAllowed: (url: string, pointer: string) => Promise<void>;
  wakeSender: (instanceIds: readonly string[]) => void;
}

const checkMessage = compileValidator(SendMessage, 'body');
const REACTION = new Problem('unsupported_by_channel', 'Reactions cannot be sent this way.', {
  errors: [{ pointer: '/type', code: 'unsupported', detail: 'use PUT /messages/{id}/reaction' }],
});

function read({ body, split }: Outgoing, now: Date): MessageInput | Problem {
  const checked = checkMessage(body);
  if ('error' in checked) return checked.error;
  if (body['type'] === 'reaction') return REACTION;
  try {
    const input = readMessage(body as SendMessageBody, now);
    return split ? { ...input, split } : input;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Runs `work` for the inputs that could be read. @returns an outcome for each message */
async function withInputs<T>(
  outgoing: readonly Outgoing[],
  now: Date,
  work: (inputs: MessageInput[], traces: (string | undefined)[]) => Promise<(T | Problem)[]>,
): Promise<(T | Problem)[]> {
  const read_ = outgoing.map((one) => read(one, now));
  const inputs = read_.filter((one): one is MessageInput => !(one instanceof Problem));
  const traces = outgoing.flatMap(({ traceparent }, nth) =>
    read_[nth] instanceof Problem ? [] : [traceparent],
  );
  const outcomes = (inputs.length ? await work(inputs, traces) : []).values();
  return read_.map((one) => (one instanceof Problem ? one : outcomes.next().value!));
}

export const createMessagePort = (deps: MessagePortDeps) => ({
  types: MESSAGE_TYPES.filter((type) => type !== 'reaction') as readonly string[],
  checkPlaces: (unit: Unit, workspaceId: string, recipients: readonly Recipient[]): Promise<FieldError[][]> =>
    checkRecipients(unit.db, deps.drivers, workspaceId, recipients),
  async check(unit: Unit, workspaceId: string, outgoing: readonly Outgoing[]): Promise<(Problem | null)[]> {
    const outcomes = await withInputs(outgoing, unit.clock(), (inputs) =>
      planSending(unit, deps, workspaceId, inputs, unit.clock(), true),
    );
    return outcomes.map((outcome) => (outcome instanceof Problem ? outcome : null));
  },
  async accept(unit: Unit, workspaceId: string, sender: Sender, outgoing: readonly Outgoing[]) {
    return withInputs(outgoing, unit.clock(), async (inputs, traces) => {
      const sendings = inputs.map((input, nth) => ({ sender, input, traceparent: traces[nth] }));
      const outcomes = await acceptMessages(unit, deps, workspaceId, sendings);
      return outcomes.map((outcome) =>
        outcome instanceof Problem
          ? outcome
          : {
              id: outcome.message.id,
              instanceId: outcome.message.instance_id,
              status: outcome.message.status as string,
              earlier: outcome.earlier ?? [],
            },
      );
    });
  },
  async refusedUrls(bodies: readonly Body[]): Promise<(Problem | null)[]> {
    const refused = await findRejectedUrls(deps.assertUrlAllowed, bodies);
    return bodies.map((_, nth) => refused.get(nth) ?? null);
  },
  wake: (instanceIds: readonly string[]): void =>
    deps.wakeSender(instanceIds.map((id) => toUuid('instance', id)!)),
  async getStates(unit: Unit, workspaceId: string, ids: readonly string[]) {
    const uuids = ids.map((id) => toUuid('message', id)).filter((id) => id !== null);
    const rows = await store.getStates(unit.db, workspaceId, uuids);
    return new Map(
      rows.map((row) => {
        const id = publicId('message', row.id);
        const { error_code: code, error_detail: detail, error_retryable: retryable } = row;
        const error = code === null ? null : { code, detail: detail ?? '', retryable: retryable === true };
        return [id, { id, status: row.status, error, wasSent: row.sent_at !== null }];
      }),
    );
  },
  async cancel(unit: Unit, workspaceId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids)
      await cancelMessage(unit, workspaceId, id).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error; // it is under way, or gone
      });
  },
});
