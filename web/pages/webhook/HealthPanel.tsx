/** The health of one webhook: whether its receiver answers, what waits, and its attempts of the last 24 hours. */
import type { WebhookHealth } from '../../api/types.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { HealthState } from '../webhooks/HealthState.tsx';
import { attemptsSaid, Sparkline } from '../webhooks/Sparkline.tsx';
import { duration } from './delivery-text.ts';
import classes from './webhook.module.css';

const count = new Intl.NumberFormat('en');
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** What the state means just now, in a few words. */
function StateNote({ health }: { health: WebhookHealth }) {
  if (health.state === 'failing')
    return (
      <>
        since <RelativeTime at={health.failing_since} />
      </>
    );
  if (health.last_success_at)
    return (
      <>
        last success <RelativeTime at={health.last_success_at} />
      </>
    );
  return 'nothing succeeded yet';
}

export function HealthPanel({ health }: { health: WebhookHealth | undefined }) {
  if (!health) return <div className={classes.health} />;
  const { succeeded, failed, average_duration_ms: average } = health.last_24_hours;
  const all = succeeded + failed;
  return (
    <section className={classes.health} aria-label="Health">
      <dl>
        <div>
          <dt>Health</dt>
          <dd>
            <HealthState health={health} />
          </dd>
          <dd className={classes.note}>
            <StateNote health={health} />
          </dd>
        </div>
        <div>
          <dt>Success, 24 h</dt>
          <dd>{all === 0 ? '–' : percent.format(succeeded / all)}</dd>
          <dd className={classes.note}>{all === 1 ? 'of 1 attempt' : `of ${count.format(all)} attempts`}</dd>
        </div>
        <div>
          <dt>Answers within</dt>
          <dd>{average === null ? '–' : duration(average)}</dd>
          <dd className={classes.note}>on the average</dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd>
            {count.format(health.waiting)}
            {health.waiting_is_capped && '+'}
          </dd>
          <dd className={classes.note}>
            {health.oldest_due_at ? (
              <>
                oldest due <RelativeTime at={health.oldest_due_at} />
              </>
            ) : (
              'nothing is late'
            )}
          </dd>
        </div>
      </dl>
      <figure>
        <Sparkline hours={health.hours} large />
        <figcaption>
          <span>24 hours ago</span>
          <span className={classes.said}>{attemptsSaid(health.hours)}</span>
          <span>now</span>
        </figcaption>
      </figure>
    </section>
  );
}
