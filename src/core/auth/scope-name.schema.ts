/** The name of a scope, as the API shows it. */
import { Enum } from '../../platform/http/schema.ts';
import { ALL_SCOPES } from '../vocabulary/scopes.ts';

export const ScopeName = Enum(ALL_SCOPES, {
  title: 'ScopeName',
  description: 'The name of the scope.',
  examples: ['links:write'],
});
