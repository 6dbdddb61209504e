/** Events of invitations. They never contain the link. */
import { eventKind } from '../events/event-kind.ts';
import { Invitation } from './invitation.schema.ts';

export const invitationEvents = {
  'invitation.created': eventKind({
    object: Invitation,
    description: 'A person was invited to the workspace.',
  }),
  'invitation.accepted': eventKind({
    object: Invitation,
    description: 'The invited person became a member.',
    sample: { state: 'accepted', accepted_by: 'usr_01h2xcejqtf2nbrexx3vqjhp41' },
  }),
  'invitation.revoked': eventKind({
    object: Invitation,
    description: 'An invitation was revoked, or replaced by a newer one.',
    sample: { state: 'revoked' },
  }),
};
