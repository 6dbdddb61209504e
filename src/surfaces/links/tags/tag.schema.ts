/** Schemas of tags. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import { characterExcept } from '../../../platform/http/portable-pattern.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
} from '../../../platform/http/schema.ts';
import { objectFields } from '../../../core/api/id-schema.ts';
import { TAG_COLORS } from './tag-colors.ts';

/** Name of a tag, also in links. */
export const TagName = Type.String({
  title: 'TagName',
  minLength: 1,
  maxLength: 50,
  // No comma: it separates names in query parameters and files.
  pattern: inWords(
    `^ *${characterExcept(',\\s')}${characterExcept(',')}*$`,
    'must be one line, not blank and without commas',
  ),
  description:
    'Name of the tag, unique in the workspace and case-insensitive. Must not contain commas; surrounding spaces are removed.',
  examples: ['spring'],
});
const Color = Enum(TAG_COLORS, {
  description: 'Color in the console. Default: derived from the name.',
  examples: ['teal'],
});

export const Tag = Type.Object(
  {
    ...objectFields('tag', 'tag'),
    name: TagName,
    color: Color,
    link_count: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Number of links with the tag; at most 10,000.',
      examples: [12],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the user or API key that created the tag, directly or by using its name.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Tag' },
);

const settable = { color: Type.Optional(Color), metadata: Type.Optional(Metadata) };
export const CreateTag = Strict({ name: TagName, ...settable });
export const UpdateTag = Strict({ name: Type.Optional(TagName), ...settable });

export const TagList = ListQuery({
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Only tags whose name contains this text, ignoring case.',
      examples: ['spr'],
    }),
  ),
  ...createdFilters,
});

export type TagObject = Static<typeof Tag>;
export type CreateTagBody = Static<typeof CreateTag>;
export type UpdateTagBody = Static<typeof UpdateTag>;
