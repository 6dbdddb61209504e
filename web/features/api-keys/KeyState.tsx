import type { ApiKey } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { Status } from '../../design/Status.tsx';

const TONES = { active: 'good', expired: 'warn', revoked: 'idle' } as const;
const NAMES = { active: t('Active'), expired: t('Expired'), revoked: t('Revoked') };

export function KeyState({ state }: { state: ApiKey['state'] }) {
  return <Status tone={TONES[state]}>{NAMES[state]}</Status>;
}
