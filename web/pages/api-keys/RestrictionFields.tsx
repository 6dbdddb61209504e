/** Where a key may be used from and how fast; folded away, since most keys need none of it. */
import { Stack } from '@mantine/core';
import { Accordion } from '../../ui/Accordion.tsx';
import { LinesField } from '../../ui/LinesField.tsx';
import { RateFields } from '../../ui/RateFields.tsx';
import type { Form } from '../../ui/use-form.ts';
import type { KeyForm } from './key-form.ts';

export function RestrictionFields({ form }: { form: Form<KeyForm> }) {
  const { values, set, error } = form;
  const faulty = error('allowed_ips') ?? error('allowed_origins') ?? error('rate_limit');
  const used = values.allowed_ips.length > 0 || values.allowed_origins.length > 0;
  return (
    <Accordion
      title="Restrictions"
      note="addresses, origins, rate"
      opened={used}
      faulty={faulty !== undefined}
    >
      <Stack>
        <LinesField
          label="Allowed addresses"
          description="Addresses or networks (CIDR), IPv4 or IPv6, one a line. Empty: from anywhere."
          placeholder="203.0.113.7"
          value={values.allowed_ips}
          onChange={(list) => set('allowed_ips', list)}
          error={error('allowed_ips')}
        />
        <LinesField
          label="Allowed origins"
          description="Sites whose pages may call with this key, one a line. Such a key is public: it needs an expiry, a rate limit and few scopes."
          placeholder="https://www.example.com"
          value={values.allowed_origins}
          onChange={(list) => set('allowed_origins', list)}
          error={error('allowed_origins')}
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
