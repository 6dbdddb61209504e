/** Where a key may be used from and how fast; folded away, since most keys need none of it. */
import { Group, Stack, Switch, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { CountField } from '../../ui/CountField.tsx';
import { LinesField } from '../../ui/LinesField.tsx';
import type { Form } from '../../ui/use-form.ts';
import type { KeyForm } from './key-form.ts';
import classes from './api-keys.module.css';

export function RestrictionFields({ form }: { form: Form<KeyForm> }) {
  const { values, set, error } = form;
  const faulty = error('allowed_ips') ?? error('allowed_origins') ?? error('rate_limit');
  const used = values.allowed_ips.length > 0 || values.allowed_origins.length > 0;
  const [opened, setOpened] = useState(used);
  const shown = opened || faulty !== undefined;
  const id = useId();
  const Chevron = shown ? IconChevronDown : IconChevronRight;
  const rate = values.rate_limit;
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        onClick={() => setOpened(!shown)}
        aria-expanded={shown}
        aria-controls={id}
      >
        <Chevron size={14} /> Restrictions
        <span>addresses, origins, rate</span>
      </UnstyledButton>
      <Stack id={id} mt="sm" hidden={!shown} display={shown ? undefined : 'none'}>
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
        <Switch
          label="Limit the rate"
          checked={rate.limited}
          onChange={({ currentTarget }) => set('rate_limit', { ...rate, limited: currentTarget.checked })}
          error={error('rate_limit')}
        />
        {rate.limited && (
          <Group grow preventGrowOverflow={false}>
            <CountField
              label="Requests a minute"
              value={rate.limit}
              onChange={(limit) => set('rate_limit', { ...rate, limit })}
            />
            <CountField
              label="At once"
              value={rate.burst}
              onChange={(burst) => set('rate_limit', { ...rate, burst })}
            />
          </Group>
        )}
      </Stack>
    </div>
  );
}
