/** The UTM parameters of a link, which tell the tools of its target where a visitor came from. */
import { Autocomplete, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Form } from '../../ui/use-form.ts';
import type { UtmName } from './final-url.ts';
import type { LinkForm } from './link-form.ts';

const FIELDS: { name: UtmName; label: string; placeholder: string; usual?: string[] }[] = [
  {
    name: 'source',
    label: 'Source',
    placeholder: 'newsletter',
    usual: ['newsletter', 'google', 'facebook', 'instagram', 'linkedin', 'youtube', 'qr'],
  },
  {
    name: 'medium',
    label: 'Medium',
    placeholder: 'email',
    usual: ['email', 'social', 'cpc', 'display', 'affiliate', 'referral', 'sms', 'print'],
  },
  { name: 'campaign', label: 'Campaign', placeholder: 'spring' },
  { name: 'term', label: 'Term', placeholder: 'running shoes' },
  { name: 'content', label: 'Content', placeholder: 'header' },
];

export function UtmFields({ form }: { form: Form<LinkForm> }) {
  const { utm } = form.values;
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        Set in the target, and in those of the rules below, in the place of what they have of the same name.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {FIELDS.map(({ name, label, placeholder, usual = [] }) => (
          <Autocomplete
            key={name}
            label={label}
            placeholder={placeholder}
            data={usual}
            maxLength={200}
            spellCheck={false}
            value={utm[name]}
            onChange={(value) => form.set('utm', { ...utm, [name]: value })}
            error={form.at('utm', name)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
