/** Bodies and answers of /api/auth. No answer holds a session token: it is in the HttpOnly cookie alone. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import { Id, objectFields } from '../../api/id-schema.ts';
import { toListSchema, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { MAX_PASSWORD } from './password-policy.ts';

const MAX_TOKEN = 200;

const Email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Email address. Case-insensitive.',
  examples: ['ada@example.com'],
});

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: inWords(
    '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
    'must be one line and not blank',
  ),
  description: 'Name shown to other members; one line.',
  examples: ['Ada Lovelace'],
});

/** How short is said by the service, with a code of its own. */
const Password = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_PASSWORD,
    description,
    examples: ['correct horse battery'],
  });

const Token = (description: string) => Type.String({ minLength: 1, maxLength: MAX_TOKEN, description });

const RememberMe = Type.Optional(
  Type.Boolean({
    default: true,
    description: 'false: the session ends with the browser, or after a day.',
    examples: [true],
  }),
);

export const SignUpBody = Strict({
  name: Name,
  email: Email,
  password: Password('At least 8 characters; neither common, nor your name or email address.'),
  setup_token: Type.Optional(
    Nullable(
      Token(
        'The setup token from the server log. Required for the first user if the server is reachable from other machines.',
      ),
    ),
  ),
  invitation_token: Type.Optional(Nullable(Token('Token of an invitation to this address.'))),
});

export const SignInBody = Strict({
  email: Email,
  password: Password('The password.'),
  remember_me: RememberMe,
});

export const RequestResetBody = Strict({ email: Email });
export const ResetBody = Strict({
  token: Token('From the mail.'),
  new_password: Password('At least 8 characters; neither common, nor your name or email address.'),
});
export const ChangePasswordBody = Strict({
  current_password: Password('The present password.'),
  new_password: Password('At least 8 characters; neither common, nor your name or email address.'),
});
export const UpdateUserBody = Strict({ name: Name });
export const RevokeSessionBody = Strict({ id: Id('session') });

const User = Type.Object({
  ...objectFields('user', 'user'),
  name: Name,
  email: Email,
  created_at: Timestamp('When the user signed up.'),
});

export const SignedIn = Type.Object({ user: User });

export const CurrentSession = Type.Object({
  user: Nullable(User),
  session: Nullable(
    Type.Object({
      ...objectFields('session', 'session'),
      expires_at: Timestamp('When the session expires if it is not used.'),
    }),
  ),
});

const Session = Type.Object({
  ...objectFields('session', 'session'),
  current: Type.Boolean({ description: 'Whether this is the session of the current request.' }),
  ip: Nullable(Type.String(), { description: 'IP address that signed in.' }),
  user_agent: Nullable(Type.String(), { description: 'User agent of the browser that signed in.' }),
  created_at: Timestamp('When the user signed in.'),
  expires_at: Timestamp('When the session expires if it is not used.'),
});

export const SessionList = toListSchema(Session);
export const Revoked = Type.Object({ revoked: Type.Integer({ description: 'Number of sessions ended.' }) });
export const Accepted = Type.Object({ accepted: Type.Literal(true) });

export const Status = Type.Object({
  sign_up: Type.Unsafe<'first' | 'open' | 'invite'>({
    type: 'string',
    enum: ['first', 'open', 'invite'],
    description:
      'Who can sign up: the first user (`first`), everybody (`open`) or invited people (`invite`).',
  }),
  setup_token_required: Type.Boolean({
    description: 'Whether sign-up requires the setup token from the server log.',
  }),
  mail: Type.Boolean({ description: 'Whether this server can mail a reset link.' }),
});

export type SignUpInput = Static<typeof SignUpBody>;
export type SignInInput = Static<typeof SignInBody>;
export type StatusAnswer = Static<typeof Status>;
