/** Sessions and sign-in, outside `/api/v1`. */
import { queryOptions } from '@tanstack/react-query';
import { ensureOk, fetchOrProblem } from './client.ts';

export interface User {
  id: string;
  name: string;
  email: string;
  created_at: string;
}

/** A browser in which the user is signed in. */
export interface Session {
  id: string;
  /** Whether it is the current session. */
  current: boolean;
  ip: string | null;
  user_agent: string | null;
  created_at: string;
  expires_at: string;
}

export interface SignUpStatus {
  /** Sign-up is open for the first user, for everyone, or for invited people. */
  sign_up: 'first' | 'open' | 'invite';
  setup_token_required: boolean;
  /** Whether the server can mail a reset link. */
  mail: boolean;
}

async function get<T>(path: string): Promise<T> {
  const response = await fetchOrProblem(`/api/auth${path}`, { credentials: 'same-origin' });
  return (await ensureOk(response)).json() as Promise<T>;
}

async function post(path: string, body?: object): Promise<void> {
  await ensureOk(
    await fetchOrProblem(`/api/auth${path}`, {
      method: 'POST',
      credentials: 'same-origin',
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    }),
  );
}

/** Gets the signed-in user; null if there is none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => get<{ user: User | null }>('/get-session').then(({ user }) => user),
  staleTime: 60_000,
});

/** Gets the sign-up options of this server. */
export const signUpStatusQuery = queryOptions({
  queryKey: ['sign-up-status'],
  queryFn: () => get<SignUpStatus>('/status'),
});

/** The user's sessions on all devices. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => get<{ data: Session[] }>('/list-sessions').then(({ data }) => data),
});

export interface SignUp {
  name: string;
  email: string;
  password: string;
  setup_token?: string;
  invitation_token?: string;
}

export const auth = {
  signUp: (fields: SignUp) => post('/sign-up/email', fields),
  signIn: (fields: { email: string; password: string }) => post('/sign-in/email', fields),
  signOut: () => post('/sign-out'),
  requestPasswordReset: (fields: { email: string }) => post('/request-password-reset', fields),
  resetPassword: (fields: { new_password: string; token: string }) => post('/reset-password', fields),
  /** Ends all other sessions of the user. */
  changePassword: (fields: { current_password: string; new_password: string }) =>
    post('/change-password', fields),
  updateUser: (fields: { name: string }) => post('/update-user', fields),
  revokeSession: (id: string) => post('/revoke-session', { id }),
  revokeOtherSessions: () => post('/revoke-other-sessions'),
};
