/** What else the workspace can do. */
import { Link } from '@tanstack/react-router';
import {
  IconArrowRight,
  IconBook2,
  IconBroadcast,
  IconBrowserShare,
  IconCloudComputing,
  IconPlugConnected,
  IconSparkles,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { Head } from './Recent.tsx';
import classes from './dashboard.module.css';

const NEXT = [
  {
    to: '/w/$workspace/model-providers',
    scope: 'providers:write',
    icon: IconCloudComputing,
    title: t('Connect a model provider'),
    text: t('Call OpenAI, Anthropic, Ollama and others with one key and budgets.'),
  },
  {
    to: '/w/$workspace/your-site',
    scope: 'api_keys:write',
    icon: IconBrowserShare,
    title: t('Call the API from your site'),
    text: t('Get a browser key, a snippet and a live check.'),
  },
  {
    to: '/w/$workspace/instances',
    scope: 'instances:write',
    icon: IconPlugConnected,
    title: t('Create an instance'),
    text: t('Send and receive messages by email, XMPP and other channels.'),
  },
  {
    to: '/w/$workspace/webhooks',
    scope: 'webhooks:write',
    icon: IconWebhook,
    title: t('Set up a webhook'),
    text: t('Receive signed events on your server.'),
  },
  {
    to: '/w/$workspace/publishing',
    scope: 'publishing:write',
    icon: IconBroadcast,
    title: t('Publish from other services'),
    text: t('Turn posts from a shop, GitHub or a form into messages.'),
  },
  {
    to: '/w/$workspace/models',
    scope: 'models:invoke',
    icon: IconSparkles,
    title: t('Try a model'),
    text: t('Chat with a model and copy the API call.'),
  },
  {
    to: '/w/$workspace/members',
    scope: 'members:write',
    icon: IconUsers,
    title: t('Invite your team'),
    text: t('Invite members by email or with a link.'),
  },
] as const;

export function NextSteps() {
  const { workspace, scopes } = useWorkspace();
  const params = { workspace: workspace.slug };
  return (
    <section>
      <Head title={t('Next steps')} />
      <div className={classes.cards}>
        {NEXT.filter(({ scope }) => scopes.includes(scope)).map(({ to, icon: Icon, title, text }) => (
          <Link key={to} to={to} params={params} className={classes.card}>
            <Icon size={20} stroke={1.6} />
            <span>
              <strong>{title}</strong>
              <span>{text}</span>
            </span>
            <IconArrowRight size={16} />
          </Link>
        ))}
        <a href="/docs" target="_blank" rel="noreferrer" className={classes.card}>
          <IconBook2 size={20} stroke={1.6} />
          <span>
            <strong>{t('API reference')}</strong>
            <span>{t('Every endpoint, with cURL examples.')}</span>
          </span>
          <IconArrowRight size={16} />
        </a>
      </div>
    </section>
  );
}
