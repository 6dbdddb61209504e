/** Names of link statuses. */
import { t } from '../../copy/text.ts';
import type { Link } from '../../api/types.ts';

export const STATE_NAMES: Record<Link['state'], string> = {
  active: t('Active'),
  expired: t('Expired'),
  exhausted: t('Limit reached'),
  archived: t('Archived'),
};

export const LINK_STATES = Object.keys(STATE_NAMES) as Link['state'][];
