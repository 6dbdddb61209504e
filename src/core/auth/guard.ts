/**
 * Authenticates calls. No other module turns headers into an Actor.
 * The Authorization header takes precedence over a cookie; a call with neither gets a 401.
 */
import type { Database } from '../../platform/db/database.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Actor, KeyActor, SessionActor, UserActor } from './actor.ts';
import { hashSecret, isWellFormedSecret } from '../../platform/crypto/api-key-secret.ts';
import { inNetworks, parseCidr } from '../../platform/http/cidr.ts';
import type { Epoch } from './epoch.ts';
import { createEpochCache } from './epoch-cache.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { findKeyByHash, findRole, type KeyRow, type RoleRow } from './guard.system-store.ts';
import { ROLES, type Role, type Scope } from '../vocabulary/scopes.ts';
import { currentMs } from '../../platform/time/clock.ts';

/** A session as src/core/auth/identity reads it, with the epoch of the same snapshot. */
export interface SessionRow {
  sessionId: string;
  userId: string;
  userName: string;
  email: string;
  expiresAt: Date;
  epoch: number;
}

export interface Sessions {
  /** Returns the session token of a Cookie header, or null if its signature is invalid. */
  readToken(cookieHeader: string | undefined): string | null;
  find(token: string, via?: Database): Promise<SessionRow | null>;
}

/** The parts of a request that the guard reads. */
export interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
  workspace: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  ip: string;
  /** An object that identifies the connection of the call. */
  connection: object;
  isWrite: boolean;
  /** The origin that the console is served from, as this request sees it. */
  ownOrigin: () => string;
}

export interface Guard {
  /** @throws Problem 401 or 403; a connection error if the database is unavailable and nothing cached is valid. */
  authenticate(credentials: Credentials): Actor | Promise<Actor>;
  /** Returns whether the actor can still be trusted without another lookup. */
  isFresh(actor: Actor): boolean;
  /**
   * Checks the actor again; may be called within a transaction.
   * @throws Problem 401 or 403 if the key, session or role is no longer valid, or has fewer permissions
   */
  renew(actor: Actor): Promise<void>;
}

const CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } };
const unauthorized = (
  code: 'invalid_key' | 'key_expired' | 'key_revoked' | 'not_signed_in',
  detail: string,
) => new Problem(code, detail, CHALLENGE);

type CachedKey = { epoch: number; row: KeyRow; actor: KeyActor };

const earliest = (...times: (Date | null)[]): number | null => {
  const known = times.filter((time) => time !== null).map((time) => time.getTime());
  return known.length ? Math.min(...known) : null;
};

function keyActor(row: KeyRow, hash: string): KeyActor {
  return {
    kind: 'api_key',
    id: publicId('api_key', row.key_id),
    name: row.name,
    keyId: row.key_id,
    workspaceId: row.workspace_id,
    workspace: { name: row.workspace_name, slug: row.workspace_slug },
    scopes: new Set(row.scopes as Scope[]),
    rateLimit:
      row.rate_limit_per_minute === null
        ? null
        : { limit: row.rate_limit_per_minute, burst: row.rate_limit_burst! },
    ancestors: row.ancestors,
    limitedAncestors: row.limited_ancestors,
    // A rotated secret expires with its overlap, so it can't grant, or rotate to, anything that lasts longer.
    expiresAt: earliest(row.expires_at, row.valid_until),
    allowedIps: row.allowed_ips,
    allowedNetworks: row.allowed_ips.map((text) => parseCidr(text)!),
    allowedOrigins: new Set(row.allowed_origins),
    allowedModels: row.allowed_models && new Set(row.allowed_models),
    disablesCreatedOnEnd: row.disable_created_on_end,
    epoch: row.epoch,
    hash,
  };
}

/** @throws Problem if the key is revoked, rotated or expired */
function checkKey({ row }: CachedKey): void {
  const now = currentMs();
  if (row.revoked_at !== null) throw unauthorized('key_revoked', 'The API key was revoked.');
  if (row.valid_until !== null && row.valid_until.getTime() <= now)
    throw unauthorized('key_revoked', 'This secret was rotated and its overlap has ended.');
  if (row.expires_at !== null && row.expires_at.getTime() <= now)
    throw unauthorized('key_expired', `The API key expired at ${row.expires_at.toISOString()}.`);
}

function checkUse(actor: KeyActor, { ip, origin }: Credentials): void {
  if (actor.allowedNetworks.length && !inNetworks(ip, actor.allowedNetworks))
    throw new Problem('ip_not_allowed', `The key may not be used from ${ip}.`);
  if (actor.allowedOrigins.size && !actor.allowedOrigins.has(origin ?? ''))
    throw new Problem(
      'origin_not_allowed',
      `The key may not be used from ${origin ?? 'a call without an Origin header'}.`,
    );
}

/** Returns whether the key lost scopes since the call began, or its allowed addresses or origins changed. */
function isNarrower(now: KeyActor, before: KeyActor): boolean {
  const bounds = ({ allowedIps, allowedOrigins }: KeyActor) =>
    JSON.stringify([allowedIps, [...allowedOrigins]]);
  return [...before.scopes].some((scope) => !now.scopes.has(scope)) || bounds(now) !== bounds(before);
}

function checkSameOrigin({ origin, fetchSite, isWrite, ownOrigin }: Credentials): void {
  const own = origin === ownOrigin();
  if ((origin !== undefined && !own) || (isWrite && !own && fetchSite !== 'same-origin'))
    throw new Problem('origin_not_allowed', `Requests with a cookie must come from ${ownOrigin()}.`);
}

