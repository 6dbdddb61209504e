import { t } from '../../copy/text.ts';
import { WithInstance } from '../instances/WithInstance.tsx';

type Props = Pick<React.ComponentProps<typeof WithInstance>, 'children'>;

/** Renders its children once there is a connected instance that supports groups. */
export const WithGroupInstance = ({ children }: Props) => (
  <WithInstance
    operation="groups"
    disconnected={t('No instance that supports groups is connected.')}
    none={t(
      'Create an instance on a channel that supports groups. To try it without an account, use the sandbox.',
    )}
  >
    {children}
  </WithInstance>
);
