/**
 * What the audit log says of an object beside its ID: its name at that time, and of an update which values changed.
 *
 * The object is read before the change by the operation that reads it. Only the fields below are recorded: none of them
 * holds a secret, or personal data that an erasure removes. Contacts, chats and messages are therefore left out.
 */
import { Problem } from '../../platform/http/problem.ts';
import type { Answer, AuditTarget, Context, Operation, OperationSpec } from './operation.ts';

interface AuditedKind {
  name: string;
  /** Fields whose values are recorded when they change. */
  fields: readonly string[];
}

/** Fields that name objects of which nothing else is recorded, so that they aren't read before they change. */
const NAMES: ReadonlyMap<AuditTarget, string> = new Map<AuditTarget, string>([['link', 'slug']]);

/** `audit` of an operation → what is recorded of its objects. */
const AUDITED: ReadonlyMap<AuditTarget, AuditedKind> = new Map<AuditTarget, AuditedKind>([
  [
    'workspace',
    {
      name: 'name',
      fields: [
        'name',
        'slug',
        'media_retention_days',
        'message_retention_days',
        'click_addresses',
        'time_zone',
        'store_model_calls',
      ],
    },
  ],
  ['member', { name: 'name', fields: ['role'] }],
  ['invitation', { name: 'email', fields: [] }],
  [
    'api_key',
    {
      name: 'name',
      fields: [
        'name',
        'scopes',
        'expires_at',
        'allowed_ips',
        'allowed_origins',
        'allowed_models',
        'rate_limit',
        'disable_created_on_end',
      ],
    },
  ],
  // The URL of a webhook, and of an inspector, may be a credential.
  [
    'webhook',
    {
      name: 'description',
      fields: ['description', 'events', 'filters', 'enabled', 'rate_limit', 'concurrency', 'ordering'],
    },
  ],
  ['inspector', { name: 'name', fields: ['name'] }],
  // The path of a provider's URL may be a credential.
  [
    'model_provider',
    {
      name: 'name',
      fields: ['name', 'slug', 'models', 'prices', 'timeout_seconds', 'max_concurrency', 'enabled'],
    },
  ],
  ['model_route', { name: 'name', fields: ['name', 'attempts'] }],
  ['instance', { name: 'name', fields: ['name', 'queue_ttl_seconds', 'resend_unknown'] }],
  [
    'link',
    {
      name: 'short_url',
      fields: [
        'domain',
        'slug',
        'url',
        'title',
        'description',
        'tags',
        'expires_at',
        'expired_url',
        'max_clicks',
        'has_password',
        'redirect_status',
      ],
    },
  ],
  ['domain', { name: 'host', fields: ['not_found_url', 'root_url'] }],
  ['tag', { name: 'name', fields: ['name', 'color'] }],
  [
    'publishing_endpoint',
    { name: 'name', fields: ['name', 'enabled', 'allow_partial', 'success_status', 'rate_limit'] },
  ],
  ['budget', { name: 'name', fields: ['name', 'limit'] }],
  ['rule', { name: 'name', fields: ['name', 'description', 'enabled', 'events', 'rate_limit'] }],
]);

type Shown = Record<string, unknown>;
export type Changes = Record<string, { before: unknown; after: unknown }>;

/** Reads the object of a call before it changes; null if there is none. */
export type ReadBefore = (context: Context<never, never>) => Promise<Shown | null>;

/** `/links/{id}/archive` → `/links/{id}`. */
const objectPath = (path: string): string | null => /^\/[^/]+\/\{id\}(?=\/|$)/.exec(path)?.[0] ?? null;

/**
 * Builds the reader for an operation.
 * @returns null if nothing is to be read: the operation creates objects, or the audit log holds only their IDs
 */
export function createReadBefore(spec: OperationSpec, operations: readonly Operation[]): ReadBefore | null {
  const path = objectPath(spec.path);
  if (path === null || spec.audit === undefined || !AUDITED.has(spec.audit)) return null;
  const read = operations.find(
    (operation) =>
      operation.spec.method === 'GET' &&
      operation.spec.path === path &&
      operation.spec.success.schema !== undefined &&
      operation.spec.query === undefined,
  );
  if (!read) return null;
  return async (context) => {
    try {
      const answer = (await read.handler(context)) as Answer<Shown>;
      return answer.body;
    } catch (error) {
      // The operation itself rejects an object that it does not find.
      if (error instanceof Problem) return null;
      throw error;
    }
  };
}

/** Returns the object's name, as it was after the change, or before a deletion. */
export function getTargetName(
  spec: OperationSpec,
  before: Shown | null,
  after: Shown | undefined,
): string | null {
  const field = spec.audit && (AUDITED.get(spec.audit)?.name ?? NAMES.get(spec.audit));
  if (!field) return null;
  const name = after?.[field] ?? before?.[field];
  return typeof name === 'string' ? name : null;
}

/** Returns the recorded fields whose values differ; null for anything but an update. */
export function getChanges(
  spec: OperationSpec,
  before: Shown | null,
  after: Shown | undefined,
): Changes | null {
  if (spec.method !== 'PATCH' || before === null || after === undefined) return null;
  const { fields } = AUDITED.get(spec.audit!)!;
  const differing = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(
    differing.map((field) => [field, { before: before[field] ?? null, after: after[field] ?? null }]),
  );
}
