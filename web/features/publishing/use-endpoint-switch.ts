import { useQueryClient } from '@tanstack/react-query';
import { refreshEndpoints, updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { useEnabledSwitch } from '../../patterns/actions/use-enabled-switch.ts';

/** Enables or disables an endpoint. While it is disabled, requests are rejected. */
export function useEndpointSwitch() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useEnabledSwitch<Pick<PublishingEndpoint, 'id' | 'name'>>({
    update: updateEndpoint,
    refresh: () => refreshEndpoints(client, workspace.id),
    enabled: t('Endpoint enabled'),
    disabled: t('Endpoint disabled'),
    title: ({ name }) => t('Disable endpoint “{name}”?', { name }),
    consequence: t(
      "Senders get a 404 response while the endpoint is disabled, and their requests aren't stored. Requests already received are still published.",
    ),
  });
}
