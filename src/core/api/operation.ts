/**
 * The declaration of an operation. Everything that each operation needs (authorization, limits, idempotency,
 * validation, errors, OpenAPI) is derived from it; the handler only calls a service.
 */
import type { IncomingMessage } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { Actor, UserActor, WorkspaceActor } from '../auth/actor.ts';
import type { Scope } from '../vocabulary/scopes.ts';
import type { EventType } from '../vocabulary/event-catalog.ts';
import type { ReadUnit, Unit } from '../unit/unit-of-work.ts';
import type { ErrorCode } from '../../platform/http/errors.ts';
import type { IfMatch } from '../../platform/http/etag.ts';
import type { IdKind } from '../vocabulary/nouns.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tag } from './tags.ts';
import type { Upload, UploadForm } from '../../platform/http/upload.ts';

/**
 * Access: a scope; `actor` for any key or member of a workspace; `user` for a signed-in person, with or without a
 * workspace; `anyone` for any authenticated caller; `public` for everybody.
 */
export type Access = Scope | 'actor' | 'user' | 'anyone' | 'public';

export interface Success {
  status: 200 | 201 | 202 | 204 | 206;
  description: string;
  schema?: TSchema;
  example?: unknown;
  /** With `text/event-stream`: the JSON in the data of each event. */
  eventSchema?: TSchema;
}

/** A body that is not by a schema. */
export interface AnyBody<T> {
  /** Content types that are taken, as the document shows them: the first is the usual one. */
  content: Record<string, { schema: TSchema; example: unknown }>;
  /**
   * Also called for requests without a body. Its result identifies the body when requests are compared (idempotency),
   * so it must be deterministic.
   * @throws Problem
   */
  read: (request: IncomingMessage) => Promise<T>;
}

/** Kinds of objects that the audit log names. A member has the ID of a user. */
export type AuditTarget = IdKind | 'member';

export interface OperationSpec {
  /** `noun.verb`, stable: the operationId. */
  id: `${string}.${string}`;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /api/v1, with `{id}` parameters. `{id*}` takes the rest of the path. */
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  access: Access;
  /**
   * Scopes that a key or member needs besides `access`, because the effect or the response exposes data that they
   * protect. A signed-in person outside any workspace needs none.
   */
  alsoNeeds?: readonly Scope[];
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  bodyExample?: unknown;
  success: Success;
  /** Another possible success, such as 200 for an existing object. */
  otherSuccess?: Success;
  /** Codes beyond those that every operation has. */
  errors?: readonly ErrorCode[];
  /**
   * Event types that a call writes: in its transaction, also of a refusal that is recorded, or in the work that it
   * starts, as a job or at the channel. Consequences, such as the delivery of a message, are not included.
   */
  events?: readonly EventType[];
  /**
   * Type of the object whose ID goes into the audit log. If set, each success is recorded in its transaction: by the
   * runner, or, where that transaction is shared (`gathered`), by the handler with `context.audit`.
   */
  audit?: AuditTarget;
  /** Top-level fields of the answer that are shown once: a replay has null there. */
  secrets?: readonly string[];
  /** Bytes of body taken; default 1 MiB. */
  bodyLimit?: number;
  /** `refused`: an Idempotency-Key is answered 400 (model calls). */
  idempotency?: 'refused';
  /**
   * `none`: the handler needs no transaction, or makes its own. `gathered`: the same where there is no Idempotency-Key;
   * it shares one with other requests then, and calls `ensureFresh` before that commits. Default: writes run in one.
   */
  transaction?: 'none' | 'gathered';
  /**
   * Whether a write still runs while a disk is nearly full, because it frees or stops something, or stores nothing. A
   * function decides by the body. DELETE operations always run; others respond with 507 `storage_full`.
   */
  whenFull?: 'goes_on' | ((body: unknown) => boolean);
  /** Unknown body fields pass (model calls). */
  openBody?: true;
  /** Content types of the success beside JSON, as text/event-stream or image/png. */
  produces?: readonly string[];
  /** Accepts bodies of several types with a custom reader, whose result is the body in the context. */
  anyBody?: AnyBody<unknown>;
  /** Also accepts multipart/form-data with one file; the received file replaces the body in the context. */
  upload?: UploadForm;
  /** The content type of the request that the document gives generators, if there are several; default JSON. */
  documentedType?: 'multipart/form-data';
  /**
   * Called before an upload is read, if its length is announced; not with an Idempotency-Key, whose stored response
   * takes precedence. @param bytes minimum size of the file @throws Problem
   */
  admitUpload?: (unit: ReadUnit, workspaceId: string, bytes: number) => Promise<void>;
  /** A read that may return objects guarded by other scopes, which are reduced as in responses to writes. */
  embedsObjects?: true;
  /** A read that returns a secret: never stored, so it has no ETag. */
  confidential?: true;
  /**
   * Responses contain secrets together with data from others, so they are not compressed (BREACH). Responses with
   * `secrets` never are.
   */
  showsSecrets?: true;
  /** A success is a file, which is sent with its own type regardless of the Accept header. */
  binary?: true;
  /** Called by OpenAI's clients: errors have OpenAI's `error` too, and unknown query parameters pass. */
  openAi?: true;
  /** RFC 9745 and RFC 8594 dates, at least 12 months apart. */
  deprecated?: { since: string; sunset: string };
}

