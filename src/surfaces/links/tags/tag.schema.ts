/** Tags as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
} from '../../../platform/http/schema.ts';
import { TAG_COLORS } from './tag-colors.ts';

/** Of a tag, also where a link names it. */
export const TagName = Type.String({
  minLength: 1,
  maxLength: 50,
  // No comma: lists of names in addresses and files are separated by them.
  pattern: '^ *[^,\\s\\p{Cc}\\p{Cs}][^,\\p{Cc}\\p{Cs}]*$',
  description:
    'Its name, unique in the workspace whatever the case of its letters. Without commas; space around it is not kept.',
  examples: ['spring'],
});
const Color = Enum(TAG_COLORS, {
  description: 'How the console shows it. Default: one that follows from the name.',
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
      description: 'How many links have it; counted up to 10,000.',
      examples: [12],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the person or key that created or first named it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Tag' },
);

const given = { color: Type.Optional(Color), metadata: Type.Optional(Metadata) };
export const CreateTag = Strict({ name: TagName, ...given });
export const UpdateTag = Strict({ name: Type.Optional(TagName), ...given });

export const TagList = ListQuery({
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Only those whose name contains this, in any case.',
      examples: ['spr'],
    }),
  ),
  ...createdFilters,
});

export type TagObject = Static<typeof Tag>;
export type CreateTagBody = Static<typeof CreateTag>;
export type UpdateTagBody = Static<typeof UpdateTag>;
