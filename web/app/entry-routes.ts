/** The pages before the sign-in. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { sessionQuery, signUpStatusQuery } from '../api/auth.ts';
import { root } from './root-route.ts';
import { searchParams, text } from '../patterns/search-params.ts';

const next = searchParams({ next: text });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: next,
  loader: async ({ context: { queryClient } }) => {
    const [user, status] = await Promise.all([
      queryClient.ensureQueryData(sessionQuery),
      queryClient.ensureQueryData(signUpStatusQuery),
    ]);
    if (user) throw redirect({ to: '/' });
    // Without users, nobody can sign in yet.
    if (status.sign_up === 'first') throw redirect({ to: '/sign-up' });
  },
  component: lazyRouteComponent(() => importOrWait(() => import('../features/sign-in/SignIn.tsx')), 'SignIn'),
});

export const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: next,
  loader: ({ context }) => context.queryClient.ensureQueryData(signUpStatusQuery),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/sign-in/SignUp.tsx')), 'SignUp'),
});

export const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  loader: ({ context }) => context.queryClient.ensureQueryData(signUpStatusQuery),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/sign-in/ForgotPassword.tsx')),
    'ForgotPassword',
  ),
});

export const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: searchParams({ token: text }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/sign-in/ResetPassword.tsx')),
    'ResetPassword',
  ),
});

export const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyRouteComponent(() => importOrWait(() => import('../features/sign-in/Invite.tsx')), 'Invite'),
});
