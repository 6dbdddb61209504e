/** Members as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  searchFilter,
  createdFilters,
  ListQuery,
  Nullable,
  Strict,
  timeFields,
} from '../../platform/http/schema.ts';
import { objectFields } from '../api/id-schema.ts';
import { RoleSchema } from './workspace.schema.ts';

export const EmailSchema = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'An email address. Case-insensitive.',
  examples: ['ada@example.com'],
});

export const Member = Type.Object(
  {
    ...objectFields('user', 'member'),
    name: Nullable(Type.String(), {
      description: 'Name of the user; null if the account was deleted.',
      examples: ['Ada Lovelace'],
    }),
    email: Nullable(Type.String(), {
      description: 'Email address of the user; null if the account was deleted.',
      examples: ['ada@example.com'],
    }),
    role: RoleSchema,
    created_at: timeFields.created_at,
    updated_at: timeFields.updated_at,
  },
  { title: 'Member' },
);

export const UpdateMember = Strict({ role: RoleSchema });

export const RemoveMember = Strict({
  disable_created: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether to disable the API keys, webhooks, rules, publishing endpoints, inspectors and instances that the member created, and those that these API keys created. Requires the write scope of each kind. Up to 1,000 objects are disabled before the response, the rest within a minute. `GET /members/{id}/created-objects` lists them.',
      examples: [true],
    }),
  ),
});

export const MemberList = ListQuery({
  search: searchFilter('name or email', 'ada'),
  role: Type.Optional({ ...RoleSchema, description: 'Only members with this role.' }),
  email: Type.Optional({ ...EmailSchema, description: 'Only the member with this email address.' }),
  ...createdFilters,
});

export type MemberObject = Static<typeof Member>;
