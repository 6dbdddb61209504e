/**
 * Requests of channels at `/channels/{token}`. Invariant: a request is answered with success only after all of its parts
 * are stored; a refused request stores nothing.
 *
 * Anonymous load is bounded as at `/in/`: per IP address requests, failures and bodies being received; per instance and
 * workspace concurrent requests. A body is read only after its instance is known.
 */
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type {
  ChannelIngress,
  IngressAccount,
  IngressAnswer,
  IngressPart,
  IngressRequest,
} from '../../../channels/contract/ingress.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { createFailureLimiter } from '../../../core/auth/failure-limiter.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/db/database.ts';
import { callerGroup, callerPath } from '../../../platform/http/caller-address.ts';
import { createInFlight, createRates, createSharedInFlight } from '../../../platform/http/ingress-limits.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';
import { createSingleflight } from '../../../platform/limits/singleflight.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { openCredentials } from '../instances/instance-secrets.ts';
import { insertParts, type NewPart } from './ingress.store.ts';
import { findByAccount, findByToken, type IngressTarget } from './ingress.system-store.ts';

const RATE_OF_CALLER = { perMinute: 60_000, burst: 20_000 };
const LOOKUPS_AT_ONCE = 8;
const MAX_AT_ONCE = { waiting: 200, instance: 100, workspace: 200, all: 400 };
const MAX_PARTS = 10_000;
const MAX_PART_ID = 200;
const OK: IngressAnswer = { status: 200, contentType: 'text/plain; charset=utf-8', body: '' };

export interface IngressCall {
  token: string;
  method: 'GET' | 'POST';
  /** Query of the URL with its question mark, or an empty string. */
  search: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** IP address of the caller. */
  address: string;
  /**
   * Called once, after the instance is known.
   * @param maxBytes maximum size
   * @throws Problem
   */
  readBody: (maxBytes: number) => Promise<Buffer>;
}

export interface ChannelIngressDeps {
  db: Database;
  drivers: Drivers;
  secrets: SecretBox;
  clock: () => Date;
  getPerson: GetPerson;
  /** @throws Problem storage_full while nothing new is stored */
  assertDiskSpace: () => void;
  /** Called after parts of these instances were stored. */
  stored: (instanceIds: readonly string[]) => void;
  log: Pick<Log, 'debug'>;
}

export interface Ingress {
  /**
   * Verifies a request, stores its parts and returns the answer.
   * @throws Problem not_found, method_not_allowed, signature_invalid, signature_expired, invalid_request, rate_limited,
   *   storage_full, unavailable, errors of `readBody`
   */
  receive(call: IngressCall): Promise<IngressAnswer>;
}

export const noSuchInstance = (): Problem => new Problem('not_found', 'There is no instance at this URL.');

const flatten = (headers: IngressCall['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

export function createChannelIngress(deps: ChannelIngressDeps): Ingress {
  const { db, drivers, secrets, clock } = deps;
  const byCaller = createRates(RATE_OF_CALLER);
  const failures = createFailureLimiter();
  const inFlight = createInFlight();
  const shared = createSharedInFlight(MAX_AT_ONCE.all);
  const inTurn = createFairGate({ capacity: LOOKUPS_AT_ONCE });
  const find = createSingleflight((token: string, address: string) =>
    inTurn(callerPath(address), () => findByToken(db, token)),
  );

  const getAccount = (target: IngressTarget): IngressAccount => ({
    settings: target.settings as Json,
    credentials: openCredentials(secrets, target),
  });

  /** Reads a request as one account. @throws Problem signature_invalid, signature_expired, invalid_request */
  function read(ingress: ChannelIngress, account: IngressAccount, request: IngressRequest) {
    const outcome = ingress.receive(request, account);
    if (outcome.kind === 'refused')
      throw new Problem(outcome.code, outcome.detail, { errors: outcome.errors ?? [] });
    return outcome;
  }

  /** Assigns parts to instances; parts of accounts without an instance are dropped. */
  async function assign(
    ingress: ChannelIngress,
    own: IngressTarget,
    { credentials }: IngressAccount,
    parts: readonly IngressPart[],
  ): Promise<NewPart[]> {
    const keys = new Set(parts.map(({ accountKey }) => accountKey).filter((key) => key !== null));
    if (own.account_key !== null) keys.delete(own.account_key);
    const siblings = keys.size ? await findByAccount(db, own.workspace_id, own.channel, [...keys]) : [];
    const targets = new Map<string | null, string[]>([[null, [own.id]]]);
    if (own.account_key !== null) targets.set(own.account_key, [own.id]);
    const getSecret = ingress.shared?.senderSecret;
    const secret = getSecret?.(credentials);
    for (const sibling of siblings) {
      // The sender has not proven to send for a sibling with another secret.
      if (getSecret?.(getAccount(sibling).credentials) !== secret) continue;
      targets.set(sibling.account_key, [...(targets.get(sibling.account_key) ?? []), sibling.id]);
    }
    return parts.flatMap(({ accountKey, id, body }) => {
      const instanceIds = targets.get(accountKey) ?? [];
      if (!instanceIds.length)
        deps.log.debug({ instance: own.id, accountKey }, 'ingress: no instance for this account');
      const partId = id.slice(0, MAX_PART_ID);
      const json = instanceIds.length ? JSON.stringify(body) : '';
      return instanceIds.map((instanceId) => ({ instanceId, partId, body: json }));
    });
  }

  return {
    async receive(call) {
      byCaller(callerGroup(call.address));
      using held = new DisposableStack();
      failures.check(call.address);
      const target = await shared.lookUp(call.address, () => find(call.token, call.address));
      const ingress = target && drivers.get(target.channel)?.ingress;
      if (!target || !ingress) {
        failures.count(call.address);
        throw noSuchInstance();
      }
      held.defer(shared.enter(await deps.getPerson(target.workspace_id)));
      held.defer(inFlight.enter(`workspace ${target.workspace_id}`, MAX_AT_ONCE.workspace));
      held.defer(inFlight.enter(target.id, MAX_AT_ONCE.instance));
      deps.assertDiskSpace();
      let body: Buffer;
      {
        using waiting = new DisposableStack();
        waiting.defer(inFlight.enter(`body of ${callerGroup(call.address)}`, MAX_AT_ONCE.waiting));
        body = await call.readBody(ingress.maxBytes);
      }
      const request = {
        method: call.method,
        url: drivers.ingressUrl(call.token) + call.search,
        query: new URLSearchParams(call.search),
        headers: flatten(call.headers),
        body,
        at: clock(),
      };
      const account = getAccount(target);
      let outcome: ReturnType<typeof read>;
      try {
        outcome = read(ingress, account, request);
      } catch (error) {
        if (error instanceof Problem && error.code === 'signature_invalid') failures.count(call.address);
        throw error;
      }
      if (outcome.kind === 'answered') return outcome.answer;
      if (outcome.parts.length > MAX_PARTS)
        throw new Problem('payload_too_large', `A request must have at most ${MAX_PARTS} entries.`);
      const parts = await assign(ingress, target, account, outcome.parts);
      if (parts.length) {
        if (!(await insertParts(db, target.workspace_id, parts)))
          throw new Problem(
            'unavailable',
            'Too many entries are queued for this instance. Try again later.',
            {
              headers: { 'retry-after': '60' },
            },
          );
        deps.stored([...new Set(parts.map(({ instanceId }) => instanceId))]);
      }
      return outcome.answer ?? OK;
    },
  };
}
