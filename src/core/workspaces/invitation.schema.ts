/** API schemas of invitations, for members and for holders of the link. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  ListQuery,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';
import { EmailSchema } from './member.schema.ts';
import { RoleSchema } from './workspace.schema.ts';

export const INVITATION_STATES = ['pending', 'accepted', 'revoked', 'expired'] as const;

const ExpiresAt = Timestamp('Until when it can be accepted: 7 days from its making.');

export const Invitation = Type.Object(
  {
    ...objectFields('invitation', 'invitation'),
    email: Type.String({ description: 'Who is invited.', examples: ['grace@example.com'] }),
    role: RoleSchema,
    state: Enum(INVITATION_STATES, {
      description: 'Only a pending one can be accepted.',
      examples: ['pending'],
    }),
    invited_by: Nullable(Type.String(), {
      description: 'Id of the person or key that invited.',
      examples: [exampleId('user')],
    }),
    accepted_by: Nullable(Type.String(), { description: 'Id of the person who accepted.', examples: [null] }),
    url: Nullable(Type.String(), {
      description:
        'The link to hand over. It is shown in the answer that makes the invitation only, and null everywhere else.',
      examples: [null],
    }),
    expires_at: ExpiresAt,
    ...timeFields,
  },
  { title: 'Invitation' },
);

export const InvitationPreview = Type.Object(
  {
    object: Type.Literal('invitation_preview', {
      description: 'The type of the object.',
      examples: ['invitation_preview'],
    }),
    workspace_name: Type.String({ description: 'Name of the workspace.', examples: ['Acme'] }),
    email: Type.String({ description: 'Who is invited.', examples: ['grace@example.com'] }),
    role: RoleSchema,
    invited_by_name: Nullable(Type.String(), {
      description: 'Name of the person who invited; null for an API key.',
      examples: ['Ada Lovelace'],
    }),
    has_account: Type.Boolean({
      description: 'Whether the invited address can sign in already; otherwise it must sign up.',
      examples: [true],
    }),
    expires_at: ExpiresAt,
  },
  { title: 'InvitationPreview' },
);

export const CreateInvitation = Strict({ email: EmailSchema, role: RoleSchema });

export const InvitationToken = Strict({
  token: Type.String({
    minLength: 1,
    maxLength: 200,
    description: "The last part of the invitation's address.",
    examples: ['dGhpcyBpcyBub3QgYW4gaW52aXRhdGlvbiB0b2tlbi4'],
  }),
});

export const InvitationList = ListQuery({
  state: Type.Optional(
    Enum(INVITATION_STATES, { description: 'Only those in this state.', examples: ['pending'] }),
  ),
  email: Type.Optional({ ...EmailSchema, description: 'Only those for this address.' }),
  ...createdFilters,
});

export type InvitationObject = Static<typeof Invitation>;
export type InvitationPreviewObject = Static<typeof InvitationPreview>;
export type CreateInvitationBody = Static<typeof CreateInvitation>;
export type InvitationState = (typeof INVITATION_STATES)[number];
