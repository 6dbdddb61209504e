/** Workspaces as the API shows them. */
import Type, { type Static } from 'typebox';
import { ROLE_NAMES } from '../auth/scopes.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
} from '../../platform/http/schema.ts';
import { SLUG_MAX, SLUG_PATTERN } from './slug.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]+$',
  description: 'Display name of the workspace.',
  examples: ['Acme'],
});

const Slug = Type.String({
  minLength: 1,
  maxLength: SLUG_MAX,
  pattern: SLUG_PATTERN,
  description: 'Its name in addresses: lower-case letters, digits, single hyphens. Unique on the server.',
  examples: ['acme'],
});

const MediaRetentionDays = Nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
  description:
    'Days that media are kept for; older ones are deleted within an hour or two, also those that messages refer to. null: for ever.',
  examples: [365],
});

const MessageRetentionDays = Nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
  description:
    'Days to retain messages, counted from their creation or scheduled time. Older messages are deleted within an hour or two, with their reactions and received files. Messages that are still to be sent stay. null retains them forever.',
  examples: [365],
});

const ClickAddresses = Type.Boolean({
  description:
    "Whether clicks on short links keep the visitor's address. Off, as at first, it is forgotten with the click.",
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
      description: 'Your role in it; null for an API key, and in events.',
      examples: ['owner'],
    }),
    media_retention_days: MediaRetentionDays,
    message_retention_days: MessageRetentionDays,
    click_addresses: ClickAddresses,
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
  metadata: Type.Optional(Metadata),
});

export const WorkspaceList = ListQuery(createdFilters);

export const DeleteWorkspace = Strict({
  slug: Type.String({
    maxLength: 100,
    description: "The workspace's own slug, so that nothing is deleted by mistake.",
    examples: ['acme'],
  }),
});

export type WorkspaceObject = Static<typeof Workspace>;
export type CreateWorkspaceBody = Static<typeof CreateWorkspace>;
export type UpdateWorkspaceBody = Static<typeof UpdateWorkspace>;
