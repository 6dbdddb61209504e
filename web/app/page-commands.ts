/** Commands of the search that open a page, in the order in which they are listed. */
import { linkOptions, type NavigateOptions } from '@tanstack/react-router';
import {
  IconBook2,
  IconPlus,
  IconUpload,
  IconUserPlus,
  IconUserSearch,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from '../copy/text.ts';

export interface PageCommand {
  id: string;
  label: string;
  keywords?: string;
  /** Which the user needs; omitted for none. */
  scope?: string;
  icon: TablerIcon;
  /** Returns the link that the command opens. */
  link: (params: { workspace: string }) => NavigateOptions;
}

const CREATE = { create: true } as const;

export const PAGE_COMMANDS: readonly PageCommand[] = [
  {
    id: 'create-link',
    label: t('Create link'),
    keywords: 'short url slug utm',
    scope: 'links:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/links', params, search: CREATE }),
  },
  {
    id: 'create-key',
    label: t('Create API key'),
    scope: 'api_keys:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/api-keys', params, search: CREATE }),
  },
  {
    id: 'create-instance',
    label: t('Create instance'),
    keywords: 'connect channel account email sandbox',
    scope: 'instances:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/instances', params, search: CREATE }),
  },
  {
    id: 'create-webhook',
    label: t('Create webhook'),
    scope: 'webhooks:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/webhooks', params, search: CREATE }),
  },
  {
    id: 'create-contact',
    label: t('Create contact'),
    scope: 'contacts:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/contacts', params, search: CREATE }),
  },
  {
    id: 'create-chat',
    label: t('Create chat'),
    keywords: 'message send write',
    scope: 'messages:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/chats', params, search: { new: true } }),
  },
  {
    id: 'create-group',
    label: t('Create group'),
    scope: 'groups:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/groups', params, search: { open: 'new' } }),
  },
  {
    id: 'create-inspector',
    label: t('Create inspector'),
    keywords: 'test endpoint receive webhook',
    scope: 'webhooks:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/inspector', params, search: CREATE }),
  },
  {
    id: 'import-links',
    label: t('Import links'),
    keywords: 'csv upload',
    scope: 'links:write',
    icon: IconUpload,
    link: (params) => linkOptions({ to: '/w/$workspace/links', params, search: { import: true } }),
  },
  {
    id: 'import-contacts',
    label: t('Import contacts'),
    keywords: 'csv upload',
    scope: 'contacts:write',
    icon: IconUpload,
    link: (params) => linkOptions({ to: '/w/$workspace/contacts', params, search: { import: true } }),
  },
  {
    id: 'check-addresses',
    label: t('Check addresses'),
    keywords: 'contacts exist valid',
    scope: 'contacts:write',
    icon: IconUserSearch,
    link: (params) => linkOptions({ to: '/w/$workspace/contacts', params, search: { check: true } }),
  },
  {
    id: 'create-tag',
    label: t('Create tag'),
    scope: 'links:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/tags', params, search: CREATE }),
  },
  {
    id: 'create-domain',
    label: t('Create domain'),
    scope: 'domains:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/domains', params, search: CREATE }),
  },
  {
    id: 'create-endpoint',
    label: t('Create publishing endpoint'),
    keywords: 'inbound hook post receive template',
    scope: 'publishing:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/publishing/new', params }),
  },
  {
    id: 'create-rule',
    label: t('Create rule'),
    keywords: 'automation trigger action',
    scope: 'rules:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/rules/new', params }),
  },
  {
    id: 'create-provider',
    label: t('Connect model provider'),
    keywords: 'openai anthropic gemini ollama llm',
    scope: 'providers:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/model-providers', params, search: CREATE }),
  },
  {
    id: 'create-route',
    label: t('Create model route'),
    keywords: 'fallback attempts',
    scope: 'providers:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/model-routes', params, search: CREATE }),
  },
  {
    id: 'create-budget',
    label: t('Create budget'),
    keywords: 'limit models cost tokens',
    scope: 'providers:write',
    icon: IconPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/budgets', params, search: CREATE }),
  },
  {
    id: 'create-workspace',
    label: t('Create workspace'),
    icon: IconPlus,
    link: () => linkOptions({ to: '/start' }),
  },
  {
    id: 'invite',
    label: t('Invite member'),
    scope: 'members:write',
    icon: IconUserPlus,
    link: (params) => linkOptions({ to: '/w/$workspace/members', params, search: { invite: true } }),
  },
  {
    id: 'event-catalog',
    label: t('Event catalog'),
    keywords: 'types schema sample webhooks',
    icon: IconBook2,
    link: (params) => linkOptions({ to: '/w/$workspace/events', params, search: { tab: 'catalogue' } }),
  },
];
