/** API schemas of invitations, for members and for holders of the link. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';
import { exampleId, objectFields } from '../api/id-schema.ts';
import { EmailSchema } from './member.schema.ts';
import { RoleSchema } from './workspace.schema.ts';

export const INVITATION_STATES = ['pending', 'accepted', 'revoked', 'expired'] as const;

const ExpiresAt = Timestamp('When the invitation expires: 7 days after its creation.');

export const Invitation = Type.Object(
  {
    ...objectFields('invitation', 'invitation'),
    email: Type.String({ description: 'The invited email address.', examples: ['grace@example.com'] }),
    role: RoleSchema,
    state: Enum(INVITATION_STATES, {
      description: 'State of the invitation. Only pending invitations can be accepted.',
      examples: ['pending'],
    }),
    invited_by: Nullable(Type.String(), {
      description: 'ID of the user or API key that sent the invitation.',
      examples: [exampleId('user')],
    }),
    accepted_by: Nullable(Type.String(), {
      description: 'ID of the user who accepted the invitation.',
      examples: [null],
    }),
    url: Nullable(Type.String(), {
      description:
        'The invitation link. Returned only in the response that creates the invitation; otherwise null.',
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
    email: Type.String({ description: 'The invited email address.', examples: ['grace@example.com'] }),
    role: RoleSchema,
    invited_by_name: Nullable(Type.String(), {
      description: 'Name of the user who sent the invitation; null for an API key.',
      examples: ['Ada Lovelace'],
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
    description: 'The token: the last part of the invitation link.',
    examples: ['dGhpcyBpcyBub3QgYW4gaW52aXRhdGlvbiB0b2tlbi4'],
  }),
});

export const InvitationList = ListQuery({
  state: Type.Optional(
    Enum(INVITATION_STATES, { description: 'Only invitations in this state.', examples: ['pending'] }),
  ),
  email: Type.Optional({ ...EmailSchema, description: 'Only invitations to this email address.' }),
  ...createdFilters,
});

export type InvitationObject = Static<typeof Invitation>;
export type InvitationPreviewObject = Static<typeof InvitationPreview>;
export type CreateInvitationBody = Static<typeof CreateInvitation>;
export type InvitationState = (typeof INVITATION_STATES)[number];
