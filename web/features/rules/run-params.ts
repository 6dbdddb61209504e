/** The search parameters of the run log. */
import { oneOf, text } from '../../patterns/search-params.ts';

export const RUN_PARAMS = {
  status: oneOf('running', 'succeeded', 'failed', 'stopped', 'canceled'),
  /** The run whose sheet is open. */
  run: text,
};

export interface RunSearch {
  status?: 'running' | 'succeeded' | 'failed' | 'stopped' | 'canceled';
  run?: string;
  /** The rule to filter by, in the log of all rules. */
  rule?: string;
}
