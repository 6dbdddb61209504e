import type { Publication } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { toneOf, wordOf } from './publication-text.ts';

/** Where a publication stands, as a colour and a word. */
export function PublicationState({ publication }: { publication: Publication }) {
  return <StateDot tone={toneOf(publication)}>{wordOf(publication)}</StateDot>;
}
