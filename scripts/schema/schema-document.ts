/**
 * The text of docs/schema.md, from a migrated database: tables by the part of the product that they belong to, with the comments
 * that migrations give them. A partitioned table stands for its partitions.
 */
import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';
import { groupTables } from './table-groups.ts';

/** Columns that refer to a table which their name doesn't tell. */
const REFERENCES: Readonly<Record<string, string>> = {
  key_id: 'api_keys',
  receiver_id: 'receivers',
  endpoint_id: 'publishing_endpoints',
  provider_id: 'model_providers',
  budget_id: 'model_budgets',
  picture_id: 'media',
  reply_to: 'messages',
  erasure_id: 'contact_erasures',
  node_id: 'connection_nodes',
  invited_by: 'users',
  accepted_by: 'users',
  'receivers.id': 'webhooks',
  'invitations.invited_by_key': 'api_keys',
  'rate_buckets.key_id': '',
  'delivery_queue.claimed_by': 'delivery_workers',
  'rule_queue.claimed_by': 'rule_workers',
  'rule_queue.replay_of': 'rule_runs',
  'rule_runs.replay_of': 'rule_runs',
  'publications.replay_of': 'publications',
  'publications.duplicate_of': 'publications',
  'ingress_parts.replay_of': 'unprocessed_updates',
  'sandbox_inbox.sender_id': 'instances',
  'sandbox_sent.recipient_id': 'instances',
  'sandbox_sent.group_id': 'sandbox_groups',
  'sandbox_group_members.group_id': 'sandbox_groups',
  'chats.last_message_id': 'messages',
  'model_call_contents.id': 'model_calls',
  'publishing_samples.id': 'publications',
};

interface Column {
  table: string;
  name: string;
  type: string;
  isNullable: boolean;
  default: string | null;
  comment: string | null;
  /** Definition of a check constraint of this column alone. */
  check: string | null;
  /** Of a foreign key. */
  references: string | null;
}
interface Table {
  name: string;
  comment: string | null;
  /** As `RANGE (id)`; null if it isn't partitioned. */
  partitions: string | null;
}
interface Index {
  table: string;
  definition: string;
  isPrimary: boolean;
}

/** Neither partitions nor the migrator's own tables. */
const OWN_TABLES = sql`c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relname not like 'kysely\\_%'`;

async function readTables(db: Database): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select c.relname as name, obj_description(c.oid, 'pg_class') as comment, pg_get_partkeydef(c.oid) as partitions
    from pg_class c where ${OWN_TABLES} order by 1
  `.execute(db);
  return rows;
}

async function readColumns(db: Database): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      not a.attnotnull as "isNullable", case when a.attidentity <> '' then 'identity' else pg_get_expr(d.adbin, d.adrelid) end
        as default, col_description(c.oid, a.attnum) as comment,
      (select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as check,
      (select confrelid::regclass::text from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum]) as references
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${OWN_TABLES} order by c.relname, a.attnum
  `.execute(db);
  return rows;
}

async function readIndexes(db: Database): Promise<Index[]> {
  const { rows } = await sql<Index>`
    select c.relname as table, pg_get_indexdef(i.indexrelid) as definition, i.indisprimary as "isPrimary"
    from pg_index i join pg_class c on c.oid = i.indrelid
    where ${OWN_TABLES} order by c.relname, i.indisprimary desc, i.indexrelid::regclass::text collate "C"
  `.execute(db);
  return rows;
}

/** As `created_at` for `now()`; long defaults don't occur. */
const shorten = (text: string): string => text.replace(/::(?:[a-z ]+|"char")(?:\[\])?/g, '');

const SHORT_TYPES: Readonly<Record<string, string>> = {
  'timestamp with time zone': 'timestamptz',
  'timestamp(3) with time zone': 'timestamptz(3)',
  'double precision': 'float8',
};

