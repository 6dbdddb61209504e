/** What a developer edits for a new text of links, `remark`. */
import type { NeededEdit } from './omission.ts';

const FIELDS = 'src/surfaces/links/records/link-fields.schema.ts';
const FORM = 'web/features/links/link-form.ts';

export const LINK_FIELD_EDITS: readonly NeededEdit[] = [
  {
    what: 'its schema',
    file: FIELDS,
    after: "  examples: ['Everything new this spring.'],\n});\n",
    insert: `const Remark = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'What members should know of the link. Never shown to visitors.',
  examples: ['For the trade fair.'],
});
`,
    caughtBy: 'types',
    says: /Cannot find name 'Remark'/,
  },
  {
    what: 'its place among the texts',
    file: FIELDS,
    after: 'const TEXTS = { title: Title, description: Description',
    insert: ', remark: Remark',
    caughtBy: 'types',
    says: /Property 'remark' is missing in type/,
  },
  {
    what: 'its column',
    file: 'src/surfaces/links/records/link.store.ts',
    after: "  description: 'text',\n",
    insert: "  remark: 'text',\n",
    caughtBy: 'types',
    says: /Property 'remark' is missing in type/,
  },
  {
    what: 'its value in the form',
    file: FORM,
    after: '  external_id: string;\n',
    insert: '  remark: string;\n',
    caughtBy: 'types of the console',
    says: /'remark' does not exist in type/,
  },
  {
    what: 'its section of the form',
    file: FORM,
    after: "  external_id: 'custom',\n",
    insert: "  remark: 'custom',\n",
    caughtBy: 'types of the console',
    says: /Property 'remark' is missing in type/,
  },
  {
    what: 'what the form starts with',
    file: FORM,
    after: "  external_id: link?.external_id ?? '',\n",
    insert: "  remark: link?.remark ?? '',\n",
    caughtBy: 'types of the console',
    says: /Property 'remark' is missing in type/,
  },
  {
    what: 'what the form sends',
    file: FORM,
    after: '  external_id: form.external_id.trim() || null,\n',
    insert: '  remark: form.remark.trim() || null,\n',
    caughtBy: 'web/features/links/link-form.test.ts',
    says: /× the form has every field that can be set, and sends it/,
  },
  {
    what: 'its input',
    file: 'web/features/links/MoreFields.tsx',
    after: "        {...form.text('external_id')}\n      />\n",
    insert: "      <TextInput label={t('Remark')} maxLength={1000} {...form.text('remark')} />\n",
    caughtBy: 'web/features/links/link-form.test.ts',
    says: /× every field has an input/,
  },
  {
    what: 'its row on the page of the link',
    file: 'web/features/links/LinkDetails.tsx',
    after: "        : [t('External ID'), <Id id={link.external_id} of={t('External ID')} />],\n",
    insert:
      '    remark: link.remark === null ? null : [t(\'Remark\'), <span dir="auto">{link.remark}</span>],\n',
    caughtBy: 'types of the console',
    says: /Property 'remark' is missing in type/,
  },
];
