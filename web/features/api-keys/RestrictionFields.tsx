/** IP addresses, origins, models and rate of a key. Collapsed, since most keys have no restrictions. */
import { Stack } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { LinesField } from '../../design/LinesField.tsx';
import { RateFields } from '../../design/RateFields.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { ModelsField } from '../models/ModelsField.tsx';
import type { KeyForm } from './key-form.ts';

export function RestrictionFields({ form }: { form: ApiForm<KeyForm> }) {
  const { values, set, error } = form;
  const faulty =
    error('allowed_ips') ?? error('allowed_origins') ?? error('allowed_models') ?? error('rate_limit');
  const used =
    values.allowed_ips.length > 0 || values.allowed_origins.length > 0 || values.allowed_models !== null;
  return (
    <Accordion
      title={t('Restrictions')}
      note={t('IP addresses, origins, models, rate limit')}
      opened={used}
      faulty={faulty !== undefined}
    >
      <Stack>
        <LinesField
          label={t('Allowed IPs')}
          description={t('IPv4 or IPv6 addresses or CIDR ranges, one per line. Leave blank to allow any.')}
          placeholder="203.0.113.7"
          value={values.allowed_ips}
          onChange={(list) => set('allowed_ips', list)}
          error={error('allowed_ips')}
        />
        <LinesField
          label={t('Allowed origins')}
          description={t(
            'Websites that can use this key in the browser, one per line. Such a key is public: it needs an expiration, a rate limit and limited scopes.',
          )}
          placeholder="https://www.example.com"
          value={values.allowed_origins}
          onChange={(list) => set('allowed_origins', list)}
          error={error('allowed_origins')}
        />
        <ModelsField
          label={t('Allowed models')}
          description={t('Models and routes that this key can call. Leave blank to allow all.')}
          value={values.allowed_models ?? []}
          onChange={(list) => set('allowed_models', list.length === 0 ? null : list)}
          error={error('allowed_models')}
        />
        <RateFields
          value={values.rate_limit}
          onChange={(changed) => set('rate_limit', changed)}
          error={error('rate_limit')}
        />
      </Stack>
    </Accordion>
  );
}