/** @returns the values that a column may have, as a sentence; empty where it isn't one of a few */
function listValues(check: string | null): string {
  const values = /= ANY \(+ARRAY\[([^\]]*)\]/.exec(check ?? '')?.[1]?.match(/'[^']*'|\b\d+\b/g);
  return values ? `One of ${values.map((value) => `\`${value.replaceAll("'", '')}\``).join(', ')}.` : '';
}

/** @returns the table that a column refers to; null for none */
function getReference(column: Column, tables: ReadonlySet<string>): string | null {
  if (column.references !== null) return column.references;
  const isUuid = column.type === 'uuid';
  const declared =
    REFERENCES[`${column.table}.${column.name}`] ?? (isUuid ? REFERENCES[column.name] : undefined);
  if (declared !== undefined) return declared || null;
  if (!isUuid || !column.name.endsWith('_id')) return null;
  const noun = column.name.slice(0, -3);
  return [`${noun}s`, noun.replace(/y$/, 'ies')].find((name) => tables.has(name)) ?? null;
}

const escapeCell = (text: string): string => text.replaceAll('|', String.raw`\|`);

function describeTable(
  table: Table,
  columns: Column[],
  indexes: Index[],
  tables: ReadonlySet<string>,
): string {
  const rows = columns.map((column) => {
    const to = getReference(column, tables);
    const type = SHORT_TYPES[column.type] ?? column.type;
    const cells = [
      `\`${column.name}\``,
      `${type}${column.isNullable ? ', null' : ''}`,
      column.default === null ? '' : `\`${shorten(column.default)}\``,
      to === null ? '' : `[${to}](#${to})${column.references === null ? '' : ' (foreign key)'}`,
      [column.comment ?? '', listValues(column.check)].filter(Boolean).join(' '),
    ];
    return `| ${cells.map(escapeCell).join(' | ')} |`;
  });
  const listed = indexes.map(({ definition, isPrimary }) => {
    const [, isUnique, name, on] = /^CREATE (UNIQUE )?INDEX (\w+) ON (?:ONLY )?public\.\w+ USING (.*)$/s.exec(
      definition,
    )!;
    const kind = isPrimary ? 'primary key, ' : isUnique ? 'unique, ' : '';
    return `- \`${name}\`: ${kind}\`${on!.replace(/^btree /, '')}\``;
  });
  return [
    `### ${table.name}`,
    table.comment! +
      (table.partitions === null ? '' : ` Partitioned by \`${table.partitions}\`, one table per UTC day.`),
    ['| Column | Type | Default | References | Meaning |', '| --- | --- | --- | --- | --- |', ...rows].join(
      '\n',
    ),
    `Indexes:\n\n${listed.join('\n')}`,
  ].join('\n\n');
}

const INTRODUCTION = `# Database schema

All tables of Fairlead's PostgreSQL database, by the part of the product that they belong to. \`npm run db:types\` generates this page from the migrations and their comments. pg-boss manages the tables of the schema \`pgboss\`.

The schema may change with every release; the [API](README.md) is stable. Read the tables for analyses if you like, but don't write to them: a change without its event, its audit entry and the auth epoch leaves caches, queues and webhooks wrong.

## Conventions

- **IDs** are UUIDv7. The API shows them with a prefix, such as \`msg_\`; columns that hold such a public ID say so.
- **Tables of a workspace** have the key \`(workspace_id, id)\`, and every statement filters by \`workspace_id\`. They can be sharded by it, for example with Citus. Values that must be unique across workspaces, such as slugs and hashes of tokens, have tables of their own that refer to \`(workspace_id, id)\`.
- **Columns named \`…_sealed\`** are encrypted with the root secret ([secrets.md](secrets.md)).
- **Times** are \`timestamptz\`. A column without a meaning has a name and a type that say everything.
- **Partitioned tables** have one table per UTC day of the ID, created a week ahead, and \`<table>_default\` for other IDs. Retention drops whole days.

## Why there are hardly any foreign keys

Only the tables of [users](#users) have foreign keys. Elsewhere, the column *References* names the table that a column refers to, and the code keeps the reference true, because a foreign key would:

- **Lock.** Each insert of a message, event or click would lock the row of its workspace, instance or link until it commits, and these rows are changed at the same time.
- **Forbid references to rows that are gone.** Events, deliveries, calls and audit entries keep the IDs of objects that were deleted before them, and retention drops days without looking for references.
- **Make deletion one transaction.** A workspace or contact is erased in batches, table by table, while the server runs. A cascade would lock millions of rows.
- **Tie tables together.** A foreign key can't refer to a part of a shard key, nor to a table that isn't sharded in the same way.

Code must therefore expect that a referenced row doesn't exist. An erasure finds the rows of a workspace by the column \`workspace_id\`, so a table that is added later is erased too.`;

/** @throws Error if a table has no comment or no place among the parts of the product, or a column of IDs says neither its table nor its meaning. */
export async function createSchemaDocument(db: Database): Promise<string> {
  const tables = await readTables(db);
  const columns = await readColumns(db);
  const indexes = await readIndexes(db);
  const names = new Set(tables.map(({ name }) => name));
  const groups = groupTables(names);
  const faults = [
    ...tables.filter(({ comment }) => !comment).map(({ name }) => `${name} has no comment`),
    ...columns
      .filter(
        (column) => /_ids?$/.test(column.name) && !column.comment && getReference(column, names) === null,
      )
      .map(({ table, name }) => `${table}.${name} has neither a comment nor a known reference`),
  ];
  if (faults.length) throw new Error(`The schema is not documented:\n  ${faults.join('\n  ')}`);
  const sections = groups.map(({ title, folders, tables: members }) =>
    [
      `## ${title}`,
      `Used by ${folders.map((folder) => `\`${folder}\``).join(', ')}.`,
      ...members.map((member) =>
        describeTable(
          tables.find(({ name }) => name === member)!,
          columns.filter(({ table }) => table === member),
          indexes.filter(({ table }) => table === member),
          names,
        ),
      ),
    ].join('\n\n'),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}
