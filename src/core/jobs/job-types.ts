/** The one table of jobs that callers can watch: each type, and the scope that reading it requires. */
import type { Scope } from '../auth/scopes.ts';

/** Type → the scope of the operation that starts it, since results show what that operation is about. */
export const JOB_SCOPES = {
  'contacts.import': 'contacts:write',
  'contacts.check': 'contacts:write',
  'links.import': 'links:write',
  'webhooks.replay': 'webhooks:write',
  'groups.create': 'groups:write',
  'groups.join': 'groups:write',
  'groups.update': 'groups:write',
  'groups.participants': 'groups:write',
  'groups.leave': 'groups:write',
  'groups.revoke_invite': 'groups:write',
  'groups.refresh': 'groups:write',
} as const satisfies Record<string, Scope>;

export type JobType = keyof typeof JOB_SCOPES;