export function createGuard(deps: {
  db: Database;
  epoch: Epoch;
  sessions: Sessions;
  failures: FailureLimiter;
}): Guard {
  const { db, epoch, sessions, failures } = deps;

  const keys = createEpochCache<CachedKey>(epoch, db, async (via, hash) => {
    const row = await findKeyByHash(via, hash);
    return row && { epoch: row.epoch, row, actor: keyActor(row, hash) };
  });

  const users = createEpochCache<UserActor>(epoch, db, async (via, token) => {
    const row = await sessions.find(token, via);
    return (
      row && {
        kind: 'user',
        id: publicId('user', row.userId),
        name: row.userName,
        userId: row.userId,
        email: row.email,
        expiresAt: row.expiresAt.getTime(),
        epoch: row.epoch,
        token,
      }
    );
  });

  const roles = createEpochCache<RoleRow>(epoch, db, (via, key) => {
    const [userId = '', workspaceId = ''] = key.split('|');
    return findRole(via, userId, workspaceId);
  });

  /** @throws Problem if the header can't contain a key of this server */
  const parseAndHashKey = (authorization: string): string => {
    const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (secret === undefined)
      throw unauthorized('invalid_key', 'Send Authorization: Bearer and the API key.');
    // Checked by checksum alone, so it costs nothing and doesn't count as a failure. Otherwise one program with a
    // broken key would lock out every key that its address has not used here yet.
    if (!isWellFormedSecret(secret))
      throw unauthorized(
        'invalid_key',
        'The API key is malformed or its checksum is wrong. Check that you copied all of it.',
      );
    return hashSecret(secret);
  };

  /** The last header of each connection with its hash. Kept-alive connections usually send the same header again. */
  const lastByConnection = new WeakMap<object, { authorization: string; hash: string }>();
  const getCachedHash = (authorization: string, connection: object): string => {
    const last = lastByConnection.get(connection);
    if (last?.authorization === authorization) return last.hash;
    const hash = parseAndHashKey(authorization);
    lastByConnection.set(connection, { authorization, hash });
    return hash;
  };

  const authenticateKey = (authorization: string, credentials: Credentials): Actor | Promise<Actor> => {
    const hash = getCachedHash(authorization, credentials.connection);
    const accept = (found: CachedKey): KeyActor => {
      checkKey(found);
      checkUse(found.actor, credentials);
      return found.actor;
    };
    const known = keys.get(hash);
    if (known) return accept(known);
    if (!keys.has(hash)) failures.check(credentials.ip);
    return keys.load(hash).then((found) => {
      if (found) return accept(found);
      failures.count(credentials.ip);
      throw unauthorized('invalid_key', 'The API key does not exist.');
    });
  };

  const findUser = async (token: string, mode: 'load' | 'reload' = 'load'): Promise<UserActor> => {
    const known = users.get(token);
    // Extending a session doesn't raise the epoch, so a session that seems expired is loaded again.
    const user = known && known.expiresAt > currentMs() ? known : await users[mode](token);
    if (!user || user.expiresAt <= currentMs())
      throw unauthorized('not_signed_in', 'The session has ended. Sign in again.');
    return user;
  };

  const inWorkspace = async (
    user: UserActor,
    workspaceId: string | null,
    mode: 'load' | 'reload' = 'load',
  ): Promise<SessionActor> => {
    const cacheKey = `${user.userId}|${workspaceId}`;
    const found = workspaceId === null ? null : (roles.get(cacheKey) ?? (await roles[mode](cacheKey)));
    if (workspaceId === null || !found)
      throw new Problem(
        'workspace_required',
        'You are not a member of the workspace that Fairlead-Workspace names.',
      );
    return {
      ...user,
      kind: 'session',
      workspaceId,
      workspace: { name: found.name, slug: found.slug },
      role: found.role as Role,
      scopes: new Set<Scope>(ROLES[found.role as Role]),
      epoch: Math.min(user.epoch, found.epoch),
    };
  };

  return {
    authenticate(credentials) {
      if (credentials.authorization !== undefined)
        return authenticateKey(credentials.authorization, credentials);
      const token = sessions.readToken(credentials.cookie);
      if (token === null) throw unauthorized('invalid_key', 'Send an API key: Authorization: Bearer fl_…');
      checkSameOrigin(credentials);
      return findUser(token).then((user): Actor | Promise<Actor> =>
        credentials.workspace === undefined
          ? user
          : inWorkspace(user, toUuid('workspace', credentials.workspace)),
      );
    },

    isFresh(actor) {
      if (actor.expiresAt !== null && actor.expiresAt <= currentMs()) return false;
      return epoch.isCurrent(actor.epoch);
    },

    async renew(actor) {
      if (actor.kind === 'api_key') {
        const found = keys.get(actor.hash) ?? (await keys.reload(actor.hash));
        if (!found) throw unauthorized('key_revoked', 'The API key was revoked.');
        checkKey(found);
        if (isNarrower(found.actor, actor))
          throw new Problem('insufficient_scope', 'The key was changed while the call ran. Send it again.');
        return;
      }
      const user = await findUser(actor.token, 'reload');
      if (actor.kind === 'session') {
        const now = await inWorkspace(user, actor.workspaceId, 'reload');
        if (now.role !== actor.role)
          throw new Problem('insufficient_scope', 'Your role was changed while the call ran. Send it again.');
      }
    },
  };
}
