/**
 * Receiving: what came in is answered once it is durable, or refused for all that can be known of it.
 *
 * Requests of an endpoint that come together share a transaction. In it the endpoint is looked at again: where it is
 * another than the one that the sender was checked and the payload rendered by, nothing is written (`EndpointChanged`), and
 * whoever called begins anew. What is refused is stored as `rejected`, by a transaction of its own.
 */
import { createBatcher } from '../../../core/batcher.ts';
import { createUnits, type Unit, type Units } from '../../../core/unit-of-work.ts';
import type { Database } from '../../../platform/db/database.ts';
import { type ErrorCode, ERRORS } from '../../../platform/http/errors.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { MessagesPort } from '../ports.ts';
import type { TemplateError, Templates } from '../../../platform/templates/templates.ts';
import {
  acceptPublications,
  type Acceptance,
  PublicationRejected,
  reject,
} from './publication-acceptance.ts';
import {
  type PublicationRequest,
  renderPublication,
  type RenderedPublication,
} from './publication-request.ts';
import type { PublicationObject } from './publication.schema.ts';

/** Payloads that are written together, at most. */
const MAX_TOGETHER = 100;
const MAX_REJECTED_TOGETHER = 20;

export interface ReceiverDeps {
  units: Units;
  /** Connections that don't wait behind requests: what is refused is stored while the caller's transaction may be open. */
  control: Database;
  templates: Pick<Templates, 'render'>;
  messages: MessagesPort;
  /** After a commit: something waits to be published. A hint. */
  wake: () => void;
}

export interface Receiver {
  /**
   * Both of the below, in a transaction that is shared with others.
   * @param ensureFresh called before it commits: may still refuse by throwing
   * @throws Problem 422 what is refused, stored as `rejected`; EndpointChanged
   */
  receive(arrival: PublicationRequest, ensureFresh?: () => void | Promise<void>): Promise<PublicationObject>;
  /** Renders; before any transaction. @throws Problem rate_limited where the workspace's templates have used up their time */
  prepare(arrival: PublicationRequest): Promise<RenderedPublication>;
  /**
   * @param within the caller's own transaction, or what is to be called before a shared one commits
   * @throws Problem 422 what is refused, stored as `rejected`; EndpointChanged
   */
  admit(
    prepared: RenderedPublication,
    within: { unit: Unit } | { ensureFresh: () => void | Promise<void> },
  ): Promise<PublicationObject>;
}

/** As an answer: the faults, and the publication that they stand in. */
function refusalOf(publication: PublicationObject): Problem {
  const { id, error } = publication;
  const { code, detail, errors } = error!;
  const known = Object.hasOwn(ERRORS, code) && ERRORS[code as ErrorCode].status === 422;
  return new Problem(known ? (code as ErrorCode) : 'unprocessable', `${detail} (${id})`, {
    errors,
    members: { publication_id: id },
  });
}

export function createReceiver({ units, control, templates, messages, wake }: ReceiverDeps): Receiver {
  const { events, jobs, clock } = units.read;
  const apart = createUnits({ db: control, events, jobs, clock });
  const admissions = createBatcher<RenderedPublication, Acceptance>({
    units,
    max: MAX_TOGETHER,
    work: (unit, items) => acceptPublications(unit, messages, items),
  });
  const rejections = createBatcher<PublicationRejected, PublicationObject>({
    units: apart,
    max: MAX_REJECTED_TOGETHER,
    work: (unit, items) => reject(unit, items),
  });

  const keyOf = ({ arrival: { endpoint } }: RenderedPublication): string =>
    `${endpoint.workspaceId} ${endpoint.id}`;

  const only = ([outcome]: (Acceptance | Error)[]): Acceptance => {
    if (outcome instanceof Error) throw outcome;
    return outcome!;
  };

  const prepare = async (arrival: PublicationRequest): Promise<RenderedPublication> => {
    const prepared = await renderPublication({ templates, messages, clock }, arrival);
    const fault = [...prepared.faults, ...prepared.faultsOf.flat()].find(
      ({ code }) => code === ('template_budget' satisfies TemplateError['code']),
    );
    // Nothing is wrong with what came: it is not refused for good, but asked for again.
    if (fault) throw new Problem('rate_limited', fault.detail, { headers: { 'retry-after': '10' } });
    return prepared;
  };

  const receiver: Receiver = {
    prepare,
    async receive(arrival, ensureFresh = () => {}) {
      return receiver.admit(await prepare(arrival), { ensureFresh });
    },
    async admit(prepared, within) {
      try {
        const admission =
          'unit' in within
            ? only(await acceptPublications(within.unit, messages, [prepared]))
            : await admissions.add(keyOf(prepared), prepared, within.ensureFresh);
        if (admission.isDue) {
          if ('unit' in within) within.unit.afterCommit(wake);
          else wake();
        }
        return admission.publication;
      } catch (error) {
        if (!(error instanceof PublicationRejected)) throw error;
        throw refusalOf(await rejections.add(keyOf(prepared), error, () => {}));
      }
    },
  };
  return receiver;
}
