// What did not work, where it was wanted; and what is shown before the first answer.
import type { Remote } from '../core/remote.ts';

export function Problem({
  remote: { data, error },
  what,
}: {
  remote: Remote<unknown>;
  what: string;
}) {
  if (error !== undefined) {
    return (
      <p class="problem" role="alert">
        {what}: {error}
        {data === undefined ? '' : '; shown is what was known before'}
      </p>
    );
  }
  return data === undefined ? <p class="quiet">asks for {what}</p> : null;
}
