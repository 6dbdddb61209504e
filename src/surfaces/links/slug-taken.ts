/** What a caller is told whose slug another link has: one that is free. */
import type { Unit } from '../../core/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type Address, keyOfAddress, findTakenAddresses } from './link-address.system-store.ts';
import { makeSlug, similarSlugs } from './slug.ts';

/** @returns a problem for each address, in their order; each names another free slug */
export async function slugTakenProblems(unit: Unit, addresses: readonly Address[]): Promise<Problem[]> {
  const candidates = addresses.map(({ domain, slug }) =>
    [...similarSlugs(slug), makeSlug()].map((similar) => ({ domain, slug: similar })),
  );
  const taken = await findTakenAddresses(unit.db, candidates.flat());
  return addresses.map(({ slug }, nth) => {
    const free = candidates[nth]!.find((address) => !taken.has(keyOfAddress(address)));
    // Told once: of many that ask for the same at once, each is offered another.
    if (free) taken.add(keyOfAddress(free));
    const offer = free ? ` "${free.slug}" is free.` : '';
    return new Problem('slug_taken', `Another link has the slug "${slug}".${offer}`, {
      errors: [
        {
          pointer: '/slug',
          code: 'slug_taken',
          detail: free ? `is taken; ${free.slug} is free` : 'is taken',
        },
      ],
    });
  });
}
