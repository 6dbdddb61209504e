/** What the log of publications has in the address of a page that shows it. */
import { oneOf, text } from '../../search-params.ts';

/** As the API has them. */
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
  /** The one whose sheet is open. */
  publication: text,
};

export interface PublicationSearch {
  status?: (typeof PUBLICATION_STATUSES)[number];
  since?: string;
  publication?: string;
}
