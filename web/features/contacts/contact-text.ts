import { t } from '../../copy/text.ts';
import type { Contact } from '../../api/types.ts';

/** Returns the name given in Fairlead, else the profile name, the username or the first address. */
export const contactName = ({ name, profile_name: profile, username, identities }: Contact): string =>
  name ?? profile ?? username ?? identities[0]?.address ?? t('No name');
