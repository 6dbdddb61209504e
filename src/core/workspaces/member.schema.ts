/** Members as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  ListQuery,
  Nullable,
  objectFields,
  Strict,
  timeFields,
} from '../../platform/http/schema.ts';
import { RoleSchema } from './workspace.schema.ts';

export const EmailSchema = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'An email address; upper and lower case are the same.',
  examples: ['ada@example.com'],
});

export const Member = Type.Object(
  {
    ...objectFields('user', 'member'),
    name: Nullable(Type.String(), {
      description: 'The name of the person; null where their account is gone.',
      examples: ['Ada Lovelace'],
    }),
    email: Nullable(Type.String(), {
      description: 'The address that they sign in with; null where their account is gone.',
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
        'Whether to disable the API keys, webhooks, rules, publishing endpoints, inspectors and instances that the person created, and what those API keys created, in the same call: needs the write scope of each kind. At most 1,000 objects are disabled before the response, the rest within a minute. `GET /members/{id}/created-objects` lists them.',
      examples: [true],
    }),
  ),
});

export const MemberList = ListQuery({
  role: Type.Optional({ ...RoleSchema, description: 'Only members with this role.' }),
  email: Type.Optional({ ...EmailSchema, description: 'Only the member with this address.' }),
  ...createdFilters,
});

export type MemberObject = Static<typeof Member>;
