/**
 * Every place where sealed values lie, with what each is bound to: what a rotation of the root secret seals anew. Who
 * adds one adds it here; reseal.test.ts finds in the catalogue what is missing, and a rotation refuses to begin.
 */
import { endpointSecretContext } from '../../surfaces/automation/publishing-endpoints/endpoint-secret.ts';
import { ruleSecretsContext } from '../../surfaces/automation/rules/rule-secrets.ts';
import { MAIL_CONTEXT } from '../../platform/mail/mail-job.ts';
import { credentialsContext, pairingContext } from '../../surfaces/messaging/instances/instance-secrets.ts';
import { sourceContext } from '../../surfaces/messaging/media/media.service.ts';
import { callContentContext } from '../../surfaces/models/call-log/call-content.ts';
import { providerSecretsContext } from '../../surfaces/models/providers/provider-secrets.ts';
import { requestHeadContext } from '../../core/webhooks/inspector-request.service.ts';
import { inspectorTokenContext } from '../../core/webhooks/inspector.service.ts';
import { headersContext, secretContext } from '../../core/webhooks/webhook-secret.ts';

/** Columns of a row by name, as text. */
export type Row = Record<string, string>;

export interface SealedValue {
  column: string;
  /** Where the column is a JSON object: its member that holds the value. */
  member?: string;
  /** What the value was sealed for. */
  context(row: Row): string;
}

export interface SealedColumn {
  /** With its schema where that is not ours. */
  table: string;
  /** The primary key in its order: column → its type. */
  key: Record<string, 'uuid' | 'bigint' | 'text'>;
  /** Further columns that contexts are made of. */
  needs?: string[];
  values: SealedValue[];
}

/** Sealed as well, but replaced separately, last of all (crypto/root-secret.ts). */
export const CHECK_COLUMN = 'secret_checks.sealed';

const OF_WORKSPACE = { workspace_id: 'uuid', id: 'uuid' } as const;

/** Binds a context function that takes the workspace and the id of a row. */
const ofIds =
  (context: (row: { workspace_id: string; id: string }) => string, id = 'id') =>
  (row: Row): string =>
    context({ workspace_id: row['workspace_id']!, id: row[id]! });

export const SEALED_COLUMNS: SealedColumn[] = [
  {
    table: 'webhooks',
    key: OF_WORKSPACE,
    values: [
      { column: 'secret_sealed', context: ofIds(secretContext) },
      { column: 'previous_secret_sealed', context: ofIds(secretContext) },
      { column: 'headers_sealed', context: ofIds(headersContext) },
    ],
  },
  {
    table: 'inspectors',
    key: OF_WORKSPACE,
    values: [
      { column: 'token_sealed', context: ofIds((row) => inspectorTokenContext(row.workspace_id, row.id)) },
    ],
  },
  {
    table: 'inspector_requests',
    key: { workspace_id: 'uuid', inspector_id: 'uuid', number: 'bigint' },
    needs: ['id'],
    values: [
      { column: 'head_sealed', context: ofIds((row) => requestHeadContext(row.workspace_id, row.id)) },
    ],
  },
  {
    table: 'instances',
    key: OF_WORKSPACE,
    values: [
      { column: 'credentials_sealed', context: ofIds(credentialsContext) },
      { column: 'pairing_sealed', context: ofIds(pairingContext) },
    ],
  },
  {
    table: 'connections',
    key: { instance_id: 'uuid' },
    needs: ['workspace_id'],
    values: [{ column: 'logout_credentials_sealed', context: ofIds(credentialsContext, 'instance_id') }],
  },
  {
    table: 'media',
    key: OF_WORKSPACE,
    values: [{ column: 'source_sealed', context: ofIds((row) => sourceContext(row.workspace_id, row.id)) }],
  },
  {
    table: 'publishing_endpoints',
    key: OF_WORKSPACE,
    values: [
      { column: 'secret_sealed', context: ofIds(endpointSecretContext) },
      { column: 'previous_secret_sealed', context: ofIds(endpointSecretContext) },
    ],
  },
  {
    table: 'rules',
    key: OF_WORKSPACE,
    values: [{ column: 'secrets_sealed', context: ofIds(ruleSecretsContext) }],
  },
  {
    table: 'model_providers',
    key: OF_WORKSPACE,
    values: [{ column: 'secrets_sealed', context: ofIds(providerSecretsContext) }],
  },
  {
    table: 'model_call_contents',
    key: OF_WORKSPACE,
    values: [{ column: 'content_sealed', context: ofIds(callContentContext) }],
  },
  {
    // Mails that wait, and those that were sent or given up and are still kept.
    table: 'pgboss.job',
    key: { name: 'text', id: 'uuid' },
    values: [{ column: 'data', member: 'sealed', context: () => MAIL_CONTEXT }],
  },
];
