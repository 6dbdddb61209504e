/** Next steps of a workspace, and whether they are done. */
import {
  IconBroadcast,
  IconCloudComputing,
  IconLink,
  IconPlugConnected,
  IconSparkles,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { Usage } from '../../api/types.ts';
import { t } from '../../copy/text.ts';

type Count = (resource: string) => number;
type Found = Pick<Usage, 'resources' | 'models'>;

const STEPS = [
  {
    to: '/w/$workspace/models',
    scope: 'models:invoke',
    icon: IconSparkles,
    title: t('Try a model'),
    text: t('Chat with a model and copy the API call.'),
    // Calls are counted by the month.
    isDone: (count: Count, { models }: Found) => models.length > 0 || count('model_providers') > 0,
  },
  {
    to: '/w/$workspace/model-providers',
    scope: 'providers:write',
    icon: IconCloudComputing,
    title: t('Connect a model provider'),
    text: t('Call OpenAI, Anthropic, Ollama and others with one key and budgets.'),
    isDone: (count: Count) => count('model_providers') > 0,
  },
  {
    to: '/w/$workspace/instances',
    scope: 'instances:write',
    icon: IconPlugConnected,
    title: t('Connect a channel'),
    text: t('Send and receive messages with Telegram, WhatsApp, email or the sandbox.'),
    isDone: (count: Count) => count('instances') > 0,
  },
  {
    to: '/w/$workspace/links',
    scope: 'links:create',
    icon: IconLink,
    title: t('Create a short link'),
    text: t('Share it and see who clicks, where and on which device.'),
    isDone: (count: Count) => count('links') > 0,
  },
  {
    to: '/w/$workspace/webhooks',
    scope: 'webhooks:write',
    icon: IconWebhook,
    title: t('Set up a webhook'),
    text: t('Receive signed events on your server.'),
    isDone: (count: Count) => count('webhooks') > 0,
  },
  {
    to: '/w/$workspace/publishing',
    scope: 'publishing:write',
    icon: IconBroadcast,
    title: t('Publish from other services'),
    text: t('Turn posts from a shop, GitHub or a form into messages.'),
    isDone: (count: Count) => count('publishing_endpoints') > 0,
  },
  {
    to: '/w/$workspace/members',
    scope: 'members:write',
    icon: IconUsers,
    title: t('Invite your team'),
    text: t('Invite members by email or with a link.'),
    isDone: (count: Count) => count('members') > 1 || count('invitations') > 0,
  },
] as const;

/** Returns the steps that are not done yet and that these scopes allow. */
export function nextSteps(usage: Found, scopes: readonly string[]) {
  const count: Count = (name) => usage.resources.find(({ resource }) => resource === name)?.used ?? 0;
  return STEPS.filter(({ scope, isDone }) => scopes.includes(scope) && !isDone(count, usage));
}
