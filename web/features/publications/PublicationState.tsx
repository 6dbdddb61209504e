import type { Publication } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import { publicationTone, publicationLabel } from './publication-text.ts';

/** The status of a publication, as a colored label. */
export function PublicationState({ publication }: { publication: Publication }) {
  return <Status tone={publicationTone(publication)}>{publicationLabel(publication)}</Status>;
}
