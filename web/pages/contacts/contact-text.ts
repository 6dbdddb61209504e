import type { Contact } from '../../api/types.ts';

/** What a contact is called: by you, else by its channel, else by its address. */
export const contactName = ({ name, profile_name: profile, identities }: Contact): string =>
  name ?? profile ?? identities[0]?.address ?? 'No name';
