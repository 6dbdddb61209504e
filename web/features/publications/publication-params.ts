/** The search parameters of the publication log. */
import { oneOf, text } from '../../patterns/search-params.ts';

/** The statuses of the API. */
export const PUBLICATION_STATUSES = [
  'received',
  'scheduled',
  'publishing',
  'published',
  'partially_published',
  'failed',
  'rejected',
  'duplicate',
  'canceled',
] as const;

export const PUBLICATION_PARAMS = {
  status: oneOf(...PUBLICATION_STATUSES),
  /** Hours back from now. */
  since: text,
  /** The publication whose sheet is open. */
  publication: text,
};

export interface PublicationSearch {
  status?: (typeof PUBLICATION_STATUSES)[number];
  since?: string;
  publication?: string;
}
