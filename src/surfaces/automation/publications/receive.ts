/**
 * Receives publications: answers once they are durable, or rejects them with all known errors.
 * | Concurrent requests of an endpoint share a transaction, which checks the endpoint again. If the endpoint changed
 * after the sender was authenticated and the payload rendered, nothing is written (`EndpointChanged`) and the caller
 * starts over. Rejected requests are stored as `rejected` in a separate transaction.
 */
import { createBatcher } from '../../../core/unit/batcher.ts';
import { createUnits, type Unit, type Units } from '../../../core/unit/unit-of-work.ts';
import { type Database, retryOnConflict } from '../../../platform/db/database.ts';
import { type ErrorCode, ERRORS } from '../../../platform/http/errors.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { MessagesPort } from '../ports/ports.ts';
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
import type { PublicationObject } from './records/publication.schema.ts';

/** Maximum payloads per transaction. */
const MAX_TOGETHER = 100;
const MAX_REJECTED_TOGETHER = 20;

export interface ReceiverDeps {
  units: Units;
  /** Pool that does not queue behind requests: rejections are stored while the caller's transaction may be open. */
  control: Database;
  templates: Pick<Templates, 'render'>;
  messages: MessagesPort;
  /** Called after a commit when publications are due; a hint. */
  wake: () => void;
}

export interface Receiver {
  /**
   * Prepares and admits in a shared transaction.
   * @param ensureFresh called before the commit; may still reject by throwing
   * @throws Problem 422 if rejected, stored as `rejected`; EndpointChanged
   */
  receive(request: PublicationRequest, ensureFresh?: () => void | Promise<void>): Promise<PublicationObject>;
  /**
   * Prepares and admits all or none, in a transaction of their own.
   * @param requests of one endpoint, in order
   * @throws Problem 422 that names the first request that is rejected, stored as `rejected`; EndpointChanged
   */
  receiveAll(requests: readonly PublicationRequest[]): Promise<PublicationObject[]>;
  /**
   * Renders a publication; must run before any transaction.
   * @throws Problem rate_limited if the workspace has used up its template time
   */
  prepare(request: PublicationRequest): Promise<RenderedPublication>;
  /**
   * Stores a rendered publication.
   * @param within the caller's transaction, or a callback to run before a shared one commits
   * @throws Problem 422 if rejected, stored as `rejected`; EndpointChanged
   */
  accept(
    rendered: RenderedPublication,
    within: { unit: Unit } | { ensureFresh: () => void | Promise<void> },
  ): Promise<PublicationObject>;
}

/** Converts a rejected publication to an error response. */
function toRejection(publication: PublicationObject, which = ''): Problem {
  const { id, error } = publication;
  const { code, detail, errors } = error!;
  const known = Object.hasOwn(ERRORS, code) && ERRORS[code as ErrorCode].status === 422;
  return new Problem(known ? (code as ErrorCode) : 'unprocessable', `${which}${detail} (${id})`, {
    errors,
    members: { publication_id: id },
  });
}

export function createReceiver({ units, control, templates, messages, wake }: ReceiverDeps): Receiver {
  const { events, jobs, clock } = units.read;
  const apart = createUnits({ db: control, events, jobs, clock });
  const acceptances = createBatcher<RenderedPublication, Acceptance>({
    units,
    max: MAX_TOGETHER,
    work: (unit, items) => acceptPublications(unit, messages, items),
  });
  const rejections = createBatcher<PublicationRejected, PublicationObject>({
    units: apart,
    max: MAX_REJECTED_TOGETHER,
    work: (unit, items) => reject(unit, items),
  });

  const getKey = ({ request: { endpoint } }: RenderedPublication): string =>
    `${endpoint.workspaceId} ${endpoint.id}`;

  const only = ([outcome]: (Acceptance | Error)[]): Acceptance => {
    if (outcome instanceof Error) throw outcome;
    return outcome!;
  };

  const prepare = async (request: PublicationRequest): Promise<RenderedPublication> => {
    const rendered = await renderPublication({ templates, messages, clock }, request);
    const fieldError = [...rendered.fieldErrors, ...rendered.destinationErrors.flat()].find(
      ({ code }) => code === ('template_budget' satisfies TemplateError['code']),
    );
    // The request itself is valid, so it is not stored as rejected: the sender should retry.
    if (fieldError)
      throw new Problem('rate_limited', fieldError.detail, { headers: { 'retry-after': '10' } });
    return rendered;
  };

  const receiver: Receiver = {
    prepare,
    async receive(request, ensureFresh = () => {}) {
      return receiver.accept(await prepare(request), { ensureFresh });
    },
    async receiveAll(requests) {
      if (requests.length === 0) return [];
      const all: RenderedPublication[] = [];
      for (const request of requests) all.push(await prepare(request));
      try {
        const accepted = await retryOnConflict(() =>
          units.write(async (unit) =>
            (await acceptPublications(unit, messages, all)).map((one) => only([one])),
          ),
        );
        if (accepted.some(({ isDue }) => isDue)) wake();
        return accepted.map(({ publication }) => publication);
      } catch (error) {
        if (!(error instanceof PublicationRejected)) throw error;
        const rejected = await rejections.add(getKey(error.rendered), error, () => {});
        throw toRejection(rejected, `Event ${all.indexOf(error.rendered) + 1} of ${all.length}: `);
      }
    },
    async accept(rendered, within) {
      try {
        const acceptance =
          'unit' in within
            ? only(await acceptPublications(within.unit, messages, [rendered]))
            : await acceptances.add(getKey(rendered), rendered, within.ensureFresh);
        if (acceptance.isDue) {
          if ('unit' in within) within.unit.afterCommit(wake);
          else wake();
        }
        return acceptance.publication;
      } catch (error) {
        if (!(error instanceof PublicationRejected)) throw error;
        throw toRejection(await rejections.add(getKey(rendered), error, () => {}));
      }
    },
  };
  return receiver;
}
