/** The one table of jobs that callers can watch: each type, and the scopes of which reading it requires one. */
import type { Scope } from '../vocabulary/scopes.ts';

const scopesOn = <N extends 'contacts' | 'groups' | 'links' | 'webhooks'>(noun: N) =>
  [`${noun}:read`, `${noun}:write`] as const satisfies readonly Scope[];

/** Type → the scopes for reading its result. */
export const JOB_SCOPES = {
  'contacts.import': scopesOn('contacts'),
  'contacts.check': scopesOn('contacts'),
  'links.import': scopesOn('links'),
  'webhooks.replay': scopesOn('webhooks'),
  'groups.create': scopesOn('groups'),
  'groups.join': scopesOn('groups'),
  'groups.update': scopesOn('groups'),
  'groups.participants': scopesOn('groups'),
  'groups.leave': scopesOn('groups'),
  'groups.revoke_invite': scopesOn('groups'),
  'groups.refresh': scopesOn('groups'),
} as const satisfies Record<string, readonly Scope[]>;

export type JobType = keyof typeof JOB_SCOPES;
