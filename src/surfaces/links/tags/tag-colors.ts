/** The colours that a tag may have, by names that the console has shades of for light and dark. */
export const TAG_COLORS = [
  'gray',
  'red',
  'pink',
  'grape',
  'violet',
  'indigo',
  'blue',
  'cyan',
  'teal',
  'green',
  'lime',
  'yellow',
  'orange',
] as const;

export type TagColor = (typeof TAG_COLORS)[number];
