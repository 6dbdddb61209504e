/** Colors of tags, by name; the console defines their shades for light and dark mode. */
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
