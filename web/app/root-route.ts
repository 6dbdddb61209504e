/** The root route, and the check that a user is signed in. */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/auth.ts';
import { lazily } from '../patterns/lazily.ts';

interface Context {
  queryClient: QueryClient;
}

const WholePageMissing = lazily(() => import('../features/sign-in/WholePageMissing.tsx'), 'WholePageMissing');

export const root = createRootRouteWithContext<Context>()({ notFoundComponent: WholePageMissing });

/** Returns the signed-in user, or redirects to the sign-in page and back. */
export async function signedIn({ queryClient }: Context, here: string) {
  const user = await queryClient.ensureQueryData(sessionQuery);
  if (!user) throw redirect({ to: '/sign-in', search: here === '/' ? {} : { next: here } });
  return user;
}
