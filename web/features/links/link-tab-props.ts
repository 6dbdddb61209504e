import type { Link } from '../../api/types.ts';

export interface LinkTabProps {
  link: Link;
}
