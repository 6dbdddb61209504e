/** Shows whether everything works, and if not, where to look. */
import { Link } from '@tanstack/react-router';
import { IconArrowRight } from '@tabler/icons-react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { StateDot } from '../../design/StateDot.tsx';
import type { Problem } from './problems.ts';
import classes from './dashboard.module.css';

export function StatusLine({ problems }: { problems: readonly Problem[] | undefined }) {
  const { workspace } = useWorkspace();
  return (
    <section className={classes.status} aria-label={t('Status')} role="status">
      {problems === undefined ? (
        <StateDot tone="idle">{t('Checking')}</StateDot>
      ) : problems.length === 0 ? (
        <StateDot tone="good">{t('Everything is working')}</StateDot>
      ) : (
        <ul>
          {problems.map(({ key, tone, text, link }) => (
            <li key={key}>
              {link ? (
                <Link
                  {...(link as { to: '.' })}
                  params={{ ...(link.params as object), workspace: workspace.slug } as never}
                  className={classes.problem}
                >
                  <StateDot tone={tone}>{text}</StateDot>
                  <IconArrowRight size={16} aria-hidden />
                </Link>
              ) : (
                <span className={classes.problem}>
                  <StateDot tone={tone}>{text}</StateDot>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
