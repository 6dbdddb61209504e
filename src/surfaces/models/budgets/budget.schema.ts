/** Schemas of budgets. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  searchFilter,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { Id, objectFields } from '../../../core/api/id-schema.ts';

export const BUDGET_WINDOWS = ['day', 'month', 'total'] as const;
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

export const BUDGET_UNITS = ['usd', 'tokens', 'calls'] as const;
export type BudgetUnit = (typeof BUDGET_UNITS)[number];

export const RESERVATIONS = ['worst_case', 'typical'] as const;
export type BudgetReservation = (typeof RESERVATIONS)[number];

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: inWords('^(?=.*\\S)[^\\u0000-\\u001f\\u007f]+$', 'must be one line and not blank'),
  description: 'Display name of the budget.',
  examples: ['Support bot'],
});

const Limit = Type.Union(
  [
    Strict({
      usd: Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Maximum cost in US dollars.',
        examples: [50],
      }),
    }),
    Strict({
      tokens: Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000_000,
        description: 'Maximum number of input and output tokens together.',
        examples: [5_000_000],
      }),
    }),
    Strict({
      calls: Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'Maximum number of calls.',
        examples: [1000],
      }),
    }),
  ],
  {
    description:
      'What model calls may use in a window, in exactly one unit. 0 rejects every call that uses any of it.',
    examples: [{ usd: 50 }],
  },
);

const Window = Enum(BUDGET_WINDOWS, {
  description:
    "When the budget starts again: each day or month of the workspace's `time_zone`, or never (`total`).",
  examples: ['month'],
});

const Reservation = Enum(RESERVATIONS, {
  description:
    'How much is reserved for a call until it ends. `worst_case`: the most that it can use, so calls in progress never exceed the budget together. `typical`: the largest share of the worst case that one of the last 20 calls with the same key, operation and model used. It admits more calls at the same time, which together can exceed the budget by the difference from their worst cases.',
  examples: ['worst_case'],
});

const Amount = (description: string, example: number) => Type.Number({ description, examples: [example] });

const ApiKeyId = Nullable(Id('api_key'), {
  description:
    'The API key that the budget applies to, including keys that it created. null for all calls of the workspace.',
  examples: [null],
});

export const Budget = Type.Object(
  {
    ...objectFields('budget', 'budget'),
    name: Name,
    api_key_id: ApiKeyId,
    limit: Limit,
    window: Window,
    reservation: Reservation,
    used: Amount('Used by calls in the current window, in the unit of `limit`.', 12.5),
    reserved: Amount(
      'Reserved for calls in progress, in the unit of `limit`. It counts as used until they end.',
      0.08,
    ),
    remaining: Amount('Available to further calls, in the unit of `limit`; never below 0.', 37.42),
    resets_at: Nullable(Timestamp('When the next window begins; null for `total`.')),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the person or key that created it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Budget' },
);

export const CreateBudget = Strict({
  name: Name,
  api_key_id: Type.Optional(ApiKeyId),
  limit: Limit,
  window: Window,
  reservation: Type.Optional(
    Enum(RESERVATIONS, {
      description: 'How much is reserved for a call until it ends.',
      default: 'worst_case',
      examples: ['typical'],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const UpdateBudget = Strict({
  name: Type.Optional(Name),
  limit: Type.Optional(Limit),
  reservation: Type.Optional(
    Enum(RESERVATIONS, {
      description: 'How much is reserved for the next calls until they end.',
      examples: ['typical'],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const BudgetList = ListQuery({
  search: searchFilter('name', 'support'),
  api_key_id: Type.Optional(Id('api_key', 'Only budgets of this API key.')),
  ...createdFilters,
});

export type BudgetObject = Static<typeof Budget>;
export type BudgetLimit = Static<typeof Limit>;
export type CreateBudgetBody = Static<typeof CreateBudget>;
export type UpdateBudgetBody = Static<typeof UpdateBudget>;
