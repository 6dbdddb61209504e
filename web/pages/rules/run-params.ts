/** What the log of runs has in the address of a page that shows it. */
import { oneOf, text } from '../../search-params.ts';

export const RUN_PARAMS = {
  status: oneOf('running', 'succeeded', 'failed', 'stopped', 'canceled'),
  /** The one whose sheet is open. */
  run: text,
};

export interface RunSearch {
  status?: 'running' | 'succeeded' | 'failed' | 'stopped' | 'canceled';
  run?: string;
  /** Where the log is of all rules: the one that is looked at. */
  rule?: string;
}
