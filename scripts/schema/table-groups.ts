/**
 * Which part of the product each table belongs to, in the order of docs/schema.md. A table that is not listed belongs to the
 * part whose stores query it, after those that are; a surface that is not listed is a part of its own.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DB } from '../../src/platform/db/tables.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface TableGroup {
  title: string;
  /** Folders of its stores. */
  folders: readonly string[];
  tables: readonly string[];
}

const LISTED: readonly (TableGroup & { tables: readonly (keyof DB)[] })[] = [
  {
    title: 'Workspaces and API keys',
    folders: ['src/core/workspaces', 'src/core/api-keys', 'src/core/api'],
    tables: [
      'workspaces',
      'members',
      'invitations',
      'invite_tokens',
      'api_keys',
      'key_hashes',
      'key_origins',
      'key_usage',
      'rate_buckets',
      'idempotency_keys',
      'audit_log',
      'caused_resources',
      'traced_resources',
    ],
  },
  {
    title: 'People and sessions',
    folders: ['src/core/auth'],
    tables: [
      'users',
      'sessions',
      'accounts',
      'verifications',
      'first_user_setup',
      'auth_attempts',
      'known_addresses',
      'auth_epoch',
    ],
  },
  {
    title: 'Events and erasure',
    folders: ['src/core/events', 'src/core/activity'],
    tables: [
      'outbox',
      'outbox_rejected',
      'events',
      'workspace_sequences',
      'event_wants',
      'contact_erasures',
      'erased_events',
      'message_stats',
    ],
  },
  {
    title: 'Webhooks and inspectors',
    folders: ['src/core/webhooks'],
    tables: [
      'webhooks',
      'webhook_subscriptions',
      'receivers',
      'receiver_wakes',
      'delivery_queue',
      'delivery_workers',
      'deliveries',
      'delivery_attempts',
      'webhook_stats',
      'inspectors',
      'inspect_tokens',
      'inspector_requests',
    ],
  },
  {
    title: 'Requests and jobs',
    folders: ['src/core/requests', 'src/core/jobs'],
    tables: ['api_requests', 'request_stats', 'jobs'],
  },
  {
    title: 'Messaging',
    folders: ['src/surfaces/messaging'],
    tables: [
      'instances',
      'connection_nodes',
      'connections',
      'instance_queues',
      'contacts',
      'contact_identities',
      'contact_aliases',
      'contact_words',
      'chats',
      'messages',
      'message_reactions',
      'message_sources',
      'message_templates',
      'inbound_seen',
      'send_queue',
      'scheduled_messages',
      'ingress_parts',
      'channel_tokens',
      'unprocessed_updates',
      'unprocessed_update_counts',
      'instance_stats',
      'media',
      'media_bytes',
      'groups',
      'group_participants',
    ],
  },
  {
    title: 'Sandbox channel',
    folders: ['src/channels/sandbox'],
    tables: [
      'sandbox_sessions',
      'sandbox_inbox',
      'sandbox_sent',
      'sandbox_files',
      'sandbox_blocks',
      'sandbox_groups',
      'sandbox_group_members',
    ],
  },
  {
    title: 'Short links',
    folders: ['src/surfaces/links'],
    tables: [
      'domains',
      'hostnames',
      'links',
      'link_routes',
      'route_changes',
      'link_counters',
      'link_budgets',
      'tags',
      'link_tags',
      'clicks',
      'link_visitors',
      'click_rollups',
      'click_salts',
    ],
  },
  {
    title: 'Automation',
    folders: ['src/surfaces/automation'],
    tables: [
      'publishing_endpoints',
      'publishing_revisions',
      'publishing_counters',
      'publishing_samples',
      'in_tokens',
      'publications',
      'publication_inputs',
      'publication_results',
      'publication_queue',
      'publication_news',
      'publication_keys',
      'rules',
      'rule_subscriptions',
      'rule_counters',
      'rule_queue',
      'rule_workers',
      'rule_runs',
    ],
  },
  {
    title: 'AI models',
    folders: ['src/surfaces/models'],
    tables: [
      'model_providers',
      'model_provider_models',
      'model_routes',
      'model_budgets',
      'model_budget_slices',
      'model_open_calls',
      'model_calls',
      'model_call_contents',
      'model_call_stats',
      'model_usage',
    ],
  },
  {
    title: 'Platform',
    folders: ['src/platform'],
    tables: ['journals', 'secret_checks', 'database_clock', 'index_builds'],
  },
];

/** Returns the part that a file of `src` belongs to; undefined for one that is neither in a listed folder nor in a surface. */
function getPart(file: string): Omit<TableGroup, 'tables'> | undefined {
  const listed = LISTED.find(({ folders }) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const surface = /^src\/surfaces\/([^/]+)/.exec(file);
  if (listed || !surface) return listed;
  const [folder, name] = surface as unknown as [string, string];
  return { title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' '), folders: [folder] };
}

/**
 * Groups the tables of a database.
 * @throws Error if a listed table doesn't exist, or the stores that query an unlisted one are not in exactly one part
 */
export function groupTables(names: ReadonlySet<string>): TableGroup[] {
  const listed = new Set<string>(LISTED.flatMap(({ tables }) => tables));
  const faults = [...listed.difference(names)].map((name) => `${name} of table-groups.ts doesn't exist`);
  const stores = globSync('src/**/*store.ts', { cwd: ROOT }).map((file) => ({
    part: getPart(file),
    text: readFileSync(join(ROOT, file), 'utf8'),
  }));
  const added = new Map<string, TableGroup>();
  for (const name of names.difference(listed)) {
    const query = new RegExp(
      `\\b(?:from|into|update|join)\\s+${name}\\b|(?:From|Into|Table|Join)\\('${name}\\b`,
    );
    const parts = stores.flatMap(({ part, text }) => (part && query.test(text) ? [part] : []));
    const [part, ...others] = new Map(parts.map((one) => [one.title, one])).values();
    if (!part || others.length > 0)
      faults.push(
        `${name} is queried by the stores of ${parts.length === 0 ? 'no part' : 'several parts'}; list it in table-groups.ts`,
      );
    else added.set(part.title, { ...part, tables: [...(added.get(part.title)?.tables ?? []), name] });
  }
  if (faults.length) throw new Error(`The tables have no place in docs/schema.md:\n  ${faults.join('\n  ')}`);
  const own = LISTED.map((group) => {
    const further = added.get(group.title)?.tables ?? [];
    added.delete(group.title);
    return { ...group, tables: [...group.tables, ...further] };
  });
  // The platform is last.
  return [...own.slice(0, -1), ...added.values(), ...own.slice(-1)];
}