/** The origin of a call in an audit log entry. */
export interface AuditOrigin {
  workspaceId: string;
  /** The operation's ID. */
  action: string;
  actor: Actor;
  targetType: string | null;
  ip: string;
  requestId: string;
}

type ActorFor<A extends Access> = A extends 'public'
  ? Actor | null
  : A extends 'user'
    ? UserActor
    : A extends 'anyone'
      ? Actor
      : WorkspaceActor;

type StaticOf<T> = T extends TSchema ? Static<T> : undefined;

/** A handler's unit: the request's transaction for writes, none for reads, and either of them for gathered operations. */
type UnitFor<S extends OperationSpec> = S extends { transaction: 'gathered' }
  ?
      | { unit: Unit; ensureFresh: null }
      /** `ensureFresh` is called before the commit, by the one that commits. */
      | { unit: ReadUnit; ensureFresh: () => void | Promise<void> }
  : S extends { method: 'GET' } | { transaction: 'none' }
    ? { unit: ReadUnit }
    : { unit: Unit };

export type Context<S extends OperationSpec = OperationSpec, P = undefined> = RequestContext<S, P> &
  UnitFor<S>;

interface RequestContext<S extends OperationSpec, P> {
  actor: ActorFor<S['access']>;
  params: StaticOf<S['params']>;
  query: StaticOf<S['query']>;
  body: S['anyBody'] extends AnyBody<infer T> ? T : StaticOf<S['body']>;
  /** The form received instead of a JSON body, if the operation accepts one. */
  upload: Upload | null;
  /** Of a gathered operation that declares `audit`: for the entry that its handler writes with the change. */
  audit: AuditOrigin | null;
  /** Versions that If-Match accepts. Every operation for which `takesIfMatch` holds checks them under the row's lock. */
  ifMatch: IfMatch;
  /** A W3C traceparent to carry on, or null. */
  traceparent: string | null;
  ip: string;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Result of `prepare`. */
  prepared: P;
}

export interface Answer<T> {
  body: T;
  status?: number;
  /** Of the object, for ETag and If-Match. */
  version?: number;
  headers?: Record<string, string>;
  /**
   * The objects in the response that a write created: all of them (true), or those with these IDs. They are shown whole
   * to callers who may not read others (readable-answer.ts).
   */
  created?: boolean | ReadonlySet<string>;
  /** Of the operation's `secrets`, those that are one in this answer; all of them by default. */
  secrets?: readonly string[];
  /** For the audit log, where the answer's own `id` and the path's are not it. */
  auditTarget?: string;
  /** For the audit log, where the change is in another workspace than the actor's (uuid). */
  auditWorkspaceId?: string;
  auditDetails?: Record<string, unknown>;
  /** The object was as the call would have it already: nothing is recorded. */
  unchanged?: boolean;
}

type ResponseOf<S extends OperationSpec> = StaticOf<S['success']['schema']>;

/** `handled`: the handler has taken over the raw answer (streams). */
export type Handler<S extends OperationSpec, P = undefined> = (
  context: Context<S, P>,
) => Promise<Answer<ResponseOf<S>> | 'handled'> | Answer<ResponseOf<S>>;

/**
 * Asynchronous checks before the transaction, such as DNS lookups. Reads and may reject, but writes nothing: it also
 * runs for a call whose response is already stored. Its unit is outside any transaction.
 */
export type Prepare<S extends OperationSpec, P> = (
  context: RequestContext<S, undefined> & { unit: ReadUnit },
) => Promise<P>;

export interface Operation {
  spec: OperationSpec;
  handler: (context: Context<never, never>) => Promise<Answer<unknown> | 'handled'> | Answer<unknown>;
  prepare?: (context: Context<never>) => Promise<unknown>;
}

/** Joins a declaration with its handler. `prepare` is for writes; its result is the handler's `prepared`. */
export function operation<const S extends OperationSpec>(spec: S, handler: Handler<S>): Operation;
export function operation<const S extends OperationSpec, P>(
  spec: S,
  prepare: Prepare<S, P>,
  handler: Handler<S, P>,
): Operation;
export function operation<S extends OperationSpec, P>(
  spec: S,
  ...functions: [Handler<S>] | [Prepare<S, P>, Handler<S, P>]
): Operation {
  return functions.length === 1
    ? { spec, handler: functions[0] }
    : { spec, prepare: functions[0], handler: functions[1] };
}

export const isEventStream = ({ produces }: OperationSpec): boolean =>
  produces?.includes('text/event-stream') ?? false;

export const isWrite = ({ method }: OperationSpec): boolean => method !== 'GET';

/** Whether a write changes or deletes the object at its path, so that `If-Match` protects it. */
export const takesIfMatch = (spec: OperationSpec): boolean =>
  isWrite(spec) && spec.method !== 'POST' && spec.path.endsWith('/{id}');

/** Whether an `Idempotency-Key` makes the call safe to retry. */
export const takesIdempotencyKey = (spec: OperationSpec): boolean =>
  spec.method === 'POST' &&
  spec.access !== 'public' &&
  spec.idempotency !== 'refused' &&
  spec.transaction !== 'none';
