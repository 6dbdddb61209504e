/** Workspaces as the API shows them. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../platform/http/pattern-words.ts';
import { ROLE_NAMES } from '../vocabulary/scopes.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
} from '../../platform/http/schema.ts';
import { objectFields } from '../api/id-schema.ts';
import { SLUG_MAX, SLUG_PATTERN } from './slug.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: inWords('^(?=.*\\S)[^\\u0000-\\u001f\\u007f]+$', 'must be one line and not blank'),
  description: 'Display name of the workspace.',
  examples: ['Acme'],
});

const Slug = Type.String({
  minLength: 1,
  maxLength: SLUG_MAX,
  pattern: SLUG_PATTERN,
  description:
    "The workspace's name in URLs: lowercase letters, digits and single hyphens. Unique on the server.",
  examples: ['acme'],
});

const MediaRetentionDays = Nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
  description:
    'Days to retain media. Older files are deleted within two hours, including those that messages refer to. null retains them forever.',
  examples: [365],
});

const MessageRetentionDays = Nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
  description:
    'Days to retain messages, counted from their creation or scheduled time. Older messages are deleted within two hours, with their reactions and received files. Pending messages are kept. null retains messages forever.',
  examples: [365],
});

const ClickAddresses = Type.Boolean({
  description:
    'Whether to store the IP address of each click on a short link. By default, IP addresses are not stored.',
  examples: [false],
});

const TimeZone = Type.String({
  minLength: 1,
  maxLength: 60,
  default: 'UTC',
  description:
    'IANA name of the time zone in which days and months of budgets begin. A new time zone applies from the next window.',
  examples: ['Europe/Berlin'],
});

const StoreModelCalls = Type.Boolean({
  description:
    'Whether prompts and responses of model calls are stored, encrypted, for 7 days. `GET /model-calls/{id}` returns them. Calls that were stored stay for 7 days after you turn it off.',
  examples: [false],
});

export const RoleSchema = Enum(ROLE_NAMES, {
  description: 'A fixed set of scopes; `GET /scopes` lists them.',
  examples: ['developer'],
});

export const Workspace = Type.Object(
  {
    ...objectFields('workspace', 'workspace'),
    name: Name,
    slug: Slug,
    role: Nullable(RoleSchema, {
      description: 'Your role in the workspace; null for an API key, and in events.',
      examples: ['owner'],
    }),
    media_retention_days: MediaRetentionDays,
    message_retention_days: MessageRetentionDays,
    click_addresses: ClickAddresses,
    time_zone: TimeZone,
    store_model_calls: StoreModelCalls,
    metadata: Metadata,
    ...timeFields,
  },
  { title: 'Workspace' },
);

export const CreateWorkspace = Strict({
  name: Name,
  slug: Type.Optional(Slug),
  metadata: Type.Optional(Metadata),
});

export const UpdateWorkspace = Strict({
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
  media_retention_days: Type.Optional(MediaRetentionDays),
  message_retention_days: Type.Optional(MessageRetentionDays),
  click_addresses: Type.Optional(ClickAddresses),
  time_zone: Type.Optional(TimeZone),
  store_model_calls: Type.Optional(StoreModelCalls),
  metadata: Type.Optional(Metadata),
});

export const WorkspaceList = ListQuery(createdFilters);

export const DeleteWorkspace = Strict({
  slug: Type.String({
    maxLength: 100,
    description: 'The slug of the workspace, to confirm the deletion.',
    examples: ['acme'],
  }),
});

export type WorkspaceObject = Static<typeof Workspace>;
export type CreateWorkspaceBody = Static<typeof CreateWorkspace>;
export type UpdateWorkspaceBody = Static<typeof UpdateWorkspace>;
