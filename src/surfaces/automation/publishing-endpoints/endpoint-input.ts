/** Parses and validates request bodies of endpoints; reports all field errors together. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { assertModelsAllowed } from '../../../core/auth/allowed-models.ts';
import { mayDo, type Scope } from '../../../core/vocabulary/scopes.ts';
import { type FieldError, invalid, Problem } from '../../../platform/http/problem.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import type { AuthInputBody, AuthObject } from './authentication/endpoint-auth.schema.ts';
import { UNKNOWN_MODEL } from '../questions/ask-model.schema.ts';
import type { MessagesPort, ModelsPort } from '../ports/ports.ts';
import { getRejection } from '../ports/refusal.ts';
import { validateForm, getDefinitionTemplates } from './endpoint-definition.ts';
import { validateSecret, type Scheme } from './authentication/endpoint-secret.ts';
import type { SchemeOptions } from './endpoint.store.ts';
import type { Definition } from './publishing-endpoint.schema.ts';

const DEFAULT_TOLERANCE = 300;

type HmacInput = NonNullable<AuthInputBody['hmac']>;

const getHmac = (given: HmacInput): NonNullable<AuthObject['hmac']> => ({
  header: given.header,
  algorithm: given.algorithm ?? 'sha256',
  encoding: given.encoding ?? 'hex',
  prefix: given.prefix ?? '',
  timestamp_header: given.timestamp_header ?? null,
  timestamp_format: given.timestamp_format ?? 'unix',
  signed: given.signed ?? 'body',
});

/** An unsigned time proves nothing, and a signed time needs a header. */
function checkHmac({
  signed,
  timestamp_header: header,
  header: signature,
}: NonNullable<AuthObject['hmac']>): FieldError[] {
  const pointer = '/auth/hmac/timestamp_header';
  if (signed !== 'body' && header === null)
    return [{ pointer, code: 'required', detail: `is required where ${signed} is signed` }];
  if (signed === 'body' && header !== null)
    return [
      {
        pointer,
        code: 'unexpected',
        detail: 'the time is not signed: set `signed` to a form that includes it',
      },
    ];
  if (header !== null && header.toLowerCase() === signature.toLowerCase())
    return [{ pointer, code: 'ambiguous', detail: 'must differ from the signature header' }];
  return [];
}

const unexpected = (field: string, detail: string): FieldError => ({
  pointer: `/auth/${field}`,
  code: 'unexpected',
  detail,
});

/**
 * Reads the signature options.
 * @param scheme null for endpoints without signatures
 */
function readOptions(
  given: Pick<AuthInputBody, 'hmac' | 'tolerance_seconds'>,
  scheme: Scheme | null,
  before: SchemeOptions,
  fieldErrors: FieldError[],
): SchemeOptions {
  if (scheme === null) return {};
  const hmac = given.hmac ? getHmac(given.hmac) : (before.hmac ?? null);
  if (scheme === 'hmac' && hmac === null)
    fieldErrors.push({ pointer: '/auth/hmac', code: 'required', detail: 'is required for the scheme hmac' });
  if (scheme !== 'hmac' && given.hmac)
    fieldErrors.push(unexpected('hmac', `requires the scheme hmac, but the scheme is ${scheme}`));
  if (scheme === 'hmac' && given.hmac) fieldErrors.push(...checkHmac(hmac!));
  return {
    hmac: scheme === 'hmac' ? hmac : null,
    tolerance_seconds: given.tolerance_seconds ?? before.tolerance_seconds ?? DEFAULT_TOLERANCE,
  };
}

export interface AuthRead {
  scheme: Scheme | null;
  options: SchemeOptions;
}

/** Reads the auth of a new endpoint. */
export function readAuth(auth: AuthInputBody, fieldErrors: FieldError[]): AuthRead {
  if (auth.type !== 'signature') {
    for (const field of ['scheme', 'hmac', 'tolerance_seconds', 'secret'] as const)
      if (auth[field] !== undefined)
        fieldErrors.push(unexpected(field, `requires the type signature, but the type is ${auth.type}`));
    return { scheme: null, options: {} };
  }
  const { scheme } = auth;
  if (scheme === undefined) {
    fieldErrors.push({ pointer: '/auth/scheme', code: 'required', detail: 'is required for signatures' });
    return { scheme: null, options: {} };
  }
  const fieldError = auth.secret === undefined ? null : validateSecret(scheme, auth.secret, '/auth/secret');
  if (fieldError) fieldErrors.push(fieldError);
  return { scheme, options: readOptions(auth, scheme, {}, fieldErrors) };
}

/** Reads an auth update: omitted fields keep their values. The type of an endpoint cannot change. */
export function readAuthChange(
  auth: Pick<AuthInputBody, 'scheme' | 'hmac' | 'tolerance_seconds'>,
  before: AuthRead,
  fieldErrors: FieldError[],
): AuthRead {
  if (before.scheme === null) {
    for (const field of ['scheme', 'hmac', 'tolerance_seconds'] as const)
      if (auth[field] !== undefined)
        fieldErrors.push(unexpected(field, 'this endpoint does not use signatures'));
    return before;
  }
  const scheme = auth.scheme ?? before.scheme;
  return { scheme, options: readOptions(auth, scheme, before.options, fieldErrors) };
}

/** Validates the templates of a definition in a worker. */
async function checkTemplates(
  templates: Pick<Templates, 'check'>,
  workspaceId: string,
  definition: Definition,
): Promise<FieldError[]> {
  const found = getDefinitionTemplates(definition);
  const faults = await templates.check(
    workspaceId,
    found.map(({ template }) => template),
  );
  return [
    ...new Map(
      faults.flatMap((fault, nth) => {
        const { pointer } = found[nth]!;
        return fault ? [[pointer, { pointer, ...fault }] as const] : [];
      }),
    ).values(),
  ];
}

export interface FormDeps {
  templates: Pick<Templates, 'check'>;
  messages: Pick<MessagesPort, 'types'>;
  models: Pick<ModelsPort, 'exists'>;
}

/**
 * Validates the form of a definition together with the rest of the body.
 * @param fieldErrors field errors found so far
 * @throws Problem invalid_request with all field errors; model_not_found
 */
export async function assertForm(
  { templates, messages, models }: FormDeps,
  workspaceId: string,
  definition: Definition,
  fieldErrors: FieldError[],
): Promise<void> {
  const all = [
    ...fieldErrors,
    ...validateForm(definition, messages.types),
    ...(await checkTemplates(templates, workspaceId, definition)),
  ];
  if (all.length) throw invalid(all);
  const { ask_model: asked } = definition;
  if (asked && !(await models.exists(workspaceId, asked.model)))
    throw getRejection([{ pointer: '/ask_model/model', ...UNKNOWN_MODEL }]);
}

/**
 * Checks that the caller has the scopes of everything that the endpoint does, and may call its model.
 * @throws Problem insufficient_scope with the missing scopes; model_not_allowed
 */
export function assertMayPublish(
  actor: WorkspaceActor,
  { shorten_links: shortens, ask_model: asked }: Definition,
): void {
  const needed: Scope[] = [
    'messages:write',
    ...(shortens ? (['links:create'] as const) : []),
    ...(asked ? (['models:invoke'] as const) : []),
  ];
  const lacking = needed.filter((scope) => !mayDo(actor.scopes, scope));
  if (lacking.length)
    throw new Problem(
      'insufficient_scope',
      `The destinations require the scope${lacking.length > 1 ? 's' : ''} ${lacking.join(', ')}.`,
    );
  assertModelsAllowed(actor, asked ? [['/ask_model/model', asked.model]] : []);
}
