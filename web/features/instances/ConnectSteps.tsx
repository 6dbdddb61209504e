/** Numbered steps above the form of a new instance, with drawings of where the values stand. */
import { t } from '../../copy/text.ts';
import { connectSteps, type Sketch } from './connect-steps.ts';
import classes from './instances.module.css';

const WIDTH = 340;
const HEAD = 22;
const ROW = 20;

/** Draws a page with one marked row, in the colors of the theme. */
function PageSketch({ page, rows, marked }: Sketch) {
  const height = HEAD + rows.length * ROW + 10;
  return (
    <svg
      className={classes.sketch}
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={t('On {page}: {row}', { page, row: rows[marked]! })}
    >
      <rect x="0.5" y="0.5" width={WIDTH - 1} height={height - 1} rx="6" className={classes.sketchFrame} />
      <line x1="0" x2={WIDTH} y1={HEAD} y2={HEAD} className={classes.sketchFrame} />
      {[12, 22, 32].map((x) => (
        <circle key={x} cx={x} cy={HEAD / 2} r="2.5" className={classes.sketchFrame} />
      ))}
      <text x="46" y={HEAD / 2 + 4}>
        {page}
      </text>
      {rows.map((row, index) => (
        <g key={row}>
          {index === marked && (
            <rect
              x="8"
              y={HEAD + 5 + index * ROW}
              width={WIDTH - 16}
              height={ROW - 2}
              rx="4"
              className={classes.sketchMark}
            />
          )}
          <text x="16" y={HEAD + 18 + index * ROW}>
            {row}
          </text>
        </g>
      ))}
    </svg>
  );
}

export function ConnectSteps({ channel }: { channel: string }) {
  const steps = connectSteps(channel);
  if (steps.length === 0) return null;
  return (
    <ol className={classes.steps} aria-label={t('How to connect')}>
      {steps.map(({ text, sketch }) => (
        <li key={text}>
          {text}
          {sketch && <PageSketch {...sketch} />}
        </li>
      ))}
    </ol>
  );
}
