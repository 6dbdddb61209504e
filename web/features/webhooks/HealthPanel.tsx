/** The health of one webhook, beside its state in the page head: last success, success rate, response time, queue, and attempts of the last 24 hours. */
import { formatNumber, language, plural, rich, t } from '../../copy/text.ts';
import type { WebhookHealth } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Age } from './Age.tsx';
import { attemptSummary, Sparkline } from './Sparkline.tsx';
import { formatDuration } from '../../design/duration-text.ts';
import ui from '../../design/ui.module.css';
import classes from './webhook.module.css';

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

export function HealthPanel({ health }: { health: WebhookHealth | undefined }) {
  if (!health) return <div className={classes.health} />;
  const { failing_since: failing, oldest_due_at: oldest, waiting } = health;
  const { succeeded, failed, average_duration_ms: average } = health.last_24_hours;
  const all = succeeded + failed;
  return (
    <section className={classes.health} aria-label={t('Health')}>
      <dl className={ui.readings}>
        <div>
          <dt>{t('Last success')}</dt>
          <dd>
            <RelativeTime at={health.last_success_at} none={t('Never')} />
          </dd>
          <dd className={ui.readingNote}>
            {failing && rich('Failing for <time></time>', { time: () => <Age since={failing} /> })}
          </dd>
        </div>
        <div>
          <dt>{t('Success rate (24 h)')}</dt>
          <dd>{all === 0 ? '–' : percent.format(succeeded / all)}</dd>
          <dd className={ui.readingNote}>
            {plural(all, { one: '{count} attempt', other: '{count} attempts' })}
          </dd>
        </div>
        <div>
          <dt>{t('Response time')}</dt>
          <dd>{average === null ? '–' : formatDuration(average)}</dd>
          <dd className={ui.readingNote}>{t('Average')}</dd>
        </div>
        <div>
          <dt>{t('Queued')}</dt>
          <dd>
            {formatNumber(waiting)}
            {health.waiting_is_capped && '+'}
          </dd>
          <dd className={ui.readingNote}>
            {oldest
              ? rich('Oldest: <time></time>', { time: () => <Age since={oldest} /> })
              : waiting > 0 && t('Scheduled for later')}
          </dd>
        </div>
      </dl>
      <figure>
        <Sparkline hours={health.hours} large />
        <figcaption>
          <span>{t('24 hours ago')}</span>
          <span className={classes.said}>{attemptSummary(health.hours)}</span>
          <span>{t('Now')}</span>
        </figcaption>
      </figure>
    </section>
  );
}
