/** The health of one webhook, beside its state in the page head: last success, success rate, response time, queue, and attempts of the last 24 hours. */
import { formatNumber, language, plural, rich, t } from '../../copy/text.ts';
import type { WebhookHealth } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { attemptSummary, Sparkline } from './Sparkline.tsx';
import { formatDuration } from './delivery-text.ts';
import classes from './webhook.module.css';

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

export function HealthPanel({ health }: { health: WebhookHealth | undefined }) {
  if (!health) return <div className={classes.health} />;
  const { succeeded, failed, average_duration_ms: average } = health.last_24_hours;
  const all = succeeded + failed;
  return (
    <section className={classes.health} aria-label={t('Health')}>
      <dl>
        <div>
          <dt>{t('Last success')}</dt>
          <dd>
            <RelativeTime at={health.last_success_at} />
          </dd>
          <dd className={classes.note}>
            {health.failing_since
              ? rich('failing since <time>then</time>', {
                  time: () => <RelativeTime at={health.failing_since} />,
                })
              : health.last_success_at === null && t('no successful delivery yet')}
          </dd>
        </div>
        <div>
          <dt>{t('Success rate (24 h)')}</dt>
          <dd>{all === 0 ? '–' : percent.format(succeeded / all)}</dd>
          <dd className={classes.note}>
            {plural(all, { one: 'of {count} attempt', other: 'of {count} attempts' })}
          </dd>
        </div>
        <div>
          <dt>{t('Response time')}</dt>
          <dd>{average === null ? '–' : formatDuration(average)}</dd>
          <dd className={classes.note}>{t('average')}</dd>
        </div>
        <div>
          <dt>{t('Queued')}</dt>
          <dd>
            {formatNumber(health.waiting)}
            {health.waiting_is_capped && '+'}
          </dd>
          <dd className={classes.note}>
            {health.oldest_due_at
              ? rich('oldest due <time>then</time>', {
                  time: () => <RelativeTime at={health.oldest_due_at} />,
                })
              : t('nothing overdue')}
          </dd>
        </div>
      </dl>
      <figure>
        <Sparkline hours={health.hours} large />
        <figcaption>
          <span>{t('24 hours ago')}</span>
          <span className={classes.said}>{attemptSummary(health.hours)}</span>
          <span>{t('now')}</span>
        </figcaption>
      </figure>
    </section>
  );
}
