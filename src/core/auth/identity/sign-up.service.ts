/**
 * Decides who may sign up. The first user may, with the setup token from the log if other machines can reach the
 * server; after that SIGN_UP decides. Of two concurrent first users one wins: the decision is made under a lock, in the
 * transaction that creates the user.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Config } from '../../../platform/config/config.ts';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Attempts } from './attempts.ts';
import { hashPath } from './hash-path.ts';
import type { SignUpInput, StatusAnswer } from './identity.schema.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Caller, Library, LibraryAnswer } from './library.ts';
import type { LibraryUser } from './library-options.ts';
import type { PasswordHasher } from './password-hash.ts';
import { isCommonPassword } from './common-passwords.ts';
import { isLongEnough, isPersonal, MIN_PASSWORD, type Person } from './password-policy.ts';
import {
  deleteSetupToken,
  isInvited,
  keepSetupToken,
  lockSignUp,
  readSignUpState,
  type SignUpState,
} from './sign-up.system-store.ts';

const SETUP_TOKEN_BYTES = 18;
/** Processes that start together agree on the token of the first of them. */
const SAME_START_SECONDS = 10;

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * Refuses passwords that are short, common, or the person's own name or email address.
 * @throws Problem password_too_short, password_too_weak
 */
export function requireStrong(password: string, pointer: string, person: Partial<Person>): void {
  const refuse = (code: 'password_too_short' | 'password_too_weak', detail: string): never => {
    throw new Problem(code, `The password ${detail}.`, { errors: [{ pointer, code, detail }] });
  };
  if (!isLongEnough(password)) refuse('password_too_short', `must have at least ${MIN_PASSWORD} characters`);
  if (isPersonal(password, person)) refuse('password_too_weak', 'must not be your name or email address');
  if (isCommonPassword(password)) refuse('password_too_weak', 'is too easy to guess');
}

const fault = (
  code: 'setup_token_required' | 'setup_token_invalid' | 'invitation_required',
  detail: string,
) => new Problem(code, detail);

export function createSignUp(deps: {
  config: Config;
  db: Database;
  library: Library;
  attempts: Attempts;
  known: KnownDevices;
  hasher: PasswordHasher;
  mailEnabled: boolean;
  log: { warn(message: string): void };
}) {
  const { config, db, library, attempts, known, hasher } = deps;
  const needsSetupToken = ({ hasUsers }: SignUpState): boolean => !hasUsers && !config.loopbackOnly;

  const checkSetupToken = (expected: Buffer | null, given: string | null): void => {
    if (given === null)
      throw fault(
        'setup_token_required',
        "Creating the first user requires the setup token from the server's log.",
      );
    if (!expected?.equals(sha256(given)))
      throw fault('setup_token_invalid', "Use the setup token of the latest start from the server's log.");
  };

  const hasInvitation = async (on: Db, { email, invitation_token: token }: SignUpInput): Promise<boolean> =>
    token !== undefined && token !== null && (await isInvited(on, sha256(token), email));

  /** @throws Problem when this sign-up may not be. */
  const check = async (on: Db, input: SignUpInput): Promise<SignUpState> => {
    const { setup_token, invitation_token } = input;
    const state = await readSignUpState(on);
    if (!state.hasUsers) {
      if (needsSetupToken(state)) checkSetupToken(state.setupTokenHash, setup_token ?? null);
    } else if (config.SIGN_UP !== 'open') {
      if (!invitation_token)
        throw fault('invitation_required', 'This server accepts new users by invitation only.');
      if (!(await hasInvitation(on, input)))
        throw new Problem(
          'invitation_invalid',
          'The invitation was used, revoked or has expired, or is for another email address.',
        );
    }
    return state;
  };

  return {
    async status(): Promise<StatusAnswer> {
      const state = await readSignUpState(db);
      const open = config.SIGN_UP === 'open' ? 'open' : state.hasUsers ? 'invite' : 'first';
      return { sign_up: open, setup_token_required: needsSetupToken(state), mail: deps.mailEnabled };
    },

    /** @throws Problem password_too_short, password_too_weak, setup_token_*, invitation_*, email_taken, rate_limited */
    async signUp(caller: Caller, input: SignUpInput): Promise<LibraryAnswer<{ user: LibraryUser }>> {
      requireStrong(input.password, '/password', input);
      await attempts.count('sign_up', { ip: caller.ip });
      const before = await check(db, input); // before the hash, which is dear; the one that counts is below
      if (before.hasUsers && !(await hasInvitation(db, input)))
        await attempts.count('open_sign_up', { ip: caller.ip });
      const passwordHash = await hasher.hash(
        input.password,
        hashPath(caller.ip, input.email, false),
        caller.signal,
      );
      const prepared = new Map([[input.password, passwordHash]]);
      const name = input.name.trim();
      const { response, cookies } = await db.transaction().execute(async (trx: Tx) => {
        await lockSignUp(trx);
        const state = await check(trx, input);
        const answer = await library.call(caller, { trx, prepared }, (api, headers) =>
          api.signUpEmail({
            body: { name, email: input.email, password: input.password },
            headers,
            returnHeaders: true,
          }),
        );
        if (!state.hasUsers) await deleteSetupToken(trx);
        return answer;
      });
      return {
        response,
        cookies: [...cookies, ...(await known.remember(caller, input.email, passwordHash))],
      };
    },

    /**
     * Creates a new setup token if one is needed, and logs it. Call at each start. Does nothing if there is a user, if
     * only this machine can reach the server, or if a process that started at the same time has done it.
     */
    async announceSetupToken(): Promise<void> {
      if (config.loopbackOnly) return;
      const token = randomBytes(SETUP_TOKEN_BYTES).toString('base64url');
      if (await keepSetupToken(db, sha256(token), SAME_START_SECONDS))
        deps.log.warn(`No user yet. Sign up at ${config.baseUrl}/user/api with the setup token ${token}`);
    },
  };
}
