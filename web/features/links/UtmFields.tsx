/** The UTM parameters that a link adds to its destination URL. */
import { Autocomplete, SimpleGrid, Stack, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { UtmName } from './final-url.ts';
import type { LinkForm } from './link-form.ts';

const FIELDS: { name: UtmName; label: string; placeholder: string; usual?: string[] }[] = [
  {
    name: 'source',
    label: t('Source'),
    placeholder: 'newsletter',
    usual: ['newsletter', 'google', 'facebook', 'instagram', 'linkedin', 'youtube', 'qr'],
  },
  {
    name: 'medium',
    label: t('Medium'),
    placeholder: 'email',
    usual: ['email', 'social', 'cpc', 'display', 'affiliate', 'referral', 'sms', 'print'],
  },
  { name: 'campaign', label: t('Campaign'), placeholder: 'spring' },
  { name: 'term', label: t('Term'), placeholder: t('running shoes') },
  { name: 'content', label: t('Content'), placeholder: 'header' },
];

export function UtmFields({ form }: { form: ApiForm<LinkForm> }) {
  const { utm } = form.values;
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        {t('Added to the destination URL and to the URLs of targeting rules. Existing values are replaced.')}
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
