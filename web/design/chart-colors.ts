/** Colors of chart series: each has enough contrast with the page and with its neighbors, in light and dark mode. */
export const CHART_COLORS = {
  main: 'light-dark(#128080, #45aeaa)',
  muted: 'light-dark(#68717b, #a9b1ba)',
  bad: 'light-dark(#c92a2a, #ff7b7b)',
  before: 'light-dark(#c77700, #f0b04a)',
} as const;
