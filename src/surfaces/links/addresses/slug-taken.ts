/** Builds problems for taken slugs, with a suggestion of a free one. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { type Address, keyOfAddress, findTakenAddresses } from './link-address.system-store.ts';
import { generateSlug, similarSlugs } from './slug.ts';

/** Builds a problem for each address, in the same order. Each suggests a different free slug. */
export async function slugTakenProblems(unit: Unit, addresses: readonly Address[]): Promise<Problem[]> {
  const candidates = addresses.map(({ domain, slug }) =>
    [...similarSlugs(slug), generateSlug()].map((similar) => ({ domain, slug: similar })),
  );
  const usedAddresses = await findTakenAddresses(unit.db, candidates.flat());
  return addresses.map(({ slug }, nth) => {
    const free = candidates[nth]!.find((address) => !usedAddresses.has(keyOfAddress(address)));
    // Not suggested again: requests for the same slug in one batch each get another suggestion.
    if (free) usedAddresses.add(keyOfAddress(free));
    const offer = free ? ` "${free.slug}" is free.` : '';
    return new Problem('slug_taken', `Another link has the slug "${slug}".${offer}`, {
      errors: [
        {
          pointer: '/slug',
          code: 'slug_taken',
          detail: free ? `is taken; ${free.slug} is free` : 'is taken',
          ...(free ? { suggestion: free.slug } : {}),
        },
      ],
    });
  });
}
