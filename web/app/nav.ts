/**
 * The navigation: the four surfaces, shared pages, and the pages of the workspace. A group without items is not
 * shown, so a surface appears with its first page.
 */
import {
  IconActivity,
  IconAddressBook,
  IconAdjustments,
  IconBolt,
  IconBroadcast,
  IconBrowserShare,
  IconChartAreaLine,
  IconChartBar,
  IconCloudComputing,
  IconHistory,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconListDetails,
  IconMessage2Search,
  IconMessages,
  IconPhoto,
  IconPlugConnected,
  IconPuzzle,
  IconRoute,
  IconSparkles,
  IconTag,
  IconUsers,
  IconUsersGroup,
  IconWallet,
  IconWebhook,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from '../copy/text.ts';

export type PagePath =
  | '/w/$workspace'
  | '/w/$workspace/api-keys'
  | '/w/$workspace/your-site'
  | '/w/$workspace/models'
  | '/w/$workspace/model-providers'
  | '/w/$workspace/model-routes'
  | '/w/$workspace/budgets'
  | '/w/$workspace/model-usage'
  | '/w/$workspace/instances'
  | '/w/$workspace/chats'
  | '/w/$workspace/messages'
  | '/w/$workspace/media'
  | '/w/$workspace/groups'
  | '/w/$workspace/contacts'
  | '/w/$workspace/links'
  | '/w/$workspace/analytics'
  | '/w/$workspace/tags'
  | '/w/$workspace/domains'
  | '/w/$workspace/publishing'
  | '/w/$workspace/rules'
  | '/w/$workspace/connect'
  | '/w/$workspace/requests'
  | '/w/$workspace/events'
  | '/w/$workspace/webhooks'
  | '/w/$workspace/inspector'
  | '/w/$workspace/members'
  | '/w/$workspace/audit-log'
  | '/w/$workspace/settings';

export interface NavigationItem {
  label: string;
  to: PagePath;
  icon: TablerIcon;
  /** Shown only to users whose role includes it. */
  scope?: string;
  /** Further words that find it in the search. */
  keywords?: string;
}

export interface NavigationGroup {
  /** Null for entries above all surfaces. */
  label: string | null;
  items: NavigationItem[];
}

const NAVIGATION: NavigationGroup[] = [
  {
    label: null,
    items: [
      {
        label: t('Overview'),
        to: '/w/$workspace',
        icon: IconLayoutDashboard,
        keywords: 'home getting started',
      },
    ],
  },
  {
    label: t('API access'),
    items: [
      {
        label: t('API keys'),
        to: '/w/$workspace/api-keys',
        icon: IconKey,
        scope: 'api_keys:read',
        keywords: 'secret token scope rotate revoke',
      },
      {
        label: t('Your site'),
        to: '/w/$workspace/your-site',
        icon: IconBrowserShare,
        scope: 'api_keys:write',
        keywords: 'browser key cors origin snippet',
      },
    ],
  },
  {
    label: t('Models'),
    items: [
      {
        label: t('Playground'),
        to: '/w/$workspace/models',
        icon: IconSparkles,
        scope: 'models:invoke',
        keywords: 'ai models chat try completions compare',
      },
      {
        label: t('Providers'),
        to: '/w/$workspace/model-providers',
        icon: IconCloudComputing,
        scope: 'providers:read',
        keywords: 'openai anthropic gemini openrouter groq mistral ollama vllm llm prices',
      },
      {
        label: t('Routes'),
        to: '/w/$workspace/model-routes',
        icon: IconRoute,
        scope: 'providers:read',
        keywords: 'fallback attempts models',
      },
      {
        label: t('Budgets'),
        to: '/w/$workspace/budgets',
        icon: IconWallet,
        scope: 'providers:read',
        keywords: 'limit spend cost tokens calls',
      },
      {
        label: t('Usage'),
        to: '/w/$workspace/model-usage',
        icon: IconChartBar,
        scope: 'usage:read',
        keywords: 'models cost tokens calls latency chart',
      },
    ],
  },
  {
    label: t('Messaging'),
    items: [
      {
        label: t('Chats'),
        to: '/w/$workspace/chats',
        icon: IconMessages,
        scope: 'chats:read',
        keywords: 'conversation inbox send write',
      },
      {
        label: t('Messages'),
        to: '/w/$workspace/messages',
        icon: IconMessage2Search,
        scope: 'messages:read',
        keywords: 'search history failed sent received log',
      },
      {
        label: t('Media'),
        to: '/w/$workspace/media',
        icon: IconPhoto,
        scope: 'media:read',
        keywords: 'files images video audio documents download',
      },
      {
        label: t('Groups'),
        to: '/w/$workspace/groups',
        icon: IconUsersGroup,
        scope: 'groups:read',
        keywords: 'rooms participants members invite join muc',
      },
      {
        label: t('Contacts'),
        to: '/w/$workspace/contacts',
        icon: IconAddressBook,
        scope: 'contacts:read',
        keywords: 'people addresses import export csv block merge',
      },
      {
        label: t('Instances'),
        to: '/w/$workspace/instances',
        icon: IconPlugConnected,
        scope: 'instances:read',
        keywords:
          'channel account session device number connect email sandbox telegram whatsapp pairing qr queue',
      },
    ],
  },
  {
    label: t('Short links'),
    items: [
      {
        label: t('Links'),
        to: '/w/$workspace/links',
        icon: IconLink,
        scope: 'links:read',
        keywords: 'short url redirect slug utm campaign target import export csv',
      },
      {
        label: t('Analytics'),
        to: '/w/$workspace/analytics',
        icon: IconChartAreaLine,
        scope: 'links:read',
        keywords: 'clicks statistics visitors countries devices browsers referrers chart',
      },
      {
        label: t('Tags'),
        to: '/w/$workspace/tags',
        icon: IconTag,
        scope: 'links:read',
        keywords: 'labels groups of links',
      },
      {
        label: t('Domains'),
        to: '/w/$workspace/domains',
        icon: IconWorld,
        scope: 'domains:read',
        keywords: 'host dns txt record verify',
      },
    ],
  },
  {
    label: t('Automation'),
    items: [
      {
        label: t('Publishing'),
        to: '/w/$workspace/publishing',
        icon: IconBroadcast,
        scope: 'publishing:read',
        keywords: 'endpoint inbound hook post receive template liquid publication run log replay schedule',
      },
      {
        label: t('Rules'),
        to: '/w/$workspace/rules',
        icon: IconBolt,
        scope: 'rules:read',
        keywords: 'automation trigger action condition event reply model loop run log',
      },
      {
        label: t('Connect'),
        to: '/w/$workspace/connect',
        icon: IconPuzzle,
        scope: 'api_keys:write',
        keywords: 'zapier make n8n node-red postman bruno integration import flow workflow collection',
      },
    ],
  },
  {
    // Parts that all surfaces share: webhooks and events cover each of them.
    label: t('Developers'),
    items: [
      {
        label: t('Requests'),
        to: '/w/$workspace/requests',
        icon: IconListDetails,
        scope: 'audit:read',
        keywords: 'api log calls errors status failed curl',
      },
      {
        label: t('Webhooks'),
        to: '/w/$workspace/webhooks',
        icon: IconWebhook,
        scope: 'webhooks:read',
        keywords: 'deliveries endpoint callback retry replay signature secret',
      },
      {
        label: t('Events'),
        to: '/w/$workspace/events',
        icon: IconActivity,
        scope: 'events:read',
        keywords: 'live tail stream log catalogue',
      },
      {
        label: t('Inspector'),
        to: '/w/$workspace/inspector',
        icon: IconInbox,
        scope: 'webhooks:read',
        keywords: 'request bin receiver test payload',
      },
    ],
  },
  {
    label: t('Workspace'),
    items: [
      {
        label: t('Members'),
        to: '/w/$workspace/members',
        icon: IconUsers,
        scope: 'members:read',
        keywords: 'invite invitation role people team',
      },
      {
        label: t('Audit log'),
        to: '/w/$workspace/audit-log',
        icon: IconHistory,
        scope: 'audit:read',
        keywords: 'who changed what',
      },
      {
        label: t('Settings'),
        to: '/w/$workspace/settings',
        icon: IconAdjustments,
        keywords: 'name delete profile password sessions',
      },
    ],
  },
];

/** Returns the groups that a user with these scopes sees. */
export function navigationFor(scopes: readonly string[]): NavigationGroup[] {
  return NAVIGATION.map((group) => ({
    ...group,
    items: group.items.filter((item) => item.scope === undefined || scopes.includes(item.scope)),
  })).filter((group) => group.items.length > 0);
}
