/** Labels of files. */
import type { Media } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Tone } from '../../design/tone.ts';

export const mediaName = ({ file_name: name, id }: Media): string => name ?? id;

const STATES: Record<Media['state'], [tone: Tone, label: string]> = {
  pending: ['warn', t('Fetching')],
  ready: ['good', t('Ready')],
  failed: ['bad', t('Failed')],
};
export const mediaState = (state: Media['state']): [tone: Tone, label: string] => STATES[state];

/** Image types that the server delivers for display. SVG can contain scripts, so it is excluded. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export const isPicture = ({ mime_type: type, state }: Media): boolean =>
  state === 'ready' && type !== null && PICTURES.includes(type);

const KINDS: Record<string, string> = {
  image: t('Image'),
  video: t('Video'),
  audio: t('Audio'),
  text: t('Text'),
  application: t('Document'),
};

/** Returns the filter's value and label of each kind of file. */
export const KIND_OPTIONS = Object.entries(KINDS).map(([kind, label]) => ({ value: `${kind}/*`, label }));

/** Returns "Image", "Document", by the MIME type. */
export const kindLabel = ({ mime_type: type }: Media): string =>
  type === null ? '–' : (KINDS[type.split('/')[0] ?? ''] ?? type);
