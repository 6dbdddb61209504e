/** Suggests further features of the workspace; renders nothing once all of them are used. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconArrowRight } from '@tabler/icons-react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { usageQuery } from '../../api/workspaces.ts';
import { t } from '../../copy/text.ts';
import { nextSteps } from './next-steps.ts';
import { Head } from './Recent.tsx';
import classes from './dashboard.module.css';

export function NextSteps() {
  const { workspace, scopes } = useWorkspace();
  const { data: usage } = useQuery(usageQuery(workspace.id));
  const steps = usage ? nextSteps(usage, scopes) : [];
  if (steps.length === 0) return null;
  return (
    <section>
      <Head title={t('Next steps')} />
      <div className={classes.cards}>
        {steps.map(({ to, icon: Icon, title, text }) => (
          <Link key={to} to={to} params={{ workspace: workspace.slug }} className={classes.card}>
            <Icon size={20} stroke={1.6} />
            <span>
              <strong>{title}</strong>
              <span>{text}</span>
            </span>
            <IconArrowRight size={16} />
          </Link>
        ))}
      </div>
    </section>
  );
}
